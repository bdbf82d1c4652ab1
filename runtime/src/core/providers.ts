import { AgentRequestError } from './errors.ts';
import { type AgentRequestFacts, outsideRequest } from './request.ts';

/** A provider module of the plugin: evaluated when a route first asks for its key. */
export interface ProviderEntry {
  readonly key: string;
  readonly load: () => Promise<{ readonly default?: unknown }>;
}

interface ProviderRequest {
  readonly facts: AgentRequestFacts;
  readonly signal: AbortSignal;
}

/** The providers of one request. Each value, or failure, is made once and shared by all who ask. */
export class ProviderScope {
  readonly #entries: ReadonlyMap<string, ProviderEntry>;
  readonly #values = new Map<string, Promise<unknown>>();

  /** `initial` values stand in for the modules of the same keys. */
  constructor(entries: readonly ProviderEntry[], initial: ReadonlyMap<string, unknown> = new Map()) {
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
    for (const [key, value] of initial) this.#values.set(key, Promise.resolve(value));
  }

  get(key: string, request: ProviderRequest): Promise<unknown> {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = outsideRequest(() => this.#make(key, request));
    this.#values.set(key, value);
    return value;
  }

  async #make(key: string, { facts, signal }: ProviderRequest): Promise<unknown> {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const known = [...this.#entries.keys()].sort().join(', ') || 'none';
      throw new AgentRequestError(
        'provider-missing',
        `no provider has the key ${JSON.stringify(key)}; there are: ${known}`,
      );
    }
    const { default: factory } = await entry.load();
    if (typeof factory !== 'function') {
      throw new AgentRequestError('provider-invalid', `provider ${key} must export a factory function by default`);
    }
    const { invocation, host, session, workspace, plugin, lineage } = facts;
    return await factory(Object.freeze({ invocation, signal, host, session, workspace, plugin, lineage }));
  }
}
