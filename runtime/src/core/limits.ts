import { AgentDocumentError } from './errors.ts';

/** Bounds on one render. */
export interface AgentRenderLimits {
  /** UTF-8 bytes of the document as JSON, counted before nested results merge. */
  readonly maxDocumentBytes: number;
  /** Nesting of nodes, the root being 1. */
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** Milliseconds from the start of the render. A route's `render.maxElapsedMs` replaces it. */
  readonly maxElapsedMs: number;
  readonly maxEvents: number;
  /** Events inside any one second. */
  readonly maxEventsPerSecond: number;
  /** UTF-8 bytes of one event as JSON. */
  readonly maxEventBytes: number;
}

export const DEFAULT_AGENT_RENDER_LIMITS: AgentRenderLimits = Object.freeze({
  maxDocumentBytes: 1_048_576,
  maxDepth: 64,
  maxNodes: 10_000,
  maxElapsedMs: 60_000,
  maxEvents: 10_000,
  maxEventsPerSecond: 1_000,
  maxEventBytes: 1_048_576 + 1_024,
});

/** UTF-8 bytes of `value` as compact JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Admits the events of one render, or raises the limit that one of them breaks. */
export class EventMeter {
  #count = 0;
  /** Times of the events of the last second, oldest first. */
  readonly #recent: number[] = [];
  readonly #limits: AgentRenderLimits;
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: AgentRenderLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  admit(event: unknown): void {
    const { maxEvents, maxEventsPerSecond, maxEventBytes } = this.#limits;
    this.#count += 1;
    if (this.#count > maxEvents) throw new AgentDocumentError('event-count-exceeded', `more than ${maxEvents} events`);
    const now = this.#now();
    while (this.#recent[0] !== undefined && now - this.#recent[0] >= 1_000) this.#recent.shift();
    this.#recent.push(now);
    if (this.#recent.length > maxEventsPerSecond) {
      throw new AgentDocumentError('event-rate-exceeded', `more than ${maxEventsPerSecond} events in one second`);
    }
    const bytes = jsonBytes(event);
    if (bytes > maxEventBytes) {
      throw new AgentDocumentError(
        'event-bytes-exceeded',
        `an event of ${bytes} bytes, where ${maxEventBytes} are allowed`,
      );
    }
  }
}
