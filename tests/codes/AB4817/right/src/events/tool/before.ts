import { events } from 'agent-bundle/routes';

export default events.tool.before({ runtime: 'shared', fallback: 'standalone' }, async () => undefined);
