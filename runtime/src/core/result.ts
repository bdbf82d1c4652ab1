import { isJsonObject, toJson } from './json.ts';
import { asError } from './errors.ts';

/** Adds structured content to an MCP tool result. Raises a TypeError unless `value` is a finite JSON object. */
export function attachMcpStructuredContent<Result extends object>(result: Result, value: unknown): Result {
  if (!isJsonObject(value)) throw new TypeError('structuredContent must be a JSON object');
  try {
    return { ...result, structuredContent: toJson(value, 'structuredContent') };
  } catch (error) {
    throw new TypeError(asError(error).message);
  }
}
