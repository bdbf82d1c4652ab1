/**
 * The core role: React, the `Agent` vocabulary, rendering and the request context, in one flat namespace. Authors'
 * imports of React and of our own packages all lead here.
 */
export * from './react.ts';
export { default } from './react.ts';
export { Agent } from './vocabulary.ts';
export { MarkdownContent, renderToMarkdown, renderToMarkdownStream } from './markdown/index.ts';
export { agent, useAgent, workspaceFromCwd } from './request.ts';
export { appResourceUri, defineTool, isToolDefinition, MAX_ROUTE_RENDER_ELAPSED_MS } from './define.ts';
export { canonicalAgentEvents, events } from './events.ts';
export { applyOperatorEnv, operatorEnvPluginRoot, parseEnv } from './env.ts';
export { pluginRoots, resolveCodeRoot, resolvePluginRoot, setProcessRoots } from './roots.ts';
export { attachMcpStructuredContent } from './result.ts';
export { DEFAULT_AGENT_RENDER_LIMITS, EventMeter } from './limits.ts';
export { AgentDocumentError, AgentRequestError, asError } from './errors.ts';
export { asJsonObject, isJsonObject, toJson } from './json.ts';
export { contentNodes } from './document.ts';
export { available, unavailable } from './observed.ts';
export { absentTerminal } from './terminal.ts';
export { renderRoute } from './route.ts';

export type { AgentDocument, AgentNode, AgentResultNode } from './document.ts';
export type { ToolDefinition } from './define.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { Observed } from './observed.ts';
export type { ProviderEntry } from './providers.ts';
export type { AgentProgressReport, AgentRenderEvent } from './render.ts';
export type { AgentHandle, AgentPluginRoots, AgentRequestFacts } from './request.ts';
export type { AgentLayoutRoute, LayoutComponent } from './route.ts';
