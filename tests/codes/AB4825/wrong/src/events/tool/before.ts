import { events } from 'agent-bundle/routes';

export default events.tool.before({ targets: ['claude'], requires: ['events.toolBefore.deny'] }, async () => undefined);
