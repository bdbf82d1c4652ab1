import { type JSONRPCMessage, isJSONRPCRequest } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { protocolStdout } from './stdout.ts';

/** How long requests that came before the end of stdin may still take. Hosts expect the process gone within a second. */
const DRAIN_LIMIT_MS = 500;

/**
 * The SDK's transport over this process's stdin and real stdout. When stdin ends it answers what it has read before it
 * closes, so that requests may be piped in.
 */
export class ProcessTransport extends StdioServerTransport {
  readonly #onClosed: () => void;
  readonly #unanswered = new Set<string | number>();
  #onIdle: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(onClosed: () => void) {
    super(process.stdin, protocolStdout());
    this.#onClosed = onClosed;
  }

  /** Takes note of a message on its way to the server. */
  received(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#settle((message.params as { requestId?: string | number } | undefined)?.requestId);
    }
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message)) this.#settle(message.id);
  }

  override close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    if (process.stdin.readableEnded && this.#unanswered.size > 0) await this.#idle();
    await super.close();
    this.#onClosed();
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      setTimeout(resolve, DRAIN_LIMIT_MS);
    });
  }

  #settle(id: string | number | undefined): void {
    if (id !== undefined) this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onIdle();
  }
}
