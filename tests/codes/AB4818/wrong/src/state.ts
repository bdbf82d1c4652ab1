import { defineState } from '@agent-bundle/runtime/state';

const state = defineState({ id: 'notes', lifetime: 'process', initial: {} });

export default state;
