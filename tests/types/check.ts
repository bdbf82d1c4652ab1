// What the generated declarations say of the example. `tsc` is the test; nothing here is run.
import type { AgentProviderValues, Register } from '@agent-bundle/runtime';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

type Routes = Register['routes'];
type Search = Routes['tool:notes/search'];

// The input is what a caller writes: what has a default may be left out. The result is what a caller gets.
holds<Same<Search['input'], { query: string; limit?: number | undefined }>>();
holds<Same<Search['result']['total'], number>>();
holds<Same<Routes['tool:notes/between']['input'], { days: [string, string] }>>();
holds<Same<Routes['prompt:notes/review']['input'], { topic: string }>>();
holds<Same<ReturnType<AgentProviderValues['notes']['all']> extends Promise<(infer Note extends { id: string })[]> ? Note['id'] : never, string>>();

// @ts-expect-error: there is no such route
type Missing = Routes['tool:notes/missing'];
export type { Missing };
