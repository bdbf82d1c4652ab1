import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv, type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { projectSchema } from '../src/mcp/schema-projection.ts';
import { describesObject } from '../src/mcp/schema.ts';
import { withServer } from './harness.ts';

const A = { type: 'string' };
const B = { type: 'number' };
const R = { type: 'boolean' };

describe('SX-12 tuples', () => {
  const vectors: [name: string, schema: unknown, expected: unknown][] = [
    [
      'closed',
      { prefixItems: [A, B], items: false, minItems: 2 },
      { prefixItems: [A, B], items: { anyOf: [A, B] }, minItems: 2, maxItems: 2 },
    ],
    ['closed, one member kind', { prefixItems: [A, A], items: false }, { prefixItems: [A, A], items: A, maxItems: 2 }],
    [
      'closed, with a lower maximum',
      { prefixItems: [A, B], items: false, maxItems: 1 },
      { prefixItems: [A, B], items: { anyOf: [A, B] }, maxItems: 1 },
    ],
    [
      'closed, with a higher maximum',
      { prefixItems: [A], items: false, maxItems: 9 },
      { prefixItems: [A], items: A, maxItems: 1 },
    ],
    ['with a rest', { prefixItems: [A, B], items: R }, { prefixItems: [A, B], items: { anyOf: [A, B, R] } }],
    ['open', { prefixItems: [A] }, { prefixItems: [A] }],
    ['open by true', { prefixItems: [A], items: true }, { prefixItems: [A], items: true }],
    ['empty', { prefixItems: [], items: false }, { prefixItems: [], items: false }],
    [
      'equal but for key order',
      {
        prefixItems: [
          { type: 'string', minLength: 1 },
          { minLength: 1, type: 'string' },
        ],
        items: false,
      },
      {
        prefixItems: [
          { type: 'string', minLength: 1 },
          { minLength: 1, type: 'string' },
        ],
        items: { type: 'string', minLength: 1 },
        maxItems: 2,
      },
    ],
    [
      'boolean members',
      { prefixItems: [true, A], items: false },
      { prefixItems: [true, A], items: { anyOf: [true, A] }, maxItems: 2 },
    ],
  ];
  for (const [name, schema, expected] of vectors) {
    it(name, () => assert.deepEqual(projectSchema(schema), expected));
  }
});

describe('SX-11 recursion', () => {
  const tuple = { prefixItems: [A], items: false };
  const projected = { prefixItems: [A], items: A, maxItems: 1 };

  it('enters every schema-bearing keyword', () => {
    const singles = [
      'additionalItems',
      'additionalProperties',
      'contains',
      'contentSchema',
      'if',
      'then',
      'else',
      'items',
      'not',
      'propertyNames',
      'unevaluatedItems',
      'unevaluatedProperties',
    ];
    const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
    const maps = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];
    for (const key of singles) assert.deepEqual(projectSchema({ [key]: tuple }), { [key]: projected }, key);
    for (const key of lists) assert.deepEqual(projectSchema({ [key]: [tuple] }), { [key]: [projected] }, key);
    for (const key of maps) assert.deepEqual(projectSchema({ [key]: { x: tuple } }), { [key]: { x: projected } }, key);
  });

  it('never enters data', () => {
    for (const key of ['const', 'default']) assert.deepEqual(projectSchema({ [key]: tuple }), { [key]: tuple }, key);
    for (const key of ['enum', 'examples'])
      assert.deepEqual(projectSchema({ [key]: [tuple] }), { [key]: [tuple] }, key);
  });

  it('takes a property named like a keyword for a property', () => {
    const schema = { properties: { items: tuple, const: tuple, prefixItems: { type: 'string' } } };
    assert.deepEqual(projectSchema(schema), {
      properties: { items: projected, const: projected, prefixItems: { type: 'string' } },
    });
    const named = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as unknown;
    assert.equal(JSON.stringify(projectSchema(named)), JSON.stringify(named));
  });

  it('SX-14 passes everything else through, and changes nothing in place', () => {
    const schema = {
      $schema: 'x',
      $ref: '#/$defs/a',
      const: 1,
      exclusiveMinimum: 0,
      dependentRequired: { a: ['b'] },
      items: tuple,
    };
    const before = structuredClone(schema);
    assert.deepEqual(projectSchema(schema), { ...schema, items: projected });
    assert.deepEqual(schema, before);
    assert.equal(projectSchema(true), true);
    assert.equal(projectSchema(null), null);
  });

  it('rewrites zod tuples wherever they are', () => {
    const pair = z.tuple([z.string(), z.number()]);
    const schema = z.object({ a: pair, b: z.union([pair, z.null()]), c: z.tuple([z.string()]).rest(z.boolean()) });
    const text = JSON.stringify(projectSchema(z.toJSONSchema(schema)));
    assert.ok(!/"prefixItems":\[[^\]]*\],"items":false/.test(text), text);
  });
});

/** A small deterministic generator: the same cases on every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('SX-15 acceptance', () => {
  const next = random(7);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
  const leaf = (): AnySchema =>
    pick([A, B, R, { type: 'string', minLength: 2 }, { const: 1 }, { enum: ['a', 2] }, true, { type: 'null' }]);

  function schema(depth: number, closed: boolean): AnySchema {
    if (depth === 0 || next() < 0.3) return leaf();
    const member = () => schema(depth - 1, closed);
    if (next() < 0.2) return { type: 'object', properties: { items: member(), b: member() }, required: ['items'] };
    if (next() < 0.2) return { anyOf: [member(), member()] };
    const tuple: Record<string, unknown> = {
      type: 'array',
      prefixItems: Array.from({ length: 1 + Math.floor(next() * 3) }, member),
    };
    const rest = next();
    if (closed || rest < 0.5) tuple['items'] = false;
    else if (rest < 0.75) tuple['items'] = member();
    if (next() < 0.4) tuple['minItems'] = Math.floor(next() * 3);
    if (next() < 0.3) tuple['maxItems'] = 1 + Math.floor(next() * 4);
    return tuple as AnySchema;
  }

  function value(depth: number): unknown {
    const kind = next();
    if (depth > 0 && kind < 0.5) return Array.from({ length: Math.floor(next() * 4) }, () => value(depth - 1));
    if (depth > 0 && kind < 0.6) return { items: value(depth - 1), b: value(depth - 1) };
    return pick(['a', 'ab', 1, 2, true, null]);
  }

  it('holds for random tuples under both dialects, and conversely for closed ones', () => {
    const modern = new Ajv2020({ strict: false });
    const old = new Ajv({ strict: false });
    let accepted = 0;
    for (let round = 0; round < 400; round += 1) {
      const closed = round % 2 === 0;
      const original = schema(3, closed);
      const projected = projectSchema(original) as AnySchema;
      const [before, after, legacy] = [modern.compile(original), modern.compile(projected), old.compile(projected)];
      for (let sample = 0; sample < 40; sample += 1) {
        const candidate = value(3);
        const explain = () => JSON.stringify({ original, projected, candidate });
        if (before(candidate)) {
          accepted += 1;
          assert.ok(after(candidate), `2020-12: ${explain()}`);
          assert.ok(legacy(candidate), `draft-07: ${explain()}`);
        } else if (closed) {
          assert.ok(!after(candidate), `converse: ${explain()}`);
        }
      }
    }
    assert.ok(accepted > 500, `only ${accepted} samples were accepted`);
  });
});

describe('SX-10 listing', () => {
  it('knows what describes an object', () => {
    const object = z.object({ a: z.string() });
    const objects = [
      object,
      z.record(z.string(), z.number()),
      z.union([object, z.object({ b: z.string() })]),
      z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2) })]),
    ];
    for (const schema of objects)
      assert.ok(describesObject(z.toJSONSchema(schema)), JSON.stringify(z.toJSONSchema(schema)));
    for (const schema of [z.string(), z.array(object), z.union([object, z.string()]), z.any()])
      assert.ok(!describesObject(z.toJSONSchema(schema)));
  });

  it('SX-10, SX-16, RT-25 lists both sides, projected, with the metadata', async () => {
    const config = {
      title: 'T',
      description: 'd',
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: 'ui://a/b' } },
    };
    const source = `export default defineTool({
      inputSchema: z.object({ at: z.tuple([z.number(), z.number()]), n: z.string().default('x') }),
      resultSchema: z.union([z.object({ at: z.tuple([z.number(), z.string()]) }), z.object({ no: z.literal(true) })]) }, () => null);`;
    const textOnly = `export default defineTool({ inputSchema: z.object({}), resultSchema: z.undefined() }, () => h(Agent.Result));`;
    const dated = `export default defineTool({ inputSchema: z.object({}), resultSchema: z.object({ at: z.date() }) }, () => h(Agent.Result));`;
    const routes = [
      { name: 't', source, config },
      { name: 'text', source: textOnly },
      { name: 'dated', source: dated },
    ];
    await withServer({ routes }, async ({ client, stderr }) => {
      const [tool, text, withDate] = (await client.listTools()).tools;
      const number = { type: 'number' };
      assert.deepEqual(tool?.inputSchema, {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          at: { type: 'array', prefixItems: [number, number], items: number, minItems: 2, maxItems: 2 },
          n: { default: 'x', type: 'string' },
        },
        required: ['at'],
      });
      assert.equal(tool?.outputSchema?.type, 'object');
      assert.match(
        JSON.stringify(tool?.outputSchema),
        /"items":\{"anyOf":\[\{"type":"number"\},\{"type":"string"\}\]\}/,
      );
      const { name, inputSchema, outputSchema, ...rest } = tool ?? {};
      assert.deepEqual(rest, config);
      assert.equal(text?.outputSchema, undefined);
      assert.equal(withDate?.outputSchema, undefined);
      assert.match(stderr(), /^tool:notes\/dated: its results are listed without a schema:/m);
      assert.doesNotMatch(stderr(), /tool:notes\/text/);
    });
  });
});
