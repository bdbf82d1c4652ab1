/** A JSON Schema: an object of keywords, or the booleans that accept everything and nothing. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

const SINGLE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);

/**
 * A copy of a 2020-12 schema in which tuples also read right under draft-07 rules, as some hosts still apply them: there,
 * `prefixItems` is unknown and `items: false` would forbid every member. The copy accepts whatever the original does,
 * under either reading. Data in `const`, `enum`, `default` and `examples` is never taken for a schema.
 */
export function projectSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) set(copy, keyword, projectKeyword(keyword, value));
  return closeTuple(copy);
}

function projectKeyword(keyword: string, value: unknown): unknown {
  if (Array.isArray(value)) return LISTS.has(keyword) ? value.map(projectSchema) : value;
  if (!isObject(value)) return value;
  if (SINGLE.has(keyword)) return projectSchema(value);
  if (!MAPS.has(keyword)) return value;
  const map: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) set(map, name, projectSchema(member));
  return map;
}

function closeTuple(schema: Record<string, unknown>): Record<string, unknown> {
  const { prefixItems, items, maxItems } = schema;
  if (!Array.isArray(prefixItems) || prefixItems.length === 0) return schema;
  if (items === false) {
    const length = prefixItems.length;
    return {
      ...schema,
      items: union(prefixItems),
      maxItems: typeof maxItems === 'number' ? Math.min(maxItems, length) : length,
    };
  }
  return isObject(items) ? { ...schema, items: union([...prefixItems, items]) } : schema;
}

function union(members: readonly unknown[]): unknown {
  const distinct = new Map<string, unknown>();
  for (const member of members) {
    const key = canonicalJson(member);
    if (!distinct.has(key)) distinct.set(key, member);
  }
  const schemas = [...distinct.values()];
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

/** Compact JSON with sorted keys: equal text for equal values. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/** Defines rather than assigns, so that a property named `__proto__` stays one. */
function set(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
