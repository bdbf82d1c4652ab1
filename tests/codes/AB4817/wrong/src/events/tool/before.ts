import { events } from 'agent-bundle/routes';

export default events.tool.before({ runtime: 'shared' }, async () => undefined);
