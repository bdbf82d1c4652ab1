import type { LoadedRoute, RouteConfig } from './routes.ts';

/** The metadata keys of a route's configuration that each listing carries as they are. */
const TOOL_KEYS = ['title', 'description', 'annotations', 'icons', '_meta'] as const;
const RESOURCE_KEYS = ['uri', 'title', 'description', 'mimeType', '_meta'] as const;
const PROMPT_KEYS = ['title', 'description', '_meta'] as const;

export function listTool({ name, config, listedInput, listedOutput }: LoadedRoute) {
  return {
    name,
    ...pick(config, TOOL_KEYS),
    inputSchema: listedInput as { type: 'object' },
    ...(listedOutput === undefined ? {} : { outputSchema: listedOutput as { type: 'object' } }),
  };
}

export function listResource({ name, config }: LoadedRoute) {
  return { name, ...pick(config, RESOURCE_KEYS) } as { name: string; uri: string };
}

export function listPrompt({ name, config, listedInput }: LoadedRoute) {
  const properties = (listedInput['properties'] ?? {}) as Readonly<Record<string, unknown>>;
  const required = (listedInput['required'] ?? []) as readonly string[];
  const args = Object.entries(properties).map(([key, property]) => {
    const description = (property as { description?: unknown } | null)?.description;
    return {
      name: key,
      ...(typeof description === 'string' ? { description } : {}),
      required: required.includes(key),
    };
  });
  return { name, ...pick(config, PROMPT_KEYS), ...(args.length === 0 ? {} : { arguments: args }) };
}

function pick(config: RouteConfig, keys: readonly (keyof RouteConfig)[]): Record<string, never> {
  const present = keys.filter((key) => config[key] !== undefined);
  return Object.fromEntries(present.map((key) => [key, config[key]])) as Record<string, never>;
}
