import { asError } from '#core';
import { failStart } from './start-error.ts';
import { flushStdout } from './stdout.ts';
import { ProcessTransport } from './transport.ts';

/** How long a shutdown may take before the process exits regardless. */
const SHUTDOWN_LIMIT_MS = 5_000;
/** The same once the transport has closed: nobody is left to answer, and hosts expect the process to be gone. */
const CLOSED_SHUTDOWN_LIMIT_MS = 250;
const HEARTBEAT_MS = 5 * 60_000;
const ACTIVITY_INTERVAL_MS = 60_000;

/** A server that has been connected to the transport. */
export interface ConnectedServer {
  close?(): Promise<void> | void;
}

export interface StdioShell {
  /** Names the server on stderr. */
  readonly label: string;
  /** Makes the server, before stdout is given to it. */
  readonly prepare: () => Connect | Promise<Connect>;
}

/** Connects the server to its transport. */
export type Connect = (transport: ProcessTransport) => Promise<ConnectedServer>;

/**
 * Runs one stdio server for the life of the process. It exits with 0 when stdin or the transport closes, 130 on SIGINT,
 * 143 on SIGTERM, and 1 when the server does not start. Reports go to stderr, under the label.
 */
export async function runShell({ label, prepare }: StdioShell): Promise<void> {
  const log = (message: string) => process.stderr.write(`[${label}] ${message}\n`);
  let server: ConnectedServer | undefined;
  let stopping = false;
  const stop = async (code: number, limit: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(code), limit);
    try {
      await server?.close?.();
    } catch (error) {
      log(`closing failed: ${asError(error).message}`);
    }
    await flushStdout();
    process.exit(code);
  };
  process.once('SIGINT', () => void stop(130, SHUTDOWN_LIMIT_MS));
  process.once('SIGTERM', () => void stop(143, SHUTDOWN_LIMIT_MS));
  // A host may stop listening to reports before it stops the server.
  process.stderr.on('error', () => {});
  try {
    const connect = await prepare();
    const transport = new ProcessTransport(() => void stop(0, CLOSED_SHUTDOWN_LIMIT_MS));
    server = await connect(transport);
    follow(transport, log);
  } catch (error) {
    failStart(label, error);
  }
}

/** Watches the traffic of the connected transport for the log, and for what is still to be answered. */
function follow(transport: ProcessTransport, log: (message: string) => void): void {
  const { onmessage } = transport;
  let messages = 0;
  let lastActivity = Number.NEGATIVE_INFINITY;
  transport.onmessage = (message) => {
    transport.received(message);
    messages += 1;
    const now = performance.now();
    if (now - lastActivity >= ACTIVITY_INTERVAL_MS && 'method' in message) {
      lastActivity = now;
      log(message.method);
    }
    onmessage?.(message);
  };
  setInterval(() => log(`alive, ${messages} messages received`), HEARTBEAT_MS).unref();
}
