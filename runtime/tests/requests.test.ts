import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { describe, it } from 'node:test';
import { roleUrl } from './dist.ts';
import { type Fixture, type FixtureRoute, withServer } from './harness.ts';

const SHOW = `const show = (value) => h(Agent.Result, null, h(Agent.Json, { value }));`;

/** A tool that answers one JSON block: what `body` returns, given `input` and `context`. */
function jsonTool(name: string, body: string, config = {}): FixtureRoute {
  const source = `${SHOW}
    export default defineTool({ inputSchema: z.object({ key: z.string().default('none') }), resultSchema: z.undefined() },
      async (input, context) => show(await (async () => { ${body} })()));`;
  return { name, source, config };
}

async function ask(fixture: Fixture, name: string, options = {}): Promise<unknown> {
  let value: unknown;
  await withServer(fixture, async ({ client }) => void (value = await blockOf(client, name)), options);
  return value;
}

type Caller = { callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown> };

async function blockOf(client: Caller, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? 'null');
}

describe('the request handle', () => {
  it('RT-60 is one handle, through agent(), useAgent() and the second argument', async () => {
    const body = `return [(await agent()) === context, useAgent() === context];`;
    assert.deepEqual(await ask({ routes: [jsonTool('same', body)] }, 'same'), [true, true]);
  });

  it('RT-60 is refused outside a request', async () => {
    const route = jsonTool('outside', `return outside;`);
    const source = `const outside = await agent().catch((error) => error.code);\n${route.source}`;
    assert.equal(await ask({ routes: [{ ...route, source }] }, 'outside'), 'outside-invocation');
  });

  it('RT-60 closes with the request', async () => {
    const source = `${SHOW}
      let kept; const codeOf = (read) => { try { read(); return 'open'; } catch (error) { return error.code; } };
      let later; const tried = new Promise((resolve) => { later = resolve; });
      export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, async (_input, context) => {
        if (kept === undefined) {
          kept = context;
          sleep(20).then(() => agent()).then(() => 'open', (error) => error.code).then(later);
          return show('first');
        }
        return show([codeOf(() => kept.host), await kept.provider('x').catch((error) => error.code), await tried]);
      });`;
    await withServer({ routes: [{ name: 'late', source }] }, async ({ client }) => {
      await blockOf(client, 'late');
      assert.deepEqual(await blockOf(client, 'late'), ['request-closed', 'request-closed', 'request-closed']);
    });
  });

  it('RT-60 keeps concurrent requests apart', async () => {
    const body = `
      const before = (await agent()).invocation.id; await sleep(Math.random() * 20);
      const after = (await agent()).invocation.id; return [input.key, before === after, before];`;
    await withServer({ routes: [jsonTool('apart', body)] }, async ({ client }) => {
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      const answers = (await Promise.all(keys.map((key) => blockOf(client, 'apart', { key })))) as [
        string,
        boolean,
        string,
      ][];
      assert.deepEqual(
        answers.map(([key]) => key),
        keys,
      );
      assert.ok(answers.every(([, same]) => same));
      assert.equal(new Set(answers.map(([, , id]) => id)).size, keys.length);
    });
  });

  it('RT-61, RT-63, RT-68 tells what stdio can tell', async () => {
    const body = `const { host, session, actor, workspace, lineage, terminal, invocation, plugin, state, notices } = context;
      return { host, session, actor, workspace, lineage, terminal, plugin, state, notices,
        invocation: { kind: invocation.kind, operationId: invocation.operationId } };`;
    await withServer({ routes: [jsonTool('facts', body)] }, async ({ client }, plugin) => {
      const facts = (await blockOf(client, 'facts')) as Record<string, Record<string, unknown>>;
      assert.deepEqual(facts['host'], { state: 'available', source: 'native', value: { name: 'test-client' } });
      assert.equal(facts['session']?.['state'], 'unavailable');
      assert.equal(facts['actor']?.['state'], 'unavailable');
      assert.equal(facts['lineage']?.['state'], 'unavailable');
      assert.deepEqual(facts['workspace'], { state: 'available', source: 'derived', value: { root: process.cwd() } });
      assert.deepEqual(facts['invocation'], { kind: 'tool', operationId: 'tool:notes/facts' });
      const stream = { kind: 'none', color: 'none' };
      const terminal = { hostSurface: 'mcp', stdout: stream, stderr: stream, sharesTarget: false };
      assert.deepEqual(facts['terminal'], { state: 'available', source: 'derived', value: terminal });
      assert.equal(facts['plugin']?.['source'], 'derived');
      assert.equal(realpathSync((facts['plugin']?.['value'] as { root: string }).root), realpathSync(plugin.root));
      assert.ok(!('state' in facts) && !('notices' in facts));
    });
  });

  it('RT-60 is refused beside a store of another version', () => {
    const script = `globalThis[Symbol.for('agent-bundle.request-store')] = { version: 0 };
      const { agent } = await import(${JSON.stringify(roleUrl('core'))});
      console.log(await agent().catch((error) => error.code));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(stdout.trim(), 'store-version-conflict');
  });

  it('SX-3 gives the handler the parsed input', async () => {
    assert.equal(await ask({ routes: [jsonTool('parsed', `return input.key;`)] }, 'parsed'), 'none');
  });

  it('RT-12 aborts the signal of a cancelled call', async () => {
    const source = `${SHOW}
      let aborted = false;
      export const inputSchema = z.object({ wait: z.boolean() }); export const resultSchema = z.any();
      export default async ({ input, signal }) => {
        if (!input.wait) return show(aborted);
        signal.addEventListener('abort', () => { aborted = true; });
        await sleep(60_000);
      };`;
    await withServer({ routes: [{ name: 'cancel', source }] }, async ({ client }) => {
      const controller = new AbortController();
      const call = client.callTool({ name: 'cancel', arguments: { wait: true } }, { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      await assert.rejects(call);
      for (let tries = 0; tries < 100; tries += 1) {
        if (await blockOf(client, 'cancel', { wait: false })) return;
      }
      assert.fail('the signal never aborted');
    });
  });

  it('RT-13 a route may lower its own budget', async () => {
    const route = jsonTool('slow', `await sleep(60_000);`, { render: { maxElapsedMs: 30 } });
    await withServer({ routes: [route] }, async ({ client }) => {
      const { isError, content } = await client.callTool({ name: 'slow', arguments: {} });
      assert.equal(isError, true);
      assert.match(JSON.stringify(content), /elapsed-time-exceeded/);
    });
  });
});

describe('RT-65 providers', () => {
  const COUNTING = `globalThis.made = (globalThis.made ?? 0) + 1;
    let calls = 0;
    export default async ({ host, invocation, signal, workspace, plugin }) => {
      calls += 1; await sleep(5);
      const inside = await agent().then(() => 'inside', (error) => error.code);
      return { calls, inside, host: host.value.name, named: [invocation.id !== undefined, signal instanceof AbortSignal, workspace.state, plugin.state] };
    };`;

  it('are evaluated on first use, and once for each request', async () => {
    const fixture = {
      routes: [
        jsonTool('unused', `return globalThis.made ?? 0;`),
        jsonTool(
          'used',
          `const [a, b] = await Promise.all([context.provider('notes'), context.provider('notes')]);
          return [a === b, a, globalThis.made];`,
        ),
      ],
      providers: { notes: COUNTING },
    };
    await withServer(fixture, async ({ client }) => {
      assert.equal(await blockOf(client, 'unused'), 0);
      const named = [true, true, 'available', 'available'];
      const value = (calls: number) => ({ calls, inside: 'outside-invocation', host: 'test-client', named });
      assert.deepEqual(await blockOf(client, 'used'), [true, value(1), 1]);
      assert.deepEqual(await blockOf(client, 'used'), [true, value(2), 1]);
    });
  });

  it('share a failure within the request, and name what is missing', async () => {
    const body = `const codes = [];
      for (const key of ['bad', 'bad', 'absent', 'nofn']) codes.push(await context.provider(key).catch((error) => error.code ?? error.message));
      return codes;`;
    const providers = {
      bad: `let n = 0; export default () => { n += 1; throw new Error('failed ' + n); };`,
      nofn: `export default 1;`,
    };
    assert.deepEqual(await ask({ routes: [jsonTool('fail', body)], providers }, 'fail'), [
      'failed 1',
      'failed 1',
      'provider-missing',
      'provider-invalid',
    ]);
  });
});

describe('layouts', () => {
  it('RT-50 get the route, and RT-52 the handle', async () => {
    const layout = `export default async ({ children, route, signal }) => {
      const { host } = await agent();
      return h(Agent.Result, { metadata: { ...route, host: host.value.name, signal: signal instanceof AbortSignal } }, children);
    };`;
    const fixture = { routes: [jsonTool('t', `return 1;`)], layouts: [layout] };
    await withServer(fixture, async ({ client }) => {
      const { _meta } = await client.callTool({ name: 't', arguments: {} });
      assert.deepEqual(_meta, {
        id: 'tool:notes/t',
        kind: 'tool',
        name: 't',
        serverId: 'mcp:notes',
        host: 'test-client',
        signal: true,
      });
    });
  });

  it('RT-51 a layout cannot put a boundary around a route that throws', async () => {
    const layout = `export default ({ children }) => h(Agent.Result, null, h(Suspense, { fallback: null }, children));`;
    const source = `const Deep = async () => { await sleep(5); throw new Error('deep'); };
      export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, () => h(Deep));`;
    await withServer({ routes: [{ name: 't', source }], layouts: [layout] }, async ({ client }) => {
      const result = await client.callTool({ name: 't', arguments: {} });
      assert.deepEqual(result, { content: [{ type: 'text', text: 'deep' }], isError: true });
    });
  });
});

describe('React on the server', () => {
  it('async components, use, cache, fragments and promises as children all work', async () => {
    const source = `
      let loads = 0;
      const load = cache(async (key) => { loads += 1; await sleep(5); return key + loads; });
      const Async = async () => h(Agent.Text, null, await load('x'));
      const Using = () => h(Agent.Text, null, use(load('x')));
      export const inputSchema = z.object({}); export const resultSchema = z.any();
      export default () => h(Agent.Result, null, [h(Async, { key: 'a' }), h(Using, { key: 'b' })],
        Promise.resolve(h(Agent.Text, null, 'promised')), null, false);`;
    await withServer({ routes: [{ name: 't', source }] }, async ({ client }) => {
      const { content } = await client.callTool({ name: 't', arguments: {} });
      assert.deepEqual(
        content,
        ['x1', 'x1', 'promised'].map((text) => ({ type: 'text', text })),
      );
    });
  });
});

describe('resources and prompts', () => {
  const resource: FixtureRoute = {
    kind: 'resource',
    name: 'readme',
    config: { uri: 'notes://readme', mimeType: 'text/plain', title: 'Readme', description: 'd', _meta: { a: 1 } },
    source: `export const inputSchema = z.object({ uri: z.string() }); export const resultSchema = z.object({ contents: z.array(z.any()) });
      export default async ({ input }) => h(Agent.Result, { value: { contents: [{ uri: input.uri, text: 'body' }] } });`,
  };
  const prompt: FixtureRoute = {
    kind: 'prompt',
    name: 'review',
    config: { title: 'Review', description: 'Reviews.' },
    source: `export const inputSchema = z.object({ topic: z.string().describe('What'), tone: z.string().optional() });
      export const resultSchema = z.object({ messages: z.array(z.any()) });
      export default ({ input }) => h(Agent.Result, { value: { messages: [{ role: 'user', content: { type: 'text', text: input.topic } }] } });`,
  };

  it('RT-25, RT-26 are listed and answer with their value', async () => {
    await withServer({ routes: [resource, prompt] }, async ({ client }) => {
      assert.deepEqual((await client.listResources()).resources, [{ name: 'readme', ...resource.config }]);
      assert.deepEqual((await client.readResource({ uri: 'notes://readme' })).contents, [
        { uri: 'notes://readme', text: 'body' },
      ]);
      assert.deepEqual((await client.listPrompts()).prompts, [
        {
          name: 'review',
          title: 'Review',
          description: 'Reviews.',
          arguments: [
            { name: 'topic', description: 'What', required: true },
            { name: 'tone', required: false },
          ],
        },
      ]);
      const { messages } = await client.getPrompt({ name: 'review', arguments: { topic: 'tests' } });
      assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'tests' } }]);
      assert.equal(client.getServerCapabilities()?.tools, undefined);
    });
  });

  it('answer in the newest revision too', async () => {
    const check: Parameters<typeof withServer>[1] = async ({ client }) => {
      const { contents } = await client.readResource({ uri: 'notes://readme' });
      assert.deepEqual(contents, [{ uri: 'notes://readme', text: 'body' }]);
      const { messages } = await client.getPrompt({ name: 'review', arguments: { topic: 'tests' } });
      assert.equal(messages.length, 1);
    };
    await withServer({ routes: [resource, prompt] }, check, { modern: true });
  });

  it('RT-27 fail as protocol errors', async () => {
    const throwing = {
      ...resource,
      source: `${resource.source.split('export default')[0]} export default () => { throw new Error('unread'); };`,
    };
    const shapeless = {
      ...prompt,
      source: prompt.source
        .replace('z.object({ messages: z.array(z.any()) })', 'z.any()')
        .replace('{ messages:', '{ nothing:'),
    };
    await withServer({ routes: [throwing, shapeless] }, async ({ client }) => {
      await assert.rejects(client.readResource({ uri: 'notes://readme' }), /unread/);
      await assert.rejects(client.readResource({ uri: 'notes://absent' }), /notes:\/\/absent/);
      await assert.rejects(client.getPrompt({ name: 'review', arguments: { topic: 'x' } }), /"messages" array/);
      await assert.rejects(client.getPrompt({ name: 'absent' }), /Unknown prompt: absent/);
      await assert.rejects(client.getPrompt({ name: 'review', arguments: {} }), {
        code: -32602,
        message: /The input of review .*topic/,
      });
    });
  });
});

describe('the newest protocol revision', () => {
  it('tells the client with each request', async () => {
    const body = `return [context.host, context.invocation.protocolRevision];`;
    const fixture = { routes: [jsonTool('open', body), jsonTool('hidden', `return 1;`, { excludeClients: ['COD'] })] };
    const check = async (clientName: string, names: string[]) =>
      withServer(
        fixture,
        async ({ client }) => {
          assert.deepEqual(
            (await client.listTools()).tools.map(({ name }) => name),
            names,
          );
          const [host, revision] = (await blockOf(client, 'open')) as [unknown, string];
          assert.deepEqual(host, { state: 'available', source: 'native', value: { name: clientName } });
          assert.ok(revision > '2026');
        },
        { clientName, modern: true },
      );
    await check('Codex CLI', ['open']);
    await check('other', ['open', 'hidden']);
  });
});
