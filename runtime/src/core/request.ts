import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentRequestError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { type Observed, available } from './observed.ts';
import type { ProviderScope } from './providers.ts';
import type { AgentProgressReport } from './render.ts';
import type { AgentTerminal } from './terminal.ts';

export type AgentInvocationKind = 'tool' | 'event' | 'cli' | 'script' | 'workbench';

export interface AgentInvocation {
  readonly id: string;
  readonly kind: AgentInvocationKind;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The route id, such as `tool:notes/search`. */
  readonly operationId?: string;
  readonly surface?: string;
  readonly artifactEpoch?: string;
  readonly hostContractRevision?: string;
  readonly protocolRevision?: string;
  readonly sourceRevision?: string;
}

export interface AgentPluginRoots {
  /** The directory of the installed plugin. */
  readonly root: string;
  /** Where the plugin may keep state. Nothing creates it in advance. */
  readonly stateRoot: string;
}

/** What is known about one request, whoever asks. */
export interface AgentRequestFacts {
  readonly invocation: AgentInvocation;
  readonly host: Observed<{ readonly name: string }>;
  readonly session: Observed<{ readonly sessionId: string }>;
  readonly actor: Observed<{ readonly id: string }>;
  readonly workspace: Observed<{ readonly root: string }>;
  readonly plugin: Observed<AgentPluginRoots>;
  readonly lineage: Observed<unknown>;
  readonly terminal: Observed<AgentTerminal>;
  /** What the client declared it can do. */
  readonly capabilities: Observed<JsonObject>;
}

export interface AgentProcess {
  readonly pid: number;
  /** ISO 8601, UTC: when this process loaded the runtime. */
  readonly startedAt: string;
}

/** The handle of one request: `await agent()`, and the second argument of a `defineTool` handler. */
export interface AgentHandle extends AgentRequestFacts {
  readonly process: AgentProcess;
  readonly signal: AbortSignal;
  readonly progress: { report(report: AgentProgressReport): void };
  /** The value of `src/providers/<key>`, made on first use and shared within the request. */
  provider(key: string): Promise<unknown>;
}

interface Lease {
  readonly handle: AgentHandle;
}

interface RequestStore {
  readonly version: number;
  readonly storage: AsyncLocalStorage<Lease | undefined>;
}

/**
 * The store lies in a global slot, so that two copies of this module in one process (two bundles of a plugin loaded by a
 * test) see the same request. Bump the version when the meaning of what is stored changes.
 */
const STORE_SLOT = Symbol.for('agent-bundle.request-store');
const STORE_VERSION = 1;

const slots = globalThis as { [STORE_SLOT]?: RequestStore };
const store: RequestStore = (slots[STORE_SLOT] ??= { version: STORE_VERSION, storage: new AsyncLocalStorage() });

const PROCESS: AgentProcess = Object.freeze({ pid: process.pid, startedAt: new Date().toISOString() });

export interface RequestScope {
  readonly facts: AgentRequestFacts;
  readonly signal: AbortSignal;
  readonly providers: ProviderScope;
  readonly report: (report: AgentProgressReport) => void;
}

/**
 * Runs `body` as one request: everything it starts, however asynchronous, finds `handle` through `agent()`. The handle
 * closes when `body` has settled.
 */
export async function runRequest<Result>(
  { facts, signal, providers, report }: RequestScope,
  body: (handle: AgentHandle) => Promise<Result>,
): Promise<Result> {
  let open = true;
  const lease = <Value>(value: Value): Value => {
    if (open) return value;
    throw new AgentRequestError('request-closed', 'this request has been answered; read what you need before that');
  };
  const members = { ...facts, process: PROCESS, signal, progress: Object.freeze({ report }) };
  const handle = Object.create(null) as AgentHandle;
  for (const [key, value] of Object.entries(members)) {
    Object.defineProperty(handle, key, { enumerable: true, get: () => lease(value) });
  }
  Object.defineProperty(handle, 'provider', {
    enumerable: true,
    value: async (key: string) => lease(providers).get(key, { facts, signal }),
  });
  Object.freeze(handle);
  try {
    return await compatibleStore().storage.run({ handle }, () => body(handle));
  } finally {
    open = false;
  }
}

/** Runs `body` where `agent()` finds no request. */
export function outsideRequest<Result>(body: () => Result): Result {
  return store.storage.run(undefined, body);
}

/** The handle of the request that the caller runs in; raises `AgentRequestError` where there is none. */
export function useAgent(): AgentHandle {
  const lease = compatibleStore().storage.getStore();
  if (lease === undefined) {
    throw new AgentRequestError('outside-invocation', 'agent() only works while a route, a layout or a command runs');
  }
  // A closed handle says so itself, on this first read.
  void lease.handle.signal;
  return lease.handle;
}

/** As `useAgent`, for `await` and `use`. */
export async function agent(): Promise<AgentHandle> {
  return useAgent();
}

function compatibleStore(): RequestStore {
  if (store.version === STORE_VERSION) return store;
  throw new AgentRequestError(
    'store-version-conflict',
    `this process holds a request store of version ${store.version}, and this runtime needs ${STORE_VERSION}; build every part with one release`,
  );
}

/** The working directory as the workspace: what a bare stdio host gives. */
export function workspaceFromCwd(): Observed<{ readonly root: string }> {
  return available('derived', { root: process.cwd() });
}
