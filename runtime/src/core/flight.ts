import { decodeTree } from '#decoder';
import { renderToReadableStream } from 'react-server-dom-parcel/server.edge';
import type { ReactNode } from 'react';
import { asError } from './errors.ts';

export interface DecodedNode {
  /** Elements whose components have all been called; deeper parts may still be lazy. */
  readonly tree: unknown;
  /** The error that the author threw, for the redacted one that reading the tree raises. */
  readonly restore: (error: unknown) => Error;
}

/** Renders `node` with React's server renderer and decodes it at once. Rejects with what the root threw. */
export async function decodeNode(node: ReactNode, signal?: AbortSignal): Promise<DecodedNode> {
  const thrown = new Map<string, Error>();
  const stream = renderToReadableStream(node, {
    signal,
    onError(error) {
      const digest = String(thrown.size);
      thrown.set(digest, asError(error));
      return digest;
    },
  });
  const restore = (error: unknown): Error => {
    const digest = (error as { digest?: unknown } | null)?.digest;
    return (typeof digest === 'string' ? thrown.get(digest) : undefined) ?? asError(error);
  };
  try {
    return { tree: await decodeTree(stream), restore };
  } catch (error) {
    throw restore(error);
  }
}
