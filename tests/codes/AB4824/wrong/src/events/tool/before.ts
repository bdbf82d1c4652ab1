import { events } from 'agent-bundle/routes';

export default events.tool.before({ targets: ['cluade'] }, async () => undefined);
