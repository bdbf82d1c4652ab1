import { events } from 'agent-bundle/routes';

export default events.tool.before({ requires: ['events.toolBefore.deny'] }, async () => undefined);
