import { defineState } from '@agent-bundle/runtime/state';

export default defineState({ id: 'notes', lifetime: 'process', initial: {} });
