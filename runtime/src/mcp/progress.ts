import type { AgentRenderEvent } from '#core';
import { type AgentProgressReport, contentNodes } from '#core';

const MAX_MESSAGE = 200;

export interface ProgressParams {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * Turns what a render says about its progress into notifications, from explicit reports and from progress nodes alike.
 * The protocol wants a rising number, so only what exceeds everything sent before is sent.
 */
export class ProgressFeed {
  #last = Number.NEGATIVE_INFINITY;
  #sent: Promise<unknown> = Promise.resolve();
  readonly #send: (params: ProgressParams) => Promise<void>;

  constructor(send: (params: ProgressParams) => Promise<void>) {
    this.#send = send;
  }

  readonly onEvent = (event: AgentRenderEvent): void => {
    if (event.type === 'progress') this.#offer(event);
    if (event.type !== 'shell' && event.type !== 'replace') return;
    for (const node of contentNodes(event.document.root)) {
      if (node.type === 'progress') this.#offer(node);
    }
  };

  /** Resolves when every notification is with the transport, so that none comes after the answer. */
  async flush(): Promise<void> {
    await this.#sent;
  }

  #offer({ completed, total, message }: AgentProgressReport): void {
    if (completed === undefined || !(completed > this.#last)) return;
    this.#last = completed;
    const text = message === undefined ? '' : shorten(message.trim());
    const params = {
      progress: completed,
      ...(total === undefined ? {} : { total }),
      ...(text === '' ? {} : { message: text }),
    };
    // A client that has gone away ends the request by other means.
    this.#sent = this.#sent.then(() => this.#send(params)).catch(() => {});
  }
}

function shorten(text: string): string {
  if (text.length <= MAX_MESSAGE) return text;
  // Half a surrogate pair at the cut would be no character.
  return `${text.slice(0, MAX_MESSAGE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
