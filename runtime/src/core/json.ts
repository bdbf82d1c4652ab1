import { AgentDocumentError } from './errors.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Deeper values would exhaust the stack long before they reach the byte limit. */
const MAX_JSON_DEPTH = 1_000;

/**
 * A detached, deeply frozen copy of `value`. Undefined object members are dropped, undefined array members become
 * null. Anything else JSON cannot hold raises `invalid-document` with the path of the culprit, which starts at `path`.
 */
export function toJson(value: unknown, path: string): JsonValue {
  return copy(value, path, new Set());
}

function copy(value: unknown, path: string, ancestors: Set<object>): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw invalid(path, `${value} is not a finite number`);
      return value;
    case 'object':
      return value === null ? null : copyContainer(value, path, ancestors);
    default:
      throw invalid(path, `${article(typeof value)} is not JSON`);
  }
}

function copyContainer(value: object, path: string, ancestors: Set<object>): JsonValue {
  if (ancestors.has(value)) throw invalid(path, 'the value contains itself');
  if (ancestors.size >= MAX_JSON_DEPTH)
    throw new AgentDocumentError('document-depth-exceeded', `${path} nests too deeply`);
  ancestors.add(value);
  const result = Array.isArray(value) ? copyArray(value, path, ancestors) : copyObject(value, path, ancestors);
  ancestors.delete(value);
  return result;
}

function copyArray(value: readonly unknown[], path: string, ancestors: Set<object>): JsonValue {
  const result: JsonValue[] = [];
  for (let index = 0; index < value.length; index++) {
    const memberPath = `${path}[${index}]`;
    const member = readMember(value, String(index), memberPath);
    result.push(member === undefined ? null : copy(member, memberPath, ancestors));
  }
  return Object.freeze(result);
}

function copyObject(value: object, path: string, ancestors: Set<object>): JsonValue {
  if (!isPlain(value))
    throw invalid(path, `an instance of ${className(value)} is not JSON; convert it to a plain value first`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw invalid(path, 'symbol keys are not JSON');
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const memberPath = keyPath(path, key);
    const member = readMember(value, key, memberPath);
    if (member === undefined) continue;
    // Not an assignment: `__proto__` must become a member like any other.
    Object.defineProperty(result, key, {
      value: copy(member, memberPath, ancestors),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return Object.freeze(result);
}

function readMember(container: object, key: string, path: string): unknown {
  const property = Object.getOwnPropertyDescriptor(container, key);
  if (property === undefined) throw invalid(path, 'the array has a hole here');
  if (!('value' in property)) throw invalid(path, 'accessors are not JSON');
  return property.value;
}

/** True for object literals and prototype-less objects, of this or another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'a class';
}

function keyPath(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function article(noun: string): string {
  return noun === 'undefined' ? noun : `a ${noun}`;
}

function invalid(path: string, detail: string): AgentDocumentError {
  return new AgentDocumentError('invalid-document', `${path}: ${detail}`);
}

/** True for what JSON calls an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` as a frozen JSON object, or undefined when it is anything else. */
export function asJsonObject(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  try {
    return toJson(value, 'value') as JsonObject;
  } catch {
    return undefined;
  }
}
