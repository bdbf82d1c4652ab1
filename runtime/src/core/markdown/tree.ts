import type { DecodedNode } from '../flight.ts';

export type MarkdownProps = Readonly<Record<string, unknown>>;

export interface MarkdownElement {
  readonly tag: string;
  readonly props: MarkdownProps;
  readonly children: readonly MarkdownNode[];
}
/** Text, or an element with its children resolved. */
export type MarkdownNode = string | MarkdownElement;

const FRAGMENT = Symbol.for('react.fragment');
const SUSPENSE = Symbol.for('react.suspense');
const LAZY = Symbol.for('react.lazy');

/** True for tags that stand for their children: none of ours, and not overridden. */
export type IsTransparent = (tag: string) => boolean;

/**
 * The nodes of a decoded tree in document order, each one complete, waiting for what has not arrived. Fragments,
 * boundaries and transparent elements give way to their children. Raises what the author threw.
 */
export async function* resolvedNodes(
  value: unknown,
  restore: DecodedNode['restore'],
  isTransparent: IsTransparent,
): AsyncGenerator<MarkdownNode> {
  if (value === null || value === undefined || typeof value === 'boolean') return;
  if (typeof value !== 'object') {
    yield String(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const child of value) yield* resolvedNodes(child, restore, isTransparent);
    return;
  }
  const { $$typeof, type, props } = value as { $$typeof?: unknown; type?: unknown; props?: MarkdownProps };
  if ($$typeof === LAZY || 'then' in value) {
    yield* resolvedNodes(await arrival(value, restore), restore, isTransparent);
  } else if (type === FRAGMENT || type === SUSPENSE || (typeof type === 'string' && isTransparent(type))) {
    yield* resolvedNodes(props?.['children'], restore, isTransparent);
  } else if (typeof type === 'string' && props !== undefined) {
    const children: MarkdownNode[] = [];
    for await (const child of resolvedNodes(props['children'], restore, isTransparent)) append(children, child);
    yield { tag: type, props, children };
  }
}

/** Appends, joining neighbouring texts: escaping looks at what stands beside a character. */
export function append(nodes: MarkdownNode[], node: MarkdownNode): void {
  const last = nodes.at(-1);
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node;
  else nodes.push(node);
}

async function arrival(value: object, restore: DecodedNode['restore']): Promise<unknown> {
  const { _init: init, _payload: payload } = value as { _init?: (payload: unknown) => unknown; _payload?: unknown };
  try {
    return await (init === undefined ? value : force(init, payload));
  } catch (error) {
    throw restore(error);
  }
}

/** A lazy value's initialiser throws the promise that it waits for. */
async function force(init: (payload: unknown) => unknown, payload: unknown): Promise<unknown> {
  for (;;) {
    try {
      return init(payload);
    } catch (thrown) {
      if (typeof thrown !== 'object' || thrown === null || !('then' in thrown)) throw thrown;
      await thrown;
    }
  }
}

/** The text of a subtree as it stands; `br` is a newline. */
export function rawText(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => (typeof node === 'string' ? node : node.tag === 'br' ? '\n' : rawText(node.children)))
    .join('');
}
