import {
  type AgentHandle,
  type JsonObject,
  type LayoutComponent,
  type ProviderEntry,
  type ToolDefinition,
  isToolDefinition,
} from '#core';
import { type RouteSchema, acceptsNothing, describeSchema, describesObject, isRouteSchema } from './schema.ts';
import { StartError } from './start-error.ts';

export type McpRouteKind = 'tool' | 'resource' | 'prompt';

/** The namespace of an author's module. */
export type ModuleNamespace = Readonly<Record<string, unknown>>;

/** What the compiler writes into a generated entry module for each route. */
export interface RouteEntry {
  readonly kind: McpRouteKind;
  readonly id: string;
  readonly name: string;
  readonly config: RouteConfig;
  readonly module: ModuleNamespace;
}

/** The static metadata of a route, as the compiler read it from the source. */
export interface RouteConfig {
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: JsonObject;
  readonly icons?: readonly JsonObject[];
  readonly execution?: JsonObject;
  readonly excludeClients?: readonly string[];
  readonly mimeType?: string;
  readonly render?: { readonly maxElapsedMs?: number };
  readonly uri?: string;
  readonly _meta?: JsonObject;
}

export interface LayoutEntry {
  readonly id: string;
  readonly scope: 'root' | 'server';
  readonly module: ModuleNamespace;
}

/** The one argument of `serveGenerated`. */
export interface GeneratedServer {
  readonly plugin: {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
  };
  readonly server: { readonly id: string; readonly name: string };
  readonly layouts: readonly LayoutEntry[];
  readonly providers: readonly ProviderEntry[];
  readonly routes: readonly RouteEntry[];
}

/** A route whose module has been checked. */
export interface LoadedRoute extends Omit<RouteEntry, 'module'> {
  readonly inputSchema: RouteSchema;
  readonly resultSchema: RouteSchema;
  readonly call: (input: unknown, handle: AgentHandle) => ReturnType<LayoutComponent>;
  /** Projected JSON Schema of the input. */
  readonly listedInput: Record<string, unknown>;
  /** Projected JSON Schema of the result; only tools whose result is an object have one. */
  readonly listedOutput?: Record<string, unknown>;
}

/** Checks one route's module. Raises a `StartError`. */
export function loadRoute({ module, ...entry }: RouteEntry): LoadedRoute {
  const exported = module['default'];
  const isDefinition = entry.kind === 'tool' && isToolDefinition(exported);
  const parts = isDefinition ? fromDefinition(entry, exported) : fromExports(entry, module);
  const listedInput = listInput(entry, parts.inputSchema);
  const listedOutput = entry.kind === 'tool' ? listOutput(entry, parts.resultSchema) : undefined;
  return { ...entry, ...parts, listedInput, listedOutput };
}

type RouteIdentity = Omit<RouteEntry, 'module'>;
type RouteParts = Pick<LoadedRoute, 'inputSchema' | 'resultSchema' | 'call'>;

function fromDefinition(route: RouteIdentity, { inputSchema, resultSchema, handler }: ToolDefinition): RouteParts {
  if (typeof handler !== 'function') {
    throw refuse(route, `the second argument of defineTool must be a function, and it is ${kindOf(handler)}`);
  }
  return {
    inputSchema: checkSchema(route, 'inputSchema', inputSchema),
    resultSchema: checkSchema(route, 'resultSchema', resultSchema),
    call: (input, handle) => handler(input, handle) as ReturnType<LayoutComponent>,
  };
}

function fromExports(route: RouteIdentity, module: ModuleNamespace): RouteParts {
  const { default: component, inputSchema, resultSchema } = module;
  if (typeof component !== 'function') {
    const form = route.kind === 'tool' ? 'defineTool({ … }, handler) or a component' : 'a component';
    throw refuse(route, `the default export must be ${form}, and it is ${kindOf(component)}`);
  }
  return {
    inputSchema: checkSchema(route, 'inputSchema', inputSchema),
    resultSchema: checkSchema(route, 'resultSchema', resultSchema),
    call: (input, { signal }) => component({ input, signal }) as ReturnType<LayoutComponent>,
  };
}

function checkSchema(route: RouteIdentity, name: string, value: unknown): RouteSchema {
  if (isRouteSchema(value)) return value;
  throw refuse(
    route,
    `${name} must be a schema with a parse method or the Standard Schema interface, and it is ${kindOf(value)}`,
  );
}

function listInput(route: RouteIdentity, schema: RouteSchema): Record<string, unknown> {
  let listed: Record<string, unknown>;
  try {
    listed = describeSchema(schema, 'input');
  } catch (error) {
    throw refuse(route, `inputSchema cannot be listed: ${(error as Error).message}`);
  }
  if (listed['type'] === 'object') return listed;
  throw refuse(
    route,
    'inputSchema must describe one object (its JSON Schema has no "type": "object" at the root); wrap unions inside an object',
  );
}

/** A result that JSON Schema cannot describe is served without an output schema, which stderr is told. */
function listOutput({ id }: RouteIdentity, schema: RouteSchema): Record<string, unknown> | undefined {
  // A tool that only speaks text has no value, so there is nothing to describe.
  if (acceptsNothing(schema)) return undefined;
  let listed: Record<string, unknown>;
  try {
    listed = describeSchema(schema, 'output');
  } catch (error) {
    process.stderr.write(`${id}: its results are listed without a schema: ${(error as Error).message}\n`);
    return undefined;
  }
  // Hosts want the type spelled out, where a union of objects leaves it to its members.
  return describesObject(listed) ? { ...listed, type: 'object' } : undefined;
}

/** The component of a layout module. Raises a `StartError`. */
export function loadLayout({ id, module }: LayoutEntry): LayoutComponent {
  const component = module['default'];
  if (typeof component === 'function') return component as LayoutComponent;
  throw new StartError(`${id}: the default export must be a component, and it is ${kindOf(component)}`);
}

function refuse({ id }: RouteIdentity, detail: string): StartError {
  return new StartError(`${id}: ${detail}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}
