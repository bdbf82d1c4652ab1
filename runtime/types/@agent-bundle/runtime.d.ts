import type { ReactNode } from 'react';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Augmented by the generated route types of a project. */
export interface Register {}
/** Augmented by the generated provider types of a project: key to value. */
export interface AgentProviderValues {}

// ---- Elements ------------------------------------------------------------------------------------------------------

/** What routes render. The root is always `Agent.Result`. */
export const Agent: {
  readonly Result: (props: {
    readonly metadata?: unknown;
    readonly value?: unknown;
    readonly children?: ReactNode;
  }) => ReactNode;
  readonly Text: (props: { readonly children: string }) => ReactNode;
  readonly Markdown: (props: { readonly children: string }) => ReactNode;
  /** Text meant for the model's context. */
  readonly Context: (props: { readonly children: string }) => ReactNode;
  readonly Json: (props: { readonly value: unknown }) => ReactNode;
  readonly Progress: (props: {
    readonly completed: number;
    readonly message?: string;
    readonly total?: number;
  }) => ReactNode;
  /** `data` is Base64. */
  readonly Image: (props: { readonly data: string; readonly mimeType: string }) => ReactNode;
  readonly Audio: (props: { readonly data: string; readonly mimeType: string }) => ReactNode;
  readonly Resource: (props: { readonly uri: string; readonly name: string; readonly mimeType?: string }) => ReactNode;
  readonly Error: (props: { readonly code: string; readonly children: string }) => ReactNode;
};

/** Overrides or adds the Markdown of one HTML tag. An empty string or null emits nothing. */
export type MarkdownComponent = (
  props: Readonly<Record<string, unknown>>,
  rendered: { readonly inline: string; readonly blocks: string },
) => string | null | undefined;
export type MarkdownComponents = Readonly<Record<string, MarkdownComponent>>;

/** Renders HTML-like children to one GitHub-flavoured Markdown block. */
export function MarkdownContent(props: {
  readonly children?: ReactNode;
  readonly components?: MarkdownComponents;
}): Promise<ReactNode>;
export function renderToMarkdown(
  children: ReactNode,
  options?: { readonly components?: MarkdownComponents },
): Promise<string>;
/** UTF-8, block by block in document order. */
export function renderToMarkdownStream(
  children: ReactNode,
  options?: { readonly components?: MarkdownComponents },
): ReadableStream<Uint8Array>;

// ---- Documents -----------------------------------------------------------------------------------------------------

export interface AgentResultNode {
  readonly type: 'result';
  readonly children: readonly AgentNode[];
  readonly metadata?: JsonValue;
}
export interface AgentTextNode {
  readonly type: 'markdown' | 'text' | 'context';
  readonly text: string;
}
export interface AgentJsonNode {
  readonly type: 'json';
  readonly value: JsonValue;
}
export interface AgentProgressNode {
  readonly type: 'progress';
  readonly completed: number;
  readonly message?: string;
  readonly total?: number;
}
export interface AgentMediaNode {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}
export interface AgentResourceNode {
  readonly type: 'resource';
  readonly name: string;
  readonly uri: string;
  readonly mimeType?: string;
}
export interface AgentErrorNode {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
}
export type AgentNode =
  | AgentResultNode
  | AgentTextNode
  | AgentJsonNode
  | AgentProgressNode
  | AgentMediaNode
  | AgentResourceNode
  | AgentErrorNode;

export interface AgentDocument {
  readonly version: 1;
  readonly status: 'success' | 'represented-error' | 'failed';
  readonly root: AgentResultNode;
  readonly value?: JsonValue;
}

export interface AgentRenderLimits {
  readonly maxDocumentBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxElapsedMs: number;
  readonly maxEvents: number;
  readonly maxEventsPerSecond: number;
  readonly maxEventBytes: number;
}
export const DEFAULT_AGENT_RENDER_LIMITS: AgentRenderLimits;

export interface AgentProgressReport {
  readonly message?: string;
  readonly completed?: number;
  readonly total?: number;
}

export type AgentRenderEvent = { readonly sequence: number } & (
  | { readonly type: 'shell' | 'complete'; readonly document: AgentDocument }
  | ({ readonly type: 'progress' } & AgentProgressReport)
  | { readonly type: 'replace'; readonly boundaryId: string; readonly document: AgentDocument }
  | {
      readonly type: 'error';
      readonly boundaryId?: string;
      readonly error: { readonly code: string; readonly message: string };
    }
);

// ---- The request ---------------------------------------------------------------------------------------------------

/** A fact that a host may or may not give; `reason` says why it did not. */
export type AgentProviderObserved<Value> =
  | { readonly state: 'available'; readonly source: 'native' | 'receipt' | 'derived'; readonly value: Value }
  | { readonly state: 'unavailable'; readonly reason: string };

export interface AgentInvocation {
  readonly id: string;
  readonly kind: 'tool' | 'event' | 'cli' | 'script' | 'workbench';
  readonly startedAt: string;
  readonly operationId?: string;
  readonly surface?: string;
  readonly artifactEpoch?: string;
  readonly hostContractRevision?: string;
  readonly protocolRevision?: string;
  readonly sourceRevision?: string;
}

export interface AgentPluginRoots {
  readonly root: string;
  readonly stateRoot: string;
}
export type AgentProviderObservedPluginRoot = AgentProviderObserved<AgentPluginRoots>;

export type AgentTerminalSurface = 'cli' | 'mcp' | 'hook' | 'script' | 'workbench';
export type AgentTerminalStreamKind = 'tty' | 'pipe' | 'none';
export type AgentTerminalColor = 'none' | 'basic' | '256' | 'truecolor';
export interface AgentTerminalStream {
  readonly kind: AgentTerminalStreamKind;
  readonly color: AgentTerminalColor;
  readonly columns?: number;
  readonly rows?: number;
}
export interface AgentTerminal {
  readonly hostSurface: AgentTerminalSurface;
  readonly stdout: AgentTerminalStream;
  readonly stderr: AgentTerminalStream;
  readonly sharesTarget: boolean;
}

export type AgentProviderLineageResolution = 'native' | 'registry' | 'confirmed' | 'transcript' | 'inferred';
export interface AgentProviderLineageSubagent {
  readonly id: string;
  readonly isParallelWorker?: boolean;
  readonly toolCallId?: string;
  readonly type?: string;
}
export interface AgentProviderLineagePeer {
  readonly conversation: string;
  readonly depth: number;
  readonly parent?: string;
  readonly resolution: AgentProviderLineageResolution;
  readonly startedAt: string;
  readonly subagent?: AgentProviderLineageSubagent;
}
export interface AgentProviderLineage {
  readonly conversation: string;
  readonly depth: number;
  readonly generation?: string;
  readonly parent?: string;
  readonly resolution: AgentProviderLineageResolution;
  readonly root: string;
  readonly subagent?: AgentProviderLineageSubagent;
  readonly tree?: {
    readonly children: readonly AgentProviderLineagePeer[];
    readonly roots: readonly AgentProviderLineagePeer[];
    readonly siblings: readonly AgentProviderLineagePeer[];
  };
}

/** The handle of one request. It answers until the request has been answered, and raises `request-closed` afterwards. */
export interface AgentHandle {
  readonly invocation: AgentInvocation;
  readonly host: AgentProviderObserved<{ readonly name: string }>;
  readonly session: AgentProviderObserved<{ readonly sessionId: string }>;
  readonly actor: AgentProviderObserved<{ readonly id: string }>;
  readonly workspace: AgentProviderObserved<{ readonly root: string }>;
  readonly plugin: AgentProviderObservedPluginRoot;
  readonly lineage: AgentProviderObserved<AgentProviderLineage>;
  readonly terminal: AgentProviderObserved<AgentTerminal>;
  /** What the client declared it can do. */
  readonly capabilities: AgentProviderObserved<JsonObject>;
  readonly process: { readonly pid: number; readonly startedAt: string };
  readonly signal: AbortSignal;
  readonly progress: { report(report: AgentProgressReport): void };
  provider<Key extends string>(
    key: Key,
  ): Promise<Key extends keyof AgentProviderValues ? AgentProviderValues[Key] : unknown>;
}

/** The handle of the request that the caller runs in. Rejects with `outside-invocation` where there is none. */
export function agent(): Promise<AgentHandle>;
export function useAgent(): AgentHandle;

/** The plugin's directory and where its state belongs, as this process resolved them. */
export function resolvePluginRoot(): AgentProviderObservedPluginRoot;

// ---- Layouts and results -------------------------------------------------------------------------------------------

export type AgentLayoutRouteKind = 'tool' | 'resource' | 'prompt' | 'cli' | 'script';
export interface AgentLayoutRoute {
  readonly id: string;
  readonly kind: AgentLayoutRouteKind;
  readonly name: string;
  readonly serverId?: string;
}
export interface AgentLayoutProps {
  readonly children: ReactNode;
  readonly route: AgentLayoutRoute;
  readonly signal: AbortSignal;
}

export type McpContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string };

export interface McpCallToolResult {
  [key: string]: unknown;
  content: McpContentBlock[];
  structuredContent?: { [key: string]: unknown };
  _meta?: { [key: string]: unknown };
  isError?: boolean;
}

/** Adds structured content to a tool result. Raises a TypeError unless `value` is a finite JSON object. */
export function attachMcpStructuredContent<Result extends object>(result: Result, value: unknown): Result;
