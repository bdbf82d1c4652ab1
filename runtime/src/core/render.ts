import type { ReactNode } from 'react';
import { type AgentDocument, sealDocument } from './document.ts';
import { AgentDocumentError, abortError, asError } from './errors.ts';
import { decodeNode } from './flight.ts';
import { type AgentRenderLimits, DEFAULT_AGENT_RENDER_LIMITS, EventMeter } from './limits.ts';
import { checkProgress } from './vocabulary.ts';
import { type Snapshot, Suspended, TreeReader } from './walk.ts';

export interface AgentProgressReport {
  readonly message?: string;
  readonly completed?: number;
  readonly total?: number;
}

type EventBody =
  | { readonly type: 'shell'; readonly document: AgentDocument }
  | ({ readonly type: 'progress' } & AgentProgressReport)
  | { readonly type: 'replace'; readonly boundaryId: string; readonly document: AgentDocument }
  | {
      readonly type: 'error';
      readonly boundaryId?: string;
      readonly error: { readonly code: string; readonly message: string };
    }
  | { readonly type: 'complete'; readonly document: AgentDocument };

/** One step of a render; `sequence` counts from 0. */
export type AgentRenderEvent = EventBody & { readonly sequence: number };

export interface RenderOptions {
  readonly signal: AbortSignal;
  readonly limits?: Partial<AgentRenderLimits>;
  readonly onEvent?: (event: AgentRenderEvent) => void;
}

/** One render: `run` starts it, and the route reports its progress meanwhile. */
export class Render {
  readonly #limits: AgentRenderLimits;
  readonly #meter: EventMeter;
  readonly #onEvent: ((event: AgentRenderEvent) => void) | undefined;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  #sequence = 0;
  #finished = false;
  #fail: (error: Error) => void = () => {};

  constructor({ signal, limits, onEvent }: RenderOptions) {
    this.#limits = { ...DEFAULT_AGENT_RENDER_LIMITS, ...limits };
    this.#meter = new EventMeter(this.#limits);
    this.#onEvent = onEvent;
    this.#outer = signal;
  }

  /** Aborts with the request, at the elapsed limit, and when the render fails. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * An explicit progress report of the route. Raises `handoff-required` once the render is over, and `invalid-document`
   * for impossible numbers.
   */
  report(progress: AgentProgressReport): void {
    if (this.#finished) {
      throw new AgentDocumentError('handoff-required', 'progress was reported after the render had ended');
    }
    const { completed, total, message } = progress;
    checkProgress(completed, total, 'progress.report');
    this.#emit({
      type: 'progress',
      ...(message === undefined ? {} : { message }),
      ...(completed === undefined ? {} : { completed }),
      ...(total === undefined ? {} : { total }),
    });
  }

  /**
   * Renders `node` to its document. Rejects with the author's error when something outside every boundary threw, with an
   * AbortError when the request was aborted, and with an `AgentDocumentError` for a broken limit or rule.
   */
  async run(node: ReactNode): Promise<AgentDocument> {
    const failed = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    failed.catch(() => {});
    const { maxElapsedMs } = this.#limits;
    const timer = setTimeout(() => {
      this.#fail(new AgentDocumentError('elapsed-time-exceeded', `the render took longer than ${maxElapsedMs} ms`));
    }, maxElapsedMs);
    const onAbort = () => this.#fail(abortError());
    this.#outer.addEventListener('abort', onAbort, { once: true });
    if (this.#outer.aborted) onAbort();
    try {
      return await Promise.race([failed, this.#produce(node)]);
    } finally {
      clearTimeout(timer);
      this.#outer.removeEventListener('abort', onAbort);
      this.#finished = true;
      this.#controller.abort(abortError());
    }
  }

  async #produce(node: ReactNode): Promise<AgentDocument> {
    const { tree, restore } = await decodeNode(node, this.#controller.signal);
    const reader = new TreeReader(this.#limits, restore);
    return await this.#follow(tree, reader);
  }

  /** Reads the tree again each time something it waits for has settled, until nothing is pending. */
  async #follow(tree: unknown, reader: TreeReader): Promise<AgentDocument> {
    const waker = new Waker();
    let previous: Snapshot | undefined;
    while (!this.#finished) {
      const next = tryRead(tree, reader);
      if (next instanceof Suspended) {
        await waker.anyOf([next.wait]);
        continue;
      }
      const document = sealDocument(next.root);
      this.#announce(document, next, previous);
      if (next.pending.size === 0) {
        this.#emit({ type: 'complete', document });
        return document;
      }
      previous = next;
      await waker.anyOf(next.pending.values());
    }
    throw abortError();
  }

  #announce(document: AgentDocument, next: Snapshot, previous: Snapshot | undefined): void {
    if (previous === undefined) this.#emit({ type: 'shell', document });
    for (const boundaryId of previous?.pending.keys() ?? []) {
      if (next.pending.has(boundaryId) || next.rejected.has(boundaryId)) continue;
      this.#emit({ type: 'replace', boundaryId, document });
    }
    for (const [boundaryId, { message }] of next.rejected) {
      if (previous?.rejected.has(boundaryId)) continue;
      this.#emit({ type: 'error', boundaryId, error: { code: 'boundary', message } });
    }
  }

  #emit(body: EventBody): void {
    const event = Object.freeze({ ...body, sequence: this.#sequence });
    try {
      this.#meter.admit(event);
    } catch (error) {
      this.#fail(asError(error));
      throw error;
    }
    this.#sequence += 1;
    this.#onEvent?.(event);
  }
}

function tryRead(tree: unknown, reader: TreeReader): Snapshot | Suspended {
  try {
    return reader.read(tree);
  } catch (thrown) {
    if (thrown instanceof Suspended) return thrown;
    throw thrown;
  }
}

/** Waits for parts of one tree, listening once to each however often it is waited for. */
class Waker {
  readonly #known = new WeakSet<object>();
  #settled = false;
  #wake: () => void = () => {};

  /** Resolves when any of `waits` has settled, either way, since the last call. */
  async anyOf(waits: Iterable<PromiseLike<unknown>>): Promise<void> {
    for (const wait of waits) {
      if (this.#known.has(wait)) continue;
      this.#known.add(wait);
      wait.then(this.#onSettled, this.#onSettled);
    }
    if (!this.#settled) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#settled = false;
  }

  readonly #onSettled = (): void => {
    this.#settled = true;
    this.#wake();
  };
}
