import { projectSchema } from './schema-projection.ts';

const TARGET = 'draft-2020-12';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

interface StandardProps {
  readonly validate?: (value: unknown) => ValidationResult | Promise<ValidationResult>;
  readonly jsonSchema?: Readonly<Record<SchemaSide, ((options: { target: string }) => unknown) | undefined>>;
}
type ValidationResult =
  { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };
/** Whether a schema is read for what goes into a route or for what comes out. */
export type SchemaSide = 'input' | 'output';

/** What an author's schema must be able to do: Standard Schema, or a `parse` method; and describe itself. */
export interface RouteSchema {
  readonly '~standard'?: StandardProps;
  readonly parse?: (value: unknown) => unknown;
  readonly toJSONSchema?: (options: { target: string; io: SchemaSide }) => unknown;
}

/** A value did not match a route's schema. The message lists what is wrong where. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly side: SchemaSide;

  constructor(side: SchemaSide, route: string, issues: string) {
    super(`The ${side === 'input' ? 'input' : 'result'} of ${route} does not match its schema: ${issues}`);
    this.side = side;
  }
}

/** True when `value` can validate. */
export function isRouteSchema(value: unknown): value is RouteSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const schema = value as RouteSchema;
  return typeof schema['~standard']?.validate === 'function' || typeof schema.parse === 'function';
}

/** True when a missing value matches, as far as that can be told without waiting. */
export function acceptsNothing(schema: RouteSchema): boolean {
  try {
    const result = schema['~standard']?.validate?.(undefined);
    return result !== undefined && !('then' in result) && result.issues === undefined;
  } catch {
    return false;
  }
}

/** What a schema is asked about: its side, and the route whose it is. */
interface SchemaUse {
  readonly side: SchemaSide;
  readonly route: string;
}

/** The schema's output for `value`. Rejects with a `SchemaError` when it does not match. */
export async function parseWith(schema: RouteSchema, value: unknown, use: SchemaUse): Promise<unknown> {
  const validate = schema['~standard']?.validate;
  if (validate === undefined) return await parseOrExplain(schema, value, use);
  const result = await validate(value);
  if (result.issues !== undefined) throw explain(use, result.issues);
  return result.value;
}

async function parseOrExplain(schema: RouteSchema, value: unknown, use: SchemaUse): Promise<unknown> {
  try {
    return await schema.parse?.(value);
  } catch (error) {
    const issues = (error as { issues?: unknown } | null)?.issues;
    throw Array.isArray(issues) ? explain(use, issues as Issue[]) : error;
  }
}

function explain({ side, route }: SchemaUse, issues: readonly Issue[]): SchemaError {
  const lines = issues.map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return new SchemaError(side, route, lines.join('; '));
}

/**
 * The schema as projected JSON Schema, for listing. Raises what the schema's own producer raises when it holds something
 * JSON Schema cannot say, and a TypeError when it has no producer.
 */
export function describeSchema(schema: RouteSchema, side: SchemaSide): Record<string, unknown> {
  const produce = schema['~standard']?.jsonSchema?.[side];
  const described =
    produce === undefined ? schema.toJSONSchema?.({ target: TARGET, io: side }) : produce({ target: TARGET });
  if (typeof described !== 'object' || described === null) {
    throw new TypeError(
      'it cannot describe itself as JSON Schema; use zod 4.2 or newer, or another Standard Schema library that can',
    );
  }
  return projectSchema(described) as Record<string, unknown>;
}

/** True for schemas that only objects match: an object, a record, or a union of such. */
export function describesObject(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, anyOf, oneOf } = schema as Record<string, unknown>;
  if (type !== undefined) return type === 'object';
  const members = anyOf ?? oneOf;
  return Array.isArray(members) && members.length > 0 && members.every(describesObject);
}
