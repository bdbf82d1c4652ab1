import type { AgentTerminal, JsonValue } from '@agent-bundle/runtime';
import type { ReactNode } from 'react';

export type CanonicalAgentEvent =
  | 'session/start'
  | 'session/end'
  | 'prompt/submit'
  | 'tool/before'
  | 'tool/after'
  | 'tool/failure'
  | 'stop'
  | 'stop/failure'
  | 'agent/start'
  | 'agent/stop'
  | 'agent/idle'
  | 'workspace/open'
  | 'compact/before'
  | 'compact/after'
  | 'permission/request'
  | 'permission/denied'
  | 'file/change'
  | 'config/change'
  | 'task/create'
  | 'task/complete'
  | 'model-switch/before'
  | 'model-switch/after';

export type AgentEventDelivery = 'immediate';
export type AgentEventFallbackMode = 'none' | 'standalone';
export type AgentEventRuntimeMode = 'shared' | 'standalone';

export interface AgentEventRouteConfig {
  readonly delivery?: readonly AgentEventDelivery[];
  readonly fallback?: AgentEventFallbackMode;
  readonly requires?: readonly string[];
  readonly runtime?: AgentEventRuntimeMode;
  readonly targets?: readonly string[];
  readonly timeoutMs?: number;
  readonly tools?: readonly string[];
}

/** What each payload field holds once decoded. */
export interface AgentEventPayloadFieldTypes {
  readonly agentId: string;
  readonly agentTranscriptPath: string | null;
  readonly agentType: string;
  readonly cwd: string;
  readonly error: string;
  readonly filePath: string;
  readonly fromModel: string;
  readonly isInterrupt: boolean;
  readonly lastAssistantMessage: string | null;
  readonly model: string;
  readonly permissionMode: string;
  readonly prompt: string;
  readonly reason: string;
  readonly reentry: boolean;
  readonly requestedModel: string | null;
  readonly sessionId: string;
  readonly source: string;
  readonly taskDescription: string;
  readonly taskId: string;
  readonly taskSubject: string;
  readonly teamName: string;
  readonly teammateName: string;
  readonly toModel: string;
  readonly toolInput: JsonValue;
  readonly toolName: string;
  readonly toolResponse: JsonValue;
  readonly toolUseId: string;
  readonly transcriptPath: string | null;
  readonly trigger: 'manual' | 'auto';
  readonly workspaceRoots: readonly string[];
}
export type AgentEventPayloadFieldName = keyof AgentEventPayloadFieldTypes;
/** A field's name in what the host sends. */
export type AgentEventPayloadNativeKey = string;
/** The id of a host, such as `claude`. */
export type AgentEventPayloadHost = string;

type Session = 'sessionId' | 'cwd' | 'transcriptPath' | 'permissionMode' | 'agentId' | 'agentType';
type ToolCall = 'toolName' | 'toolInput' | 'toolUseId';

/** The fields that each event may carry. */
export interface AgentEventPayloadFields {
  readonly 'session/start': Session | 'model' | 'source';
  readonly 'session/end': Session | 'model' | 'reason';
  readonly 'prompt/submit': Session | 'model' | 'prompt';
  readonly 'tool/before': Session | 'model' | ToolCall;
  readonly 'tool/after': Session | 'model' | ToolCall | 'toolResponse';
  readonly 'tool/failure': 'sessionId' | 'cwd' | 'transcriptPath' | ToolCall | 'error' | 'isInterrupt';
  readonly stop: Session | 'model' | 'reentry' | 'lastAssistantMessage';
  readonly 'stop/failure': Session | 'error' | 'reentry' | 'lastAssistantMessage';
  readonly 'agent/start': Session | 'model';
  readonly 'agent/stop': Session | 'model' | 'agentTranscriptPath' | 'reentry' | 'lastAssistantMessage';
  readonly 'agent/idle': Session | 'teammateName' | 'teamName';
  readonly 'workspace/open': 'workspaceRoots';
  readonly 'compact/before': Session | 'model' | 'trigger';
  readonly 'compact/after': Session | 'model' | 'trigger';
  readonly 'permission/request': Session | 'toolName' | 'toolInput';
  readonly 'permission/denied': Session | 'toolName' | 'toolInput';
  readonly 'file/change': Session | 'filePath';
  readonly 'config/change': Session | 'source' | 'filePath';
  readonly 'task/create': Session | 'taskId' | 'taskSubject' | 'taskDescription' | 'teammateName' | 'teamName';
  readonly 'task/complete': Session | 'taskId' | 'taskSubject' | 'taskDescription' | 'teammateName' | 'teamName';
  readonly 'model-switch/before': Session | 'fromModel' | 'toModel' | 'requestedModel' | 'source';
  readonly 'model-switch/after': Session | 'fromModel' | 'toModel' | 'requestedModel' | 'source';
}

/** A field as the host gave it, and the host's own name for it. */
export interface AgentEventPayloadField<Value = unknown> {
  readonly value: Value;
  readonly nativeKey: string;
}
export type AgentEventPayload<Event extends CanonicalAgentEvent> = {
  readonly [Name in AgentEventPayloadFields[Event]]?: AgentEventPayloadField<AgentEventPayloadFieldTypes[Name]>;
};

export interface AgentEventProvenance {
  readonly host: string;
  readonly hostContractRevision: string;
  readonly nativeEvent: string;
  readonly source: 'native';
}
export type AgentEventNativePayload = Readonly<Record<string, unknown>>;

export interface AgentEventCanonicalIdentity<Event extends CanonicalAgentEvent> {
  readonly event: Event;
  readonly idempotencyKey: string;
  readonly observedAt: string;
  readonly payload: AgentEventPayload<Event>;
  readonly provenance: AgentEventProvenance;
  readonly sequence: number;
}

export interface AgentEventRouteProps<Event extends CanonicalAgentEvent, RenderInput extends JsonValue = JsonValue> {
  readonly canonical: AgentEventCanonicalIdentity<Event>;
  readonly native: AgentEventNativePayload;
  readonly renderInput?: RenderInput;
  readonly signal: AbortSignal;
}

/** What a handler that renders nothing may return. */
export type AgentEventOutcome =
  | { readonly outcome: 'continue' }
  | { readonly outcome: 'deny'; readonly reason: string }
  | { readonly outcome: 'allow' | 'ask'; readonly reason?: string; readonly updatedInput?: JsonValue };

export interface AgentEventContext<Event extends CanonicalAgentEvent> {
  readonly canonical: AgentEventCanonicalIdentity<Event>;
  readonly host: string;
  readonly native?: AgentEventNativePayload;
  readonly signal: AbortSignal;
  readonly terminal: AgentTerminal;
  provider(key: string): Promise<unknown>;
  /** Renders the view module beside the handler with `input`. */
  render(view: string, input: JsonValue): Promise<ReactNode>;
}
