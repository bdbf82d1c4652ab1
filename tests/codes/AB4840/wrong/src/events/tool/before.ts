import { events } from 'agent-bundle/routes';

export default events.tool.after({}, async () => undefined);
