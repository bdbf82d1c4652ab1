import { Writable } from 'node:stream';

type Write = typeof process.stdout.write;

interface Redirection {
  readonly real: Write;
  readonly guard: Write;
}

let redirection: Redirection | undefined;

/**
 * Sends everything that code writes to stdout, through the console or directly, to stderr. Over stdio, stdout carries the
 * protocol, and one stray line breaks the session. Calling it again changes nothing.
 */
export function redirectConsoleToStderr(): void {
  redirect();
}

function redirect(): Redirection {
  if (redirection !== undefined) return redirection;
  const guard = process.stderr.write.bind(process.stderr) as Write;
  redirection = { real: process.stdout.write.bind(process.stdout) as Write, guard };
  process.stdout.write = guard;
  return redirection;
}

/**
 * The stream that the transport writes protocol lines to: the real stdout, which only it can reach. A wrapper that the
 * plugin's own code has put over stdout is removed with one line on stderr.
 */
export function protocolStdout(): Writable {
  const { real, guard } = redirect();
  if (process.stdout.write !== guard) {
    process.stderr.write(
      'agent-bundle: code of this plugin replaced process.stdout.write; the replacement is removed\n',
    );
    process.stdout.write = guard;
  }
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) => {
      if (typeof chunk === 'string') real(chunk, encoding, done);
      else real(chunk, done);
    },
  });
  process.stdout.on('error', (error) => stream.destroy(error));
  return stream;
}

/** Resolves when everything written to the real stdout has left the process; exiting earlier could cut an answer. */
export function flushStdout(): Promise<void> {
  return new Promise((resolve) => {
    redirect().real('', () => resolve());
  });
}
