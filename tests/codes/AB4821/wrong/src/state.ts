import { defineState } from '@agent-bundle/runtime/state';

export default defineState({ id: '@agent-bundle/runtime/agent-notice-ledger/v1', lifetime: 'process', initial: {} });
