import type { JsonObject, JsonValue } from './json.ts';

export interface AgentResultNode {
  readonly type: 'result';
  readonly children: readonly AgentNode[];
  readonly metadata?: JsonValue;
}
export interface AgentTextNode {
  readonly type: 'markdown' | 'text' | 'context';
  readonly text: string;
}
export interface AgentJsonNode {
  readonly type: 'json';
  readonly value: JsonValue;
}
export interface AgentProgressNode {
  readonly type: 'progress';
  readonly completed: number;
  readonly message?: string;
  readonly total?: number;
}
export interface AgentMediaNode {
  readonly type: 'image' | 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
export interface AgentResourceNode {
  readonly type: 'resource';
  readonly name: string;
  readonly uri: string;
  readonly mimeType?: string;
}
export interface AgentErrorNode {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
}
export type AgentNode =
  | AgentResultNode
  | AgentTextNode
  | AgentJsonNode
  | AgentProgressNode
  | AgentMediaNode
  | AgentResourceNode
  | AgentErrorNode;

export type AgentDocumentStatus = 'success' | 'represented-error' | 'failed';

/** What one render says, independent of the surface that shows it. Deeply frozen. */
export interface AgentDocument {
  readonly version: 1;
  readonly status: AgentDocumentStatus;
  readonly root: AgentResultNode;
  readonly value?: JsonValue;
}

/** A result before merging: containers and routes each may hold a value. */
export interface RawResult {
  readonly type: 'result';
  readonly children: readonly RawNode[];
  readonly metadata?: JsonValue;
  readonly value?: JsonValue;
}
export type RawNode = RawResult | Exclude<AgentNode, AgentResultNode>;

/** Merges nested results (layouts around a route) and seals the tree. */
export function sealDocument(raw: RawResult): AgentDocument {
  const merged = merge(raw);
  const root = seal(merged) as AgentResultNode;
  const status = hasError(root) ? 'represented-error' : 'success';
  return Object.freeze({ version: 1, status, root, ...(merged.value === undefined ? {} : { value: merged.value }) });
}

/**
 * A result without a value takes over its first valued child, once its own children are merged: the child's value, its
 * children in its place, and its metadata, over which the container's keys win.
 */
function merge(result: RawResult): RawResult {
  const children = result.children.map((child) => (child.type === 'result' ? merge(child) : child));
  if (result.value !== undefined) return { ...result, children };
  const index = children.findIndex((child) => child.type === 'result' && child.value !== undefined);
  const inner = children[index];
  if (inner?.type !== 'result') return { ...result, children };
  const metadata = mergeMetadata(result.metadata, inner.metadata);
  return {
    type: 'result',
    children: [...children.slice(0, index), ...inner.children, ...children.slice(index + 1)],
    value: inner.value,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function mergeMetadata(container: JsonValue | undefined, inner: JsonValue | undefined): JsonValue | undefined {
  if (container === undefined) return inner;
  return isObject(container) && isObject(inner) ? Object.freeze({ ...inner, ...container }) : container;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function seal(node: RawNode): AgentNode {
  if (node.type !== 'result') return Object.freeze(node);
  const children = Object.freeze(node.children.map(seal));
  return Object.freeze({
    type: 'result',
    children,
    ...(node.metadata === undefined ? {} : { metadata: node.metadata }),
  });
}

function hasError(node: AgentNode): boolean {
  return node.type === 'error' || (node.type === 'result' && node.children.some(hasError));
}

/** Every node of the tree below `node` that is not a result, in document order. */
export function* contentNodes(node: AgentResultNode): Generator<Exclude<AgentNode, AgentResultNode>> {
  for (const child of node.children) {
    if (child.type === 'result') yield* contentNodes(child);
    else yield child;
  }
}
