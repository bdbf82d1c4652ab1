import { events } from 'agent-bundle/routes';

export default events.tool.before({}, async () => undefined);
