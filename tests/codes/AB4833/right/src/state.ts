import { defineState } from '@agent-bundle/runtime/state';

export default defineState({ id: 'notes', lifetime: 'workspace-durable', initial: {} });
