import { asError } from '#core';

/** A server cannot start for a reason that its message explains; a stack would add nothing. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Reports why a server cannot start, and exits with 1. Faults that are not ours to explain come with their stack. */
export function failStart(label: string, error: unknown): never {
  const { message, stack } = asError(error);
  const report = error instanceof StartError ? message : (stack ?? message);
  process.stderr.write(`[${label}] cannot start: ${report}\n`);
  process.exit(1);
}
