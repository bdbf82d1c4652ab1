import { defineState } from '@agent-bundle/runtime/state';
export default defineState({ id: 'a', lifetime: 'process', reduce() {} });
