declare module 'react-server-dom-parcel/client.edge' {
  /** Resolves with the root once its row has arrived; deeper parts may still be lazy. */
  export function createFromReadableStream(stream: ReadableStream<Uint8Array>): Promise<unknown>;
}

declare module 'react-server-dom-parcel/server.edge' {
  export interface RenderOptions {
    /** Returns the digest under which the decoder will see this error. */
    readonly onError?: (error: unknown) => string | undefined;
    readonly signal?: AbortSignal;
  }
  export function renderToReadableStream(model: unknown, options?: RenderOptions): ReadableStream<Uint8Array>;
}
