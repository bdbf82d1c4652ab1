/** A server of any MCP SDK generation. `connect` takes the transport that the process shell owns. */
export interface ConnectableServer {
  connect(transport: any): Promise<void>;
  close?(): Promise<void> | void;
}

/** Sends console output and direct writes to stdout to stderr, so that stdout carries the protocol alone. */
export function redirectConsoleToStderr(): void;

/**
 * Serves what `factory` returns over stdio until stdin closes or a signal arrives. `label` names the server in what the
 * shell reports on stderr.
 */
export function runStdioServer(
  factory: () => ConnectableServer | Promise<ConnectableServer>,
  options?: { readonly label?: string },
): Promise<void>;
