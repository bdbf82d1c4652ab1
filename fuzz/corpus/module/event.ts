import { events as e } from 'agent-bundle/routes';
export default e.modelSwitch.before({ requires: ['events.stop.deny'], timeoutMs: 0x10, tools: ['shell'] }, h);
