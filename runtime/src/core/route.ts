import { createElement, isValidElement, type ReactNode } from 'react';
import type { AgentDocument } from './document.ts';
import type { AgentRenderLimits } from './limits.ts';
import { type ProviderEntry, ProviderScope } from './providers.ts';
import { type AgentRenderEvent, Render } from './render.ts';
import { type AgentHandle, type AgentRequestFacts, runRequest } from './request.ts';
import { Agent } from './vocabulary.ts';

export interface AgentLayoutRoute {
  readonly id: string;
  readonly kind: 'tool' | 'resource' | 'prompt' | 'cli' | 'script';
  /** The protocol name: MCP name, space-joined command path, or script name. */
  readonly name: string;
  /** `mcp:<server>`, on MCP kinds only. */
  readonly serverId?: string;
}

export interface AgentLayoutProps {
  readonly children: ReactNode;
  readonly route: AgentLayoutRoute;
  readonly signal: AbortSignal;
}

export type LayoutComponent = (props: AgentLayoutProps) => ReactNode | Promise<ReactNode>;

export interface RouteCall {
  readonly route: AgentLayoutRoute;
  /** Outermost first. */
  readonly layouts: readonly LayoutComponent[];
  /** Calls the author's handler or component; runs inside the render, so hooks such as `use` work. */
  readonly call: (handle: AgentHandle) => ReactNode | Promise<ReactNode>;
  readonly facts: AgentRequestFacts;
  readonly providers: readonly ProviderEntry[];
  readonly signal: AbortSignal;
  readonly limits?: Partial<AgentRenderLimits>;
  readonly onEvent?: (event: AgentRenderEvent) => void;
}

/** Renders one route, inside its layouts, as one request. Rejects as `Render.run` does. */
export async function renderRoute(call: RouteCall): Promise<AgentDocument> {
  const { route, layouts, facts, providers, signal, limits, onEvent } = call;
  const render = new Render({ signal, limits, onEvent });
  const scope = {
    facts,
    signal: render.signal,
    providers: new ProviderScope(providers),
    report: render.report.bind(render),
  };
  return await runRequest(scope, (handle) => {
    const element = createElement(Resolve, { call: () => call.call(handle) });
    return render.run(layouts.length === 0 ? element : withLayouts(element.props.call, layouts, route, render.signal));
  });
}

/**
 * The route is resolved first, as a sibling that leaves nothing, and the layouts get what it resolved to. So a route that
 * throws fails the render whatever its layouts do, and no layout can put a boundary around the wait for it.
 */
function withLayouts(
  call: () => ReactNode | Promise<ReactNode>,
  layouts: readonly LayoutComponent[],
  route: AgentLayoutRoute,
  signal: AbortSignal,
): ReactNode {
  let deliver: (node: ReactNode) => void = () => {};
  const resolved = new Promise<ReactNode>((resolve) => {
    deliver = resolve;
  });
  const Layouts = async (): Promise<ReactNode> => {
    const inner = await resolved;
    return layouts.reduceRight<ReactNode>(
      (children, layout) => createElement(layout, { children, route, signal }),
      inner,
    );
  };
  return [createElement(Resolve, { key: 'route', call, deliver }), createElement(Layouts, { key: 'layouts' })];
}

interface ResolveProps {
  readonly call: () => ReactNode | Promise<ReactNode>;
  /** Takes the resolved node, which then leaves nothing here. */
  readonly deliver?: (node: ReactNode) => void;
}

/** Calls components until what is left is no component of the author's; each call is a component of its own to React. */
function Resolve({ call, deliver }: ResolveProps): ReactNode | Promise<ReactNode> {
  const node = call();
  if (deliver === undefined) return node;
  return isPromise(node) ? node.then((settled) => resolveNode(settled, deliver)) : resolveNode(node, deliver);
}

function resolveNode(node: ReactNode, deliver: (node: ReactNode) => void): ReactNode {
  if (isValidElement(node) && typeof node.type === 'function' && !VOCABULARY.has(node.type)) {
    const component = node.type as (props: unknown) => ReactNode | Promise<ReactNode>;
    return createElement(Resolve, { call: () => component(node.props), deliver });
  }
  deliver(node);
  return null;
}

const VOCABULARY: ReadonlySet<unknown> = new Set(Object.values(Agent));

function isPromise(value: unknown): value is Promise<ReactNode> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
