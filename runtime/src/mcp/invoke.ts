import { randomUUID } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import {
  type AgentDocument,
  type AgentRequestFacts,
  type JsonObject,
  type LayoutComponent,
  absentTerminal,
  available,
  renderRoute,
  resolvePluginRoot,
  unavailable,
  workspaceFromCwd,
} from '#core';
import { ProgressFeed } from './progress.ts';
import type { GeneratedServer, LoadedRoute } from './routes.ts';
import { parseWith } from './schema.ts';

/** Who asks, as far as the protocol tells. */
export interface ClientIdentity {
  readonly name: string | undefined;
  readonly capabilities: JsonObject | undefined;
  readonly protocolRevision: string | undefined;
}

export interface RouteResult {
  readonly document: AgentDocument;
  /** The document's value as the result schema gave it back. */
  readonly value: unknown;
}

/** Runs routes as MCP requests: parses the input, renders, reports progress, parses the result. */
export class RouteRunner {
  readonly #definition: GeneratedServer;
  readonly #layouts: readonly LayoutComponent[];

  constructor(definition: GeneratedServer, layouts: readonly LayoutComponent[]) {
    this.#definition = definition;
    this.#layouts = layouts;
  }

  /** Rejects with what went wrong: a `SchemaError`, what the author's code threw, or a broken document. */
  async run(route: LoadedRoute, raw: unknown, client: ClientIdentity, context: ServerContext): Promise<RouteResult> {
    const input = await parseWith(route.inputSchema, raw, { side: 'input', route: route.name });
    const { id, kind, name, config } = route;
    const progress = progressFeed(context);
    const document = await renderRoute({
      route: { id, kind, name, serverId: this.#definition.server.id },
      layouts: this.#layouts,
      call: (handle) => route.call(input, handle),
      facts: requestFacts(id, client, context),
      providers: this.#definition.providers,
      signal: context.mcpReq.signal,
      limits: config.render,
      onEvent: progress?.onEvent,
    });
    await progress?.flush();
    return { document, value: await parseWith(route.resultSchema, document.value, { side: 'output', route: name }) };
  }
}

function progressFeed({ mcpReq }: ServerContext): ProgressFeed | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new ProgressFeed((params) =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...params } }),
  );
}

function requestFacts(
  operationId: string,
  client: ClientIdentity,
  { sessionId, http }: ServerContext,
): AgentRequestFacts {
  const { name, capabilities, protocolRevision } = client;
  const actorId = http?.authInfo?.clientId;
  return {
    invocation: Object.freeze({
      id: randomUUID(),
      kind: 'tool',
      startedAt: new Date().toISOString(),
      operationId,
      surface: 'mcp',
      ...(protocolRevision === undefined ? {} : { protocolRevision }),
    }),
    host: name === undefined ? unavailable('host-omitted') : available('native', { name }),
    session: sessionId === undefined ? unavailable('not-provided') : available('native', { sessionId }),
    actor: actorId === undefined ? unavailable('unauthenticated') : available('native', { id: actorId }),
    workspace: workspaceFromCwd(),
    plugin: resolvePluginRoot(),
    lineage: unavailable('no-shared-runtime'),
    terminal: available('derived', absentTerminal('mcp')),
    capabilities: capabilities === undefined ? unavailable('not-provided') : available('native', capabilities),
  };
}
