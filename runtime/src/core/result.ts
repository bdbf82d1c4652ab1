import { toJson } from './json.ts';

/** Adds structured content to an MCP tool result. Raises a TypeError unless `value` is a finite JSON object. */
export function attachMcpStructuredContent<Result extends object>(result: Result, value: unknown): Result {
  const json = toJson(value, 'structuredContent');
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new TypeError('structuredContent must be a JSON object');
  }
  return { ...result, structuredContent: json };
}
