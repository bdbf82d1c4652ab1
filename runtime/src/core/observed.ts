/** How a fact about the request came to be known. */
export type AgentFactSource = 'native' | 'receipt' | 'derived';

/** A fact that a host may or may not give; `reason` says why it did not. */
export type Observed<Value> =
  | { readonly state: 'available'; readonly source: AgentFactSource; readonly value: Value }
  | { readonly state: 'unavailable'; readonly reason: string };

export function available<Value>(source: AgentFactSource, value: Value): Observed<Value> {
  return Object.freeze({ state: 'available', source, value: Object.freeze(value) });
}

export function unavailable<Value>(reason: string): Observed<Value> {
  return Object.freeze({ state: 'unavailable', reason });
}
