import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fixture, type FixtureRoute, withServer } from './harness.ts';

/** A tool whose handler returns `tree` and whose result schema is `schema`. */
function tool(name: string, tree: string, schema = 'z.any()', config = {}): FixtureRoute {
  const source = `export default defineTool({ inputSchema: z.object({}), resultSchema: ${schema} }, async () => ${tree});`;
  return { name, source, config };
}

const LAYOUTS: Fixture['layouts'] = [
  `export default ({ children }) => h(Agent.Result, { metadata: { r: 1 } }, children);`,
  `export default ({ children }) => h(Agent.Result, null, h(Agent.Markdown, null, '# H'), children, h(Agent.Context, null, 'note'));`,
];

async function call(fixture: Fixture, name: string): Promise<Record<string, unknown>> {
  let result: Record<string, unknown> = {};
  await withServer(fixture, async ({ client }) => {
    result = (await client.callTool({ name, arguments: {} })) as Record<string, unknown>;
  });
  return result;
}

const text = (value: string) => ({ type: 'text', text: value });

describe('RT-29 lowering to tools/call', () => {
  it('RT-29a an object value becomes structured content', async () => {
    const route = tool(
      'a',
      `h(Agent.Result, { value: { ok: true } }, h(Agent.Text, null, 'hi'))`,
      'z.object({ ok: z.boolean() })',
    );
    assert.deepEqual(await call({ routes: [route] }, 'a'), { content: [text('hi')], structuredContent: { ok: true } });
  });

  it('RT-29b a string value is not wrapped and lists no output schema', async () => {
    const route = tool('b', `h(Agent.Result, { value: 's' }, h(Agent.Text, null, 'hi'))`, 'z.string()');
    await withServer({ routes: [route] }, async ({ client }) => {
      const { tools } = await client.listTools();
      assert.equal(tools[0]?.outputSchema, undefined);
      assert.deepEqual(await client.callTool({ name: 'b', arguments: {} }), { content: [text('hi')] });
    });
  });

  it('RT-29c an error node keeps the value', async () => {
    const tree = `h(Agent.Result, { value: { found: false } }, h(Agent.Error, { code: 'E_X' }, 'gone'))`;
    assert.deepEqual(await call({ routes: [tool('c', tree, 'z.object({ found: z.boolean() })')] }, 'c'), {
      content: [text('[E_X] gone')],
      structuredContent: { found: false },
      isError: true,
    });
  });

  it('RT-29d the layout wins over the route in merged metadata', async () => {
    const tree = `h(Agent.Result, { value: { a: 1 }, metadata: { r: 2, k: 3 } })`;
    assert.deepEqual(await call({ routes: [tool('d', tree)], layouts: LAYOUTS.slice(0, 1) }, 'd'), {
      content: [],
      structuredContent: { a: 1 },
      _meta: { r: 1, k: 3 },
    });
  });

  it('RT-29e layouts put their blocks around the route', async () => {
    const tree = `h(Agent.Result, { value: { a: 1 } }, h(Agent.Text, null, 'route'))`;
    assert.deepEqual(await call({ routes: [tool('e', tree)], layouts: LAYOUTS }, 'e'), {
      content: [text('# H'), text('route'), text('note')],
      structuredContent: { a: 1 },
      _meta: { r: 1 },
    });
  });

  it('RT-29f JSON is compact and keeps its order', async () => {
    const tree = `h(Agent.Result, null, h(Agent.Json, { value: { b: 1, a: 2 } }))`;
    assert.deepEqual(await call({ routes: [tool('f', tree)] }, 'f'), { content: [text('{"b":1,"a":2}')] });
  });

  it('RT-29g progress that stays in the tree is no block', async () => {
    const tree = `h(Agent.Result, null, h(Agent.Progress, { completed: 1 }))`;
    assert.deepEqual(await call({ routes: [tool('g', tree)] }, 'g'), { content: [] });
  });

  it('RT-29h a rejected boundary keeps everything else', async () => {
    const source = `
      const Bad = async () => { await sleep(5); throw new Error('lost'); };
      export default defineTool({ inputSchema: z.object({}), resultSchema: z.object({ ok: z.boolean() }) }, () =>
        h(Agent.Result, { value: { ok: true } }, h(Agent.Text, null, 'one'),
          h(Suspense, { fallback: h(Agent.Text, null, 'wait') }, h(Bad)), h(Agent.Text, null, 'two')));`;
    assert.deepEqual(await call({ routes: [{ name: 'h', source }], layouts: LAYOUTS.slice(0, 1) }, 'h'), {
      content: [text('one'), text('[boundary] lost'), text('two')],
      structuredContent: { ok: true },
      _meta: { r: 1 },
      isError: true,
    });
  });

  it('RT-29i a thrown route answers its message alone, and the session goes on', async () => {
    const throwing = tool('i', `{ throw new Error('x') }`);
    const fine = tool('fine', `h(Agent.Result, null, h(Agent.Text, null, 'ok'))`);
    await withServer({ routes: [throwing, fine], layouts: LAYOUTS }, async ({ client }) => {
      assert.deepEqual(await client.callTool({ name: 'i', arguments: {} }), { content: [text('x')], isError: true });
      const { content } = await client.callTool({ name: 'fine', arguments: {} });
      assert.deepEqual(content, [text('# H'), text('ok'), text('note')]);
    });
  });

  it('RT-29j a value that its schema refuses is a tool error', async () => {
    const route = tool('j', `h(Agent.Result, { value: { ok: 'no' } })`, 'z.object({ ok: z.boolean() })');
    const result = await call({ routes: [route] }, 'j');
    assert.equal(result['isError'], true);
    assert.equal(result['structuredContent'], undefined);
    assert.match(JSON.stringify(result['content']), /The result of j does not match its schema: ok:/);
  });

  it('RT-29k a root of another kind, or an HTML tag, is an invalid document', async () => {
    const routes = [
      tool('k1', `h(Agent.Text, null, 'bare')`),
      tool('k2', `h(Agent.Result, null, h('div', null, 'x'))`),
    ];
    await withServer({ routes }, async ({ client }) => {
      for (const name of ['k1', 'k2']) {
        const result = await client.callTool({ name, arguments: {} });
        assert.equal(result.isError, true);
        assert.match(JSON.stringify(result.content), /invalid-document/);
      }
    });
  });

  it('RT-29l / SC-40 an excluded client neither sees nor reaches the tool', async () => {
    const tree = `h(Agent.Result, null, h(Agent.Text, null, 'ok'))`;
    const fixture = { routes: [tool('open', tree), tool('hidden', tree, 'z.any()', { excludeClients: ['cod'] })] };
    await withServer(
      fixture,
      async ({ client }) => {
        assert.deepEqual(
          (await client.listTools()).tools.map(({ name }) => name),
          ['open'],
        );
        await assert.rejects(client.callTool({ name: 'hidden', arguments: {} }), /Unknown tool: hidden/);
      },
      { clientName: 'Codex CLI' },
    );
    await withServer(fixture, async ({ client }) => {
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        ['open', 'hidden'],
      );
    });
  });

  it('RT-20 media and resources are native blocks', async () => {
    const tree = `h(Agent.Result, null, h(Agent.Image, { data: 'AA==', mimeType: 'image/png' }),
      h(Agent.Audio, { data: 'AA==', mimeType: 'audio/wav' }), h(Agent.Resource, { uri: 'x://y', name: 'y' }))`;
    assert.deepEqual((await call({ routes: [tool('m', tree)] }, 'm'))['content'], [
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'x://y', name: 'y' },
    ]);
  });

  it('RT-22 metadata that is no object fails the call', async () => {
    const result = await call({ routes: [tool('n', `h(Agent.Result, { metadata: [1] })`)] }, 'n');
    assert.equal(result['isError'], true);
    assert.match(JSON.stringify(result['content']), /invalid-result-metadata/);
  });
});
