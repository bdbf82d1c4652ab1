/** Marks what the definition helpers return, also across two copies of this module. */
export const DEFINITION: unique symbol = Symbol.for('agent-bundle.definition');

/** The longest render budget a route may ask for: one day, in milliseconds. */
export const MAX_ROUTE_RENDER_ELAPSED_MS = 86_400_000;

export interface ToolDefinition {
  readonly [DEFINITION]: 'tool';
  readonly inputSchema: unknown;
  readonly resultSchema: unknown;
  readonly config: Readonly<Record<string, unknown>>;
  readonly handler: unknown;
}

/** Pairs a tool's metadata and schemas with its handler. The compiler reads the metadata; the runtime reads the rest. */
export function defineTool(options: Readonly<Record<string, unknown>>, handler: unknown): ToolDefinition {
  const { inputSchema, resultSchema, ...config } = options;
  return Object.freeze({ [DEFINITION]: 'tool', inputSchema, resultSchema, config: Object.freeze(config), handler });
}

export function isToolDefinition(value: unknown): value is ToolDefinition {
  return typeof value === 'object' && value !== null && (value as Partial<ToolDefinition>)[DEFINITION] === 'tool';
}

/**
 * At run time an App reference stands for itself: the compiler has put the resolved URI into the route's metadata, and
 * nothing reads this value.
 */
export function appResourceUri(reference: string): string {
  return reference;
}
