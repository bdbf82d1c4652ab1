import type {
  AgentHandle,
  AgentInvocation,
  AgentProviderLineage,
  AgentProviderObserved,
  AgentProviderObservedPluginRoot,
  AgentTerminal,
} from '@agent-bundle/runtime';
import type { ReactNode } from 'react';

export type {
  AgentLayoutRoute,
  AgentLayoutRouteKind,
  AgentProviderLineage,
  AgentProviderLineagePeer,
  AgentProviderLineageResolution,
  AgentProviderLineageSubagent,
  AgentProviderObserved,
  AgentProviderObservedPluginRoot,
  AgentTerminal,
  AgentTerminalColor,
  AgentTerminalStream,
  AgentTerminalStreamKind,
  AgentTerminalSurface,
} from '@agent-bundle/runtime';
export type * from './events.js';
export type * from './provider-state.js';
import type {
  AgentEventContext,
  AgentEventOutcome,
  AgentEventRouteConfig,
  AgentEventRouteProps,
  CanonicalAgentEvent,
} from './events.js';
import type { AgentProviderNoticesHandle, AgentProviderStateHandle } from './provider-state.js';

// ---- Schemas -------------------------------------------------------------------------------------------------------

/** What route types need of a schema: zod schemas have it. */
export interface RouteSchema<Output = unknown> {
  readonly _output: Output;
}
export type RouteSchemaOutput<Schema> = Schema extends RouteSchema<infer Output> ? Output : never;
/** The string keys of what a schema takes, else of what it gives, else any string. */
export type RouteSchemaInputKey<Schema> = Schema extends { readonly _input: infer Input }
  ? Extract<keyof Input, string>
  : Schema extends RouteSchema<infer Output>
    ? Extract<keyof Output, string>
    : string;

interface StandardSchema {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}
/** As `RouteSchemaOutput`, for any Standard Schema. */
type SchemaOutput<Schema> =
  Schema extends RouteSchema<infer Output>
    ? Output
    : Schema extends { readonly '~standard': { readonly types?: infer Types } }
      ? NonNullable<Types> extends { readonly output: infer Output }
        ? Output
        : unknown
      : unknown;

// ---- Configuration -------------------------------------------------------------------------------------------------

export interface RouteUiMeta {
  readonly resourceUri?: string;
  readonly [key: string]: unknown;
}
export interface RouteMeta {
  readonly ui?: RouteUiMeta;
  readonly [key: string]: unknown;
}
export interface RouteRenderConfig {
  /** Milliseconds, up to `MAX_ROUTE_RENDER_ELAPSED_MS`. */
  readonly maxElapsedMs?: number;
}
export type ToolTaskSupport = 'forbidden' | 'optional' | 'required';
export interface ToolExecutionConfig {
  readonly taskSupport?: ToolTaskSupport;
}

type InputScalar = 'boolean' | 'number' | 'string';
type InputProperty = { readonly description?: string; readonly default?: CliProjectionFlagDefault } & (
  | { readonly type: 'boolean' }
  | { readonly type: 'number' }
  | { readonly type: 'string'; readonly enum?: readonly string[] }
  | { readonly type: 'array'; readonly items: { readonly type: InputScalar; readonly enum?: readonly string[] } }
);
/** What command lines and forms know of a route's input without running it. */
export interface RouteInputSchema {
  readonly type: 'object';
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, InputProperty>>;
  readonly required?: readonly string[];
}

export interface ToolConfig {
  readonly _meta?: RouteMeta;
  readonly annotations?: Readonly<Record<string, boolean>>;
  readonly description?: string;
  /** Client name prefixes, without regard to case, that are not shown this tool. */
  readonly excludeClients?: readonly string[];
  readonly execution?: ToolExecutionConfig;
  readonly exitCode?: 'result';
  readonly inputJsonSchema?: RouteInputSchema;
  readonly render?: RouteRenderConfig;
  readonly title?: string;
}
export interface ResourceConfig {
  readonly uri: string;
  readonly _meta?: RouteMeta;
  readonly description?: string;
  readonly inputJsonSchema?: RouteInputSchema;
  readonly mimeType?: string;
  readonly render?: RouteRenderConfig;
  readonly title?: string;
}
export interface PromptConfig {
  readonly _meta?: RouteMeta;
  readonly description?: string;
  readonly inputJsonSchema?: RouteInputSchema;
  readonly render?: RouteRenderConfig;
  readonly title?: string;
}
export interface AppRouteConfig {
  readonly resourceUri: string;
  readonly _meta?: RouteMeta;
  readonly targets?: readonly string[];
  readonly template?: string;
}
export interface CliRouteConfig {
  readonly aliases?: readonly string[];
  readonly description?: string;
  readonly exitCode?: 'result';
  readonly input?: 'json';
  readonly inputJsonSchema?: RouteInputSchema;
  readonly positionals?: readonly string[];
  readonly render?: RouteRenderConfig;
}
export type CliProjectionFlagDefault = boolean | number | string | readonly (boolean | number | string)[];
export interface CliProjectionFlagConfig {
  readonly aliases?: readonly string[];
  readonly default?: CliProjectionFlagDefault;
  readonly description?: string;
  readonly name?: string;
  readonly required?: false;
}
export interface CliProjectionConfig<Schema = unknown> {
  readonly aliases?: readonly string[];
  readonly command?: readonly string[];
  readonly confirm?: boolean;
  readonly description?: string;
  readonly exitCode?: 'result' | 'zero';
  readonly flags?: Partial<Readonly<Record<RouteSchemaInputKey<Schema>, CliProjectionFlagConfig>>>;
  readonly input?: 'json';
  readonly positionals?: readonly RouteSchemaInputKey<Schema>[];
}

// ---- Props ---------------------------------------------------------------------------------------------------------

export interface ToolRouteProps<Schema> {
  readonly input: RouteSchemaOutput<Schema>;
  readonly signal: AbortSignal;
}
export interface CliRouteProps<Schema> {
  readonly input: RouteSchemaOutput<Schema>;
  readonly signal: AbortSignal;
}
export interface ScriptRouteProps {
  readonly argv: readonly string[];
  readonly signal: AbortSignal;
}
export interface ExecutableMainContext {
  readonly terminal: AgentTerminal;
}

// ---- Providers -----------------------------------------------------------------------------------------------------

export interface AgentProviderContext {
  readonly invocation: AgentProviderInvocation;
  readonly signal: AbortSignal;
  readonly host: AgentProviderObserved<{ readonly name: string }>;
  readonly session: AgentProviderObserved<{ readonly sessionId: string }>;
  readonly workspace: AgentProviderObserved<{ readonly root: string }>;
  readonly plugin: AgentProviderObservedPluginRoot;
  readonly lineage: AgentProviderObserved<AgentProviderLineage>;
  /** Only where the plugin defines state. */
  readonly state?: AgentProviderStateHandle<unknown>;
  readonly notices?: AgentProviderNoticesHandle;
}
export type AgentProviderInvocation = AgentInvocation;
export type AgentProviderFactory = (context: AgentProviderContext) => unknown | Promise<unknown>;

// ---- Helpers -------------------------------------------------------------------------------------------------------

export interface ToolDefinition<InputSchema = unknown, ResultSchema = unknown> {
  readonly inputSchema: InputSchema;
  readonly resultSchema: ResultSchema;
  readonly config: ToolConfig;
}

/**
 * Pairs a tool's metadata and schemas with its handler. The first argument is an object literal that the compiler reads;
 * the handler gets the parsed input and the request's handle.
 */
export function defineTool<
  const InputSchema extends RouteSchema | StandardSchema,
  const ResultSchema extends RouteSchema | StandardSchema,
>(
  options: ToolConfig & { readonly inputSchema: InputSchema; readonly resultSchema: ResultSchema },
  handler: (input: SchemaOutput<InputSchema>, context: AgentHandle) => ReactNode | Promise<ReactNode>,
): ToolDefinition<InputSchema, ResultSchema>;

export interface EventDefinition<Event extends CanonicalAgentEvent> {
  readonly event: Event;
  readonly config: AgentEventRouteConfig;
}
type MaybePromise<Value> = Value | Promise<Value>;
/**
 * A lightweight handler takes an `AgentEventContext` and decides; a rendered one takes `AgentEventRouteProps` and gives
 * elements. The file's extension says which of the two it is.
 */
type EventHelper<Event extends CanonicalAgentEvent> = (
  config: AgentEventRouteConfig,
  handler: (
    given: AgentEventContext<Event> & AgentEventRouteProps<Event>,
  ) => MaybePromise<AgentEventOutcome | ReactNode | void>,
) => EventDefinition<Event>;

/** One helper for each event: `events.tool.before`, `events.modelSwitch.after`, `events.stop`. */
export const events: {
  readonly session: { readonly start: EventHelper<'session/start'>; readonly end: EventHelper<'session/end'> };
  readonly prompt: { readonly submit: EventHelper<'prompt/submit'> };
  readonly tool: {
    readonly before: EventHelper<'tool/before'>;
    readonly after: EventHelper<'tool/after'>;
    readonly failure: EventHelper<'tool/failure'>;
  };
  readonly stop: EventHelper<'stop'> & { readonly failure: EventHelper<'stop/failure'> };
  readonly agent: {
    readonly start: EventHelper<'agent/start'>;
    readonly stop: EventHelper<'agent/stop'>;
    readonly idle: EventHelper<'agent/idle'>;
  };
  readonly workspace: { readonly open: EventHelper<'workspace/open'> };
  readonly compact: { readonly before: EventHelper<'compact/before'>; readonly after: EventHelper<'compact/after'> };
  readonly permission: {
    readonly request: EventHelper<'permission/request'>;
    readonly denied: EventHelper<'permission/denied'>;
  };
  readonly file: { readonly change: EventHelper<'file/change'> };
  readonly config: { readonly change: EventHelper<'config/change'> };
  readonly task: { readonly create: EventHelper<'task/create'>; readonly complete: EventHelper<'task/complete'> };
  readonly modelSwitch: {
    readonly before: EventHelper<'model-switch/before'>;
    readonly after: EventHelper<'model-switch/after'>;
  };
};

export const canonicalAgentEvents: readonly CanonicalAgentEvent[];

/** Stands for the `resourceUri` of an App; the compiler resolves it. */
export function appResourceUri(reference: string): string;

/** The longest render budget a route may ask for, in milliseconds: one day. */
export const MAX_ROUTE_RENDER_ELAPSED_MS: 86_400_000;
