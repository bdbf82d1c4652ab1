import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { ModuleNamespace } from './routes.ts';
import { type ConnectedServer, runShell } from './shell.ts';
import { StartError, failStart } from './start-error.ts';
import { redirectConsoleToStderr } from './stdout.ts';

/** What a handwritten server must be: any generation of the MCP SDK has it. */
export interface ConnectableServer extends ConnectedServer {
  connect(transport: StdioServerTransport): Promise<void>;
}

export type ServerFactory = () => ConnectableServer | Promise<ConnectableServer>;

export interface FactoryServer {
  /** Names the server on stderr. */
  readonly label: string;
  /** The namespace of the author's entry; its default export, or a CommonJS `module.exports`, is the factory. */
  readonly module: ModuleNamespace;
}

/** Serves a handwritten entry over stdio. Exits with 1 when it has no factory, or when the factory fails. */
export async function serveFactory({ label, module }: FactoryServer): Promise<void> {
  const factory = module['default'];
  if (typeof factory !== 'function') {
    failStart(
      label,
      new StartError(
        'the entry must export, by default, a function that returns the server; it must not connect itself',
      ),
    );
  }
  await runStdioServer(factory as ServerFactory, { label });
}

/** Calls the factory and connects what it returns to the real stdin and stdout, for the life of the process. */
export async function runStdioServer(
  factory: ServerFactory,
  { label = 'mcp' }: { readonly label?: string } = {},
): Promise<void> {
  redirectConsoleToStderr();
  await runShell({
    label,
    prepare: async () => {
      const server = await factory();
      if (typeof (server as Partial<ConnectableServer> | undefined)?.connect !== 'function') {
        throw new StartError('the factory must return a server with a connect(transport) method');
      }
      return async (transport) => {
        await server.connect(transport);
        return server;
      };
    },
  });
}
