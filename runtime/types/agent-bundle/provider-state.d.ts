export interface AgentProviderStateHandle<State> {
  readonly lifetime: 'request' | 'process' | 'workspace-durable' | 'external';
  read(options?: {
    readonly revision?: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly revision: number; readonly state: State }>;
}

export type AgentProviderNoticeState =
  'pending' | 'attempted' | 'expired' | 'unavailable' | 'withdrawn' | 'acknowledged';
export interface AgentProviderNoticeAttempt {
  readonly attemptedAt: string;
  readonly channel: 'next-event';
  readonly invocationId: string;
}
export interface AgentProviderNoticeWithholding {
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly reason: 'route-unavailable' | 'sensitivity-exceeds-route';
}
export interface AgentProviderNoticePublisher {
  readonly actor?: { readonly id: string };
  readonly conversation?: string;
  readonly host?: { readonly name: string };
  readonly session?: { readonly sessionId: string };
  readonly workspace?: { readonly root: string };
}
export interface AgentProviderNoticeRecipient extends AgentProviderNoticePublisher {
  readonly root?: string;
}

export interface AgentProviderNotice {
  readonly id: string;
  readonly content: unknown;
  readonly createdAt: string;
  readonly priority: 'low' | 'normal' | 'high';
  readonly recipient: AgentProviderNoticeRecipient;
  readonly state: AgentProviderNoticeState;
  readonly attempts: readonly AgentProviderNoticeAttempt[];
  readonly acknowledgement?: { readonly acknowledgedAt: string; readonly invocationId: string };
  readonly availability?: {
    readonly channel: 'mcp-resource-updated';
    readonly count: number;
    readonly firstAt: string;
    readonly lastAt: string;
  };
  readonly availabilityReservation?: { readonly at: string; readonly key: string };
  readonly dedupeKey?: string;
  readonly expiresAt?: string;
  readonly expiredAt?: string;
  readonly exposure?: {
    readonly channel: 'mcp-inbox';
    readonly count: number;
    readonly firstAt: string;
    readonly lastAt: string;
    readonly lastInvocationId: string;
  };
  readonly nextAttemptAt?: string;
  readonly publisher?: AgentProviderNoticePublisher;
  readonly retryBudget?: number;
  readonly sensitivity?: 'public' | 'internal' | 'secret';
  readonly unavailableAt?: string;
  readonly unavailableReason?: 'delivery-authorization-unavailable';
  readonly withdrawnAt?: string;
  readonly withheld?: Partial<Readonly<Record<string, AgentProviderNoticeWithholding>>>;
}

/** Reads notices; nothing here writes. */
export interface AgentProviderNoticesHandle {
  inbox(): Promise<readonly AgentProviderNotice[]>;
  published(): Promise<readonly AgentProviderNotice[]>;
}
