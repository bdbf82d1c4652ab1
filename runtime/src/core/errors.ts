/** Why a document could not be produced, in the order of the limits and rules that raise it. */
export type AgentDocumentErrorCode =
  | 'document-bytes-exceeded'
  | 'document-depth-exceeded'
  | 'document-node-count-exceeded'
  | 'elapsed-time-exceeded'
  | 'event-count-exceeded'
  | 'event-rate-exceeded'
  | 'event-bytes-exceeded'
  | 'invalid-document'
  | 'handoff-required';

/** A render broke a rule of the Agent Document; it always fails the whole render, also inside a Suspense boundary. */
export class AgentDocumentError extends Error {
  override readonly name = 'AgentDocumentError';
  readonly code: AgentDocumentErrorCode;

  constructor(code: AgentDocumentErrorCode, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
  }
}

/** Why the request handle could not be given, or could not answer. */
export type AgentRequestErrorCode =
  'outside-invocation' | 'request-closed' | 'store-version-conflict' | 'provider-missing' | 'provider-invalid';

export class AgentRequestError extends Error {
  override readonly name = 'AgentRequestError';
  readonly code: AgentRequestErrorCode;

  constructor(code: AgentRequestErrorCode, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
  }
}

/** The error every aborted render rejects with. */
export function abortError(): Error {
  return new DOMException('The request was aborted.', 'AbortError');
}

/** `Error` instances as they are; anything else a program may throw, as an error with its text. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
