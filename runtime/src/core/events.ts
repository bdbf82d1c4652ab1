import { DEFINITION } from './define.ts';

/** Every event a route may answer, as `<family>` or `<family>/<event>`. */
export const canonicalAgentEvents = Object.freeze([
  'session/start',
  'session/end',
  'prompt/submit',
  'tool/before',
  'tool/after',
  'tool/failure',
  'stop',
  'stop/failure',
  'agent/start',
  'agent/stop',
  'agent/idle',
  'workspace/open',
  'compact/before',
  'compact/after',
  'permission/request',
  'permission/denied',
  'file/change',
  'config/change',
  'task/create',
  'task/complete',
  'model-switch/before',
  'model-switch/after',
] as const);

export type CanonicalAgentEvent = (typeof canonicalAgentEvents)[number];

export interface EventDefinition {
  readonly [DEFINITION]: 'event';
  readonly event: CanonicalAgentEvent;
  readonly config: Readonly<Record<string, unknown>>;
  readonly handler: unknown;
}

type EventHelper = (config: Readonly<Record<string, unknown>>, handler: unknown) => EventDefinition;

function helper(event: CanonicalAgentEvent): EventHelper {
  return (config, handler) =>
    Object.freeze({ [DEFINITION]: 'event', event, config: Object.freeze({ ...config }), handler });
}

/** `events.tool.before`, `events.modelSwitch.after`, `events.stop` and the rest: one helper for each event. */
export const events: Readonly<Record<string, unknown>> = buildHelpers();

function buildHelpers(): Record<string, unknown> {
  const families: Record<string, unknown> = {};
  for (const event of canonicalAgentEvents) {
    const [family, name] = event.split('/').map(camelCase) as [string, string?];
    if (name === undefined) families[family] = helper(event);
    else Object.assign((families[family] ??= {}) as object, { [name]: helper(event) });
  }
  return families;
}

function camelCase(segment: string): string {
  return segment.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
