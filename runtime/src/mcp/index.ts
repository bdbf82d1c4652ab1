/** The MCP role: what generated and handwritten stdio servers run. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { GeneratedServer } from './routes.ts';
import { ServerTemplate } from './server.ts';
import { runShell } from './shell.ts';

export { bootStdio } from './boot.ts';
export { runStdioServer, serveFactory } from './factory.ts';
export { redirectConsoleToStderr } from './stdout.ts';

/** Serves the routes of one generated server over stdio. Exits with 1 when one of them cannot be served. */
export async function serveGenerated(definition: GeneratedServer): Promise<void> {
  await runShell({
    label: definition.server.name,
    prepare: () => {
      const template = new ServerTemplate(definition);
      return async (transport) => serveStdio(() => template.instantiate(), { transport });
    },
  });
}
