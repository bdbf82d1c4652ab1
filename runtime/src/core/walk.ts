import type { RawNode, RawResult } from './document.ts';
import { AgentDocumentError } from './errors.ts';
import type { JsonValue } from './json.ts';
import { type AgentRenderLimits, jsonBytes } from './limits.ts';

const FRAGMENT = Symbol.for('react.fragment');
const SUSPENSE = Symbol.for('react.suspense');
const LAZY = Symbol.for('react.lazy');

/** One look at a tree that may still be arriving. */
export interface Snapshot {
  readonly root: RawResult;
  /** Boundaries that show their fallback, and what each waits for. */
  readonly pending: ReadonlyMap<string, PromiseLike<unknown>>;
  /** Boundaries whose content failed. */
  readonly rejected: ReadonlyMap<string, Error>;
}

/** Thrown while walking what has not arrived; the nearest boundary shows its fallback, or the whole shell waits. */
export class Suspended {
  readonly wait: PromiseLike<unknown>;

  constructor(wait: PromiseLike<unknown>) {
    this.wait = wait;
  }
}

interface Element {
  readonly type: unknown;
  readonly props: Readonly<Record<string, unknown>>;
}

/** Reads decoded elements into raw nodes. */
export class TreeReader {
  readonly #limits: AgentRenderLimits;
  readonly #restore: (error: unknown) => Error;
  #nodes = 0;
  readonly #pending: [id: string, wait: PromiseLike<unknown>][] = [];
  readonly #rejected: [id: string, error: Error][] = [];

  /** `restore` gives the error that the author threw for the redacted one that the decoder saw. */
  constructor(limits: AgentRenderLimits, restore: (error: unknown) => Error) {
    this.#limits = limits;
    this.#restore = restore;
  }

  /**
   * Raises `Suspended` when something outside every boundary has not arrived, the author's error when something outside
   * every boundary failed, and an `AgentDocumentError` when the tree is no document.
   */
  read(tree: unknown): Snapshot {
    this.#rollBack({ nodes: 0, pending: 0, rejected: 0 });
    const out: RawNode[] = [];
    this.#visit(tree, '', 0, out);
    const [root] = out;
    if (out.length !== 1 || root?.type !== 'result') {
      throw invalid(`the root must be one Agent.Result, and it is ${describe(out)}`);
    }
    const bytes = jsonBytes(root);
    if (bytes > this.#limits.maxDocumentBytes) {
      throw new AgentDocumentError(
        'document-bytes-exceeded',
        `a document of ${bytes} bytes, where ${this.#limits.maxDocumentBytes} are allowed`,
      );
    }
    return { root, pending: new Map(this.#pending), rejected: new Map(this.#rejected) };
  }

  #visit(value: unknown, path: string, depth: number, out: RawNode[]): void {
    if (value === null || value === undefined || typeof value === 'boolean') return;
    if (Array.isArray(value)) {
      value.forEach((child, index) => this.#visit(child, `${path}.${index}`, depth, out));
      return;
    }
    if (typeof value !== 'object') throw invalid(`bare ${typeof value} outside Agent.Text: ${excerpt(value)}`);
    if ('$$typeof' in value && value.$$typeof === LAZY) {
      this.#visit(this.#force(value), path, depth, out);
    } else if ('then' in value && typeof value.then === 'function') {
      this.#visit(this.#settled(value), path, depth, out);
    } else if ('type' in value && 'props' in value) {
      this.#element(value as unknown as Element, path, depth, out);
    } else {
      throw invalid('an object that is no element; put data into Agent.Json');
    }
  }

  /** The value behind a lazy node. Its initialiser throws what it waits for, or the error. */
  #force(lazy: object): unknown {
    const { _init: init, _payload: payload } = lazy as { _init: (payload: unknown) => unknown; _payload: unknown };
    try {
      return init(payload);
    } catch (thrown) {
      if (isThenable(thrown)) throw new Suspended(thrown);
      throw this.#restore(thrown);
    }
  }

  /** The value of a decoded promise, which carries its state. */
  #settled(promise: object): unknown {
    const { status, value, reason } = promise as { status?: string; value?: unknown; reason?: unknown };
    if (status === 'fulfilled') return value;
    if (status === 'rejected') throw this.#restore(reason);
    throw new Suspended(promise as PromiseLike<unknown>);
  }

  #element({ type, props }: Element, path: string, depth: number, out: RawNode[]): void {
    if (type === FRAGMENT) return this.#visit(props['children'], path, depth, out);
    if (type === SUSPENSE) return this.#boundary(props, path, depth, out);
    if (typeof type !== 'string') throw invalid(`${String(type)} is not an Agent element`);
    this.#count(depth + 1);
    out.push(type === 'agent-result' ? this.#result(props, path, depth + 1) : leaf(type, props));
  }

  #result(props: Element['props'], path: string, depth: number): RawResult {
    const children: RawNode[] = [];
    this.#visit(props['children'], path, depth, children);
    return { type: 'result', children, ...json(props, 'metadata'), ...json(props, 'value') };
  }

  #boundary(props: Element['props'], path: string, depth: number, out: RawNode[]): void {
    const id = `boundary${path === '' ? '.' : path}`;
    const before = { nodes: this.#nodes, pending: this.#pending.length, rejected: this.#rejected.length };
    const content: RawNode[] = [];
    try {
      this.#visit(props['children'], `${path}.c`, depth, content);
    } catch (thrown) {
      if (thrown instanceof AgentDocumentError) throw thrown;
      this.#rollBack(before);
      content.length = 0;
      if (thrown instanceof Suspended) {
        this.#visit(props['fallback'], `${path}.f`, depth, content);
        this.#pending.push([id, thrown.wait]);
      } else {
        const error = thrown as Error;
        this.#count(depth + 1);
        content.push({ type: 'error', code: 'boundary', message: error.message });
        this.#rejected.push([id, error]);
      }
    }
    out.push(...content);
  }

  /** Forgets what was counted since the given point: content that gave way to a fallback. */
  #rollBack({ nodes, pending, rejected }: { nodes: number; pending: number; rejected: number }): void {
    this.#nodes = nodes;
    this.#pending.length = pending;
    this.#rejected.length = rejected;
  }

  #count(depth: number): void {
    const { maxDepth, maxNodes } = this.#limits;
    if (depth > maxDepth) throw new AgentDocumentError('document-depth-exceeded', `nodes nest deeper than ${maxDepth}`);
    this.#nodes += 1;
    if (this.#nodes > maxNodes)
      throw new AgentDocumentError('document-node-count-exceeded', `more than ${maxNodes} nodes`);
  }
}

function leaf(type: string, props: Element['props']): RawNode {
  const text = (key: string) => props[key] as string;
  switch (type) {
    case 'agent-text':
      return { type: 'text', text: text('text') };
    case 'agent-markdown':
      return { type: 'markdown', text: text('text') };
    case 'agent-context':
      return { type: 'context', text: text('text') };
    case 'agent-json':
      return { type: 'json', value: parseFrozen(text('value')) };
    case 'agent-progress':
      return {
        type: 'progress',
        completed: props['completed'] as number,
        ...optional(props, 'message'),
        ...optional(props, 'total'),
      };
    case 'agent-image':
      return { type: 'image', data: text('data'), mimeType: text('mimeType') };
    case 'agent-audio':
      return { type: 'audio', data: text('data'), mimeType: text('mimeType') };
    case 'agent-resource':
      return { type: 'resource', name: text('name'), uri: text('uri'), ...optional(props, 'mimeType') };
    case 'agent-error':
      return { type: 'error', code: text('code'), message: text('message') };
    default:
      throw invalid(`<${type}> is not an Agent element; for prose, put HTML inside MarkdownContent`);
  }
}

function optional(props: Element['props'], key: string): Record<string, never> {
  return (props[key] === undefined ? {} : { [key]: props[key] }) as Record<string, never>;
}

function json(props: Element['props'], key: string): Record<string, JsonValue> {
  const text = props[key];
  return typeof text === 'string' ? { [key]: parseFrozen(text) } : {};
}

function parseFrozen(text: string): JsonValue {
  return JSON.parse(text, (_key, value: JsonValue) => Object.freeze(value)) as JsonValue;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function describe(nodes: readonly RawNode[]): string {
  if (nodes.length === 0) return 'empty';
  if (nodes.length > 1) return `${nodes.length} nodes`;
  return `a ${nodes[0]?.type} node`;
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function invalid(detail: string): AgentDocumentError {
  return new AgentDocumentError('invalid-document', detail);
}
