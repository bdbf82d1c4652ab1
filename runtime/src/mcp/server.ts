import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type LayoutComponent, asError, isJsonObject } from '#core';
import { type ClientIdentity, RouteRunner } from './invoke.ts';
import { listPrompt, listResource, listTool } from './listing.ts';
import { type McpToolResult, toErrorResult, toToolResult } from './lower.ts';
import { type GeneratedServer, type LoadedRoute, type McpRouteKind, loadLayout, loadRoute } from './routes.ts';
import { SchemaError } from './schema.ts';

/** A generated server whose modules have all been checked; it makes one protocol instance for each connection. */
export class ServerTemplate {
  readonly #definition: GeneratedServer;
  readonly #routes: readonly LoadedRoute[];
  readonly #runner: RouteRunner;

  /** Raises a `StartError` for the first module that cannot be served. */
  constructor(definition: GeneratedServer) {
    const layouts: LayoutComponent[] = definition.layouts.map(loadLayout);
    this.#definition = definition;
    this.#routes = definition.routes.map(loadRoute);
    this.#runner = new RouteRunner(definition, layouts);
  }

  instantiate(): Server {
    const { plugin, server: identity } = this.#definition;
    const { version, description } = plugin;
    const title = plugin.title;
    const kinds = new Set(this.#routes.map(({ kind }) => kind));
    const server = new Server(
      {
        name: identity.name,
        version,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
      },
      {
        capabilities: {
          ...(kinds.has('tool') ? { tools: {} } : {}),
          ...(kinds.has('resource') ? { resources: {} } : {}),
          ...(kinds.has('prompt') ? { prompts: {} } : {}),
        },
      },
    );
    if (kinds.has('tool')) this.#serveTools(server);
    if (kinds.has('resource')) this.#serveResources(server);
    if (kinds.has('prompt')) this.#servePrompts(server);
    return server;
  }

  #ofKind(kind: McpRouteKind): LoadedRoute[] {
    return this.#routes.filter((route) => route.kind === kind);
  }

  #serveTools(server: Server): void {
    const tools = this.#ofKind('tool');
    server.setRequestHandler('tools/list', (_request, context) => ({
      tools: tools.filter((tool) => isVisible(tool, clientOf(server, context))).map(listTool),
    }));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const client = clientOf(server, context);
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined || !isVisible(tool, client)) throw unknown('tool', params.name);
      return (await this.#callTool(tool, params.arguments ?? {}, client, context)) as never;
    });
  }

  /** Whatever goes wrong in the author's code is the tool's answer; the session goes on. */
  async #callTool(
    tool: LoadedRoute,
    input: unknown,
    client: ClientIdentity,
    context: ServerContext,
  ): Promise<McpToolResult> {
    try {
      const { document, value } = await this.#runner.run(tool, input, client, context);
      return toToolResult(document, value, richContent(client.protocolRevision));
    } catch (error) {
      return toErrorResult(asError(error));
    }
  }

  #serveResources(server: Server): void {
    const resources = this.#ofKind('resource');
    server.setRequestHandler('resources/list', () => ({ resources: resources.map(listResource) }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
      const resource = resources.find(({ config }) => config.uri === uri);
      if (resource === undefined) throw new ResourceNotFoundError(uri);
      return (await this.#answer(resource, { uri }, 'contents', server, context)) as never;
    });
  }

  #servePrompts(server: Server): void {
    const prompts = this.#ofKind('prompt');
    server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(listPrompt) }));
    server.setRequestHandler('prompts/get', async ({ params }, context) => {
      const prompt = prompts.find(({ name }) => name === params.name);
      if (prompt === undefined) throw unknown('prompt', params.name);
      return (await this.#answer(prompt, params.arguments ?? {}, 'messages', server, context)) as never;
    });
  }

  /** Resources and prompts answer with their value itself, which must hold the list that the protocol asks for. */
  async #answer(
    route: LoadedRoute,
    input: unknown,
    list: 'contents' | 'messages',
    server: Server,
    context: ServerContext,
  ): Promise<unknown> {
    const { value } = await this.#runner.run(route, input, clientOf(server, context), context).catch(blameInput);
    if (isJsonObject(value) && Array.isArray(value[list])) return value;
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `${route.id}: the value of its Agent.Result must be an object with a "${list}" array`,
    );
  }
}

/** The client of one request: told with each request by the newest protocol, once at the start by the others. */
function clientOf(server: Server, { mcpReq }: ServerContext): ClientIdentity {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = (envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as { name?: unknown } | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  return {
    name: typeof info?.name === 'string' && info.name !== '' ? info.name : undefined,
    capabilities: isJsonObject(capabilities) ? capabilities : undefined,
    protocolRevision: server.getNegotiatedProtocolVersion(),
  };
}

/** Presentation, not protection: a client whose name starts with an excluded one does not see the tool. */
function isVisible({ config }: LoadedRoute, { name }: ClientIdentity): boolean {
  const client = name?.toLowerCase();
  return client === undefined || !config.excludeClients?.some((prefix) => client.startsWith(prefix.toLowerCase()));
}

/** To the protocol, an input that its schema refuses is the caller's fault, unlike everything else. */
function blameInput(error: unknown): never {
  if (error instanceof SchemaError && error.side === 'input') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
  throw error;
}

function richContent(revision: string | undefined) {
  return {
    audio: revision === undefined || revision >= '2025-03-26',
    resourceLink: revision === undefined || revision >= '2025-06-18',
  };
}

function unknown(kind: 'tool' | 'prompt', name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind}: ${name}`);
}
