import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { roleUrl, root } from './dist.ts';
import { type Fixture, Plugin, RawServer, generate, writeBoot } from './harness.ts';

const NOISY = `
  console.log('module log');
  export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, async () => {
    console.log('log'); console.info('info'); console.table([1]); process.stdout.write('raw\\n');
    return h(Agent.Result, null, h(Agent.Text, null, 'ok'));
  });`;
const HANGING = `export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, () => sleep(600_000));`;
const QUIET = `export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, () => h(Agent.Result));`;

type RawOptions = ConstructorParameters<typeof RawServer>[1];

async function withRaw(
  fixture: Fixture,
  body: (server: RawServer, plugin: Plugin) => Promise<void>,
  options: RawOptions = {},
): Promise<void> {
  const plugin = new Plugin();
  await run(plugin, generate(plugin, fixture), body, options);
}

async function run(
  plugin: Plugin,
  entry: string,
  body: (server: RawServer, plugin: Plugin) => Promise<void>,
  options: RawOptions = {},
): Promise<void> {
  const server = new RawServer(entry, options);
  try {
    await body(server, plugin);
  } finally {
    server.process.kill('SIGKILL');
    await server.exit;
    plugin.remove();
  }
}

describe('RT-100 the process', () => {
  it('keeps stdout for the protocol', async () => {
    await withRaw({ routes: [{ name: 't', source: NOISY }] }, async (server) => {
      await server.initialize();
      server.send({ id: 'call', method: 'tools/call', params: { name: 't', arguments: {} } });
      await server.answer('call');
      server.process.stdin?.end();
      assert.equal(await server.exit, 0);
      assert.ok(server.messages().every(({ jsonrpc }) => jsonrpc === '2.0'));
      for (const line of ['module log', 'log', 'info', 'raw'])
        assert.match(server.stderr, new RegExp(`^${line}$`, 'm'));
    });
  });

  it('ends with 0 when stdin closes, also during a call', async () => {
    await withRaw({ routes: [{ name: 't', source: HANGING }] }, async (server) => {
      await server.initialize();
      server.send({ id: 'call', method: 'tools/call', params: { name: 't', arguments: {} } });
      server.process.stdin?.end();
      assert.equal(await server.exit, 0);
    });
  });

  it('answers what was piped in before stdin closed', async () => {
    const slow = `export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() },
      async () => (await sleep(50), h(Agent.Result, null, h(Agent.Text, null, 'late'))));`;
    await withRaw({ routes: [{ name: 't', source: slow }] }, async (server) => {
      const clientInfo = { name: 'pipe', version: '1' };
      server.send({
        id: '1',
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
      });
      server.send({ method: 'notifications/initialized' });
      server.send({ id: '2', method: 'tools/call', params: { name: 't', arguments: {} } });
      server.process.stdin?.end();
      assert.equal(await server.exit, 0);
      assert.deepEqual(
        server.messages().map(({ id }) => id),
        ['1', '2'],
      );
    });
  });

  it('RT-24 refuses what an old protocol revision cannot carry', async () => {
    const audio = `export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() },
      () => h(Agent.Result, null, h(Agent.Audio, { data: 'AA==', mimeType: 'audio/wav' })));`;
    await withRaw({ routes: [{ name: 't', source: audio }] }, async (server) => {
      await server.initialize('2024-11-05');
      server.send({ id: 'call', method: 'tools/call', params: { name: 't', arguments: {} } });
      const { result } = await server.answer('call');
      assert.match(JSON.stringify(result), /unsupported-rich-content: audio/);
    });
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`ends with ${code} on ${signal}`, async () => {
      await withRaw({ routes: [{ name: 't', source: HANGING }] }, async (server) => {
        await server.initialize();
        server.process.kill(signal);
        assert.equal(await server.exit, code);
      });
    });
  }

  it('labels what it reports', async () => {
    await withRaw({ routes: [{ name: 't', source: QUIET }] }, async (server) => {
      await server.initialize();
      server.process.stdin?.end();
      await server.exit;
      assert.equal(server.stderr, '[notes] initialize\n');
    });
  });
});

describe('a server that cannot start', () => {
  const cases: [name: string, source: string, message: RegExp][] = [
    [
      'a default export that is no function',
      `export const inputSchema = z.object({}); export const resultSchema = z.any(); export default 1;`,
      /tool:notes\/t: the default export must be .*type number/,
    ],
    [
      'no default export',
      `export const inputSchema = z.object({}); export const resultSchema = z.any();`,
      /tool:notes\/t: the default export must be .*missing/,
    ],
    [
      'a handler that is no function',
      `export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, {});`,
      /tool:notes\/t: the second argument of defineTool must be a function/,
    ],
    [
      'no input schema',
      `export default defineTool({ resultSchema: z.any() }, () => null);`,
      /tool:notes\/t: inputSchema must be a schema .*missing/,
    ],
    [
      'an input that is no object',
      `export default defineTool({ inputSchema: z.string(), resultSchema: z.any() }, () => null);`,
      /tool:notes\/t: inputSchema must describe one object/,
    ],
    [
      'an input that is a union',
      `export default defineTool({ inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), resultSchema: z.any() }, () => null);`,
      /tool:notes\/t: inputSchema must describe one object/,
    ],
    [
      'a schema without JSON Schema',
      `export default defineTool({ inputSchema: { parse: (x) => x }, resultSchema: z.any() }, () => null);`,
      /tool:notes\/t: inputSchema cannot be listed: .*zod 4\.2/,
    ],
  ];
  for (const [name, source, message] of cases) {
    it(`says why: ${name}`, async () => {
      await withRaw({ routes: [{ name: 't', source }] }, async (server) => {
        assert.equal(await server.exit, 1);
        assert.match(server.stderr, message);
        assert.equal(server.stderr.trim().split('\n').length, 1);
        assert.equal(server.stdout, '');
      });
    });
  }

  it('refuses a placeholder that the host left in an argument or a variable', async () => {
    const fixture = { routes: [{ name: 't', source: QUIET }], manifestEnv: { API_KEY: '${API_KEY}' } };
    const options = { args: ['--ok', '${CLAUDE_PLUGIN_ROOT}/x'], env: { API_KEY: '${API_KEY}' } };
    await withRaw(
      fixture,
      async (server) => {
        assert.equal(await server.exit, 1);
        assert.match(server.stderr, /did not expand the placeholder in API_KEY, argument 2;/);
      },
      options,
    );
  });

  it('starts when the operator has given the value', async () => {
    const fixture = {
      routes: [{ name: 't', source: QUIET }],
      manifestEnv: { API_KEY: '${API_KEY}' },
      files: { '.env': 'API_KEY=given' },
    };
    await withRaw(fixture, async (server) => void (await server.initialize()), { env: { API_KEY: '${API_KEY}' } });
  });
});

describe('RT-104 the operator layer', () => {
  it('is in place before any module of the plugin evaluates', async () => {
    const source = `const seen = [process.env.FILLED, process.env.KEPT, process.env.DEFAULTED];
      export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, () => h(Agent.Result, null, h(Agent.Json, { value: seen })));`;
    const fixture = {
      routes: [{ name: 't', source }],
      manifestEnv: { DEFAULTED: 'default' },
      files: { '.env': 'FILLED=env\nKEPT=env\nDEFAULTED=env', '.env.local': 'FILLED=local' },
    };
    await withRaw(
      fixture,
      async (server) => {
        await server.initialize();
        server.send({ id: 'call', method: 'tools/call', params: { name: 't', arguments: {} } });
        const { result } = (await server.answer('call')) as { result: { content: { text: string }[] } };
        assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), ['local', 'host', 'env']);
      },
      { env: { KEPT: 'host', DEFAULTED: 'default' } },
    );
  });
});

describe('RT-101 handwritten entries', () => {
  const SDK = `import { McpServer } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server'))};
    const make = () => new McpServer({ name: 'mine', version: '1.0.0' });`;

  function entry(plugin: Plugin, author: string, file = 'author.mjs'): string {
    writeBoot(plugin);
    plugin.write(`mcp/${file}`, author);
    return plugin.write(
      'mcp/own.mjs',
      `import './boot.mjs';
      import * as module from './${file}';
      import { serveFactory } from ${JSON.stringify(roleUrl('mcp'))};
      await serveFactory({ label: 'own', module });`,
    );
  }

  const working: [name: string, author: string, file?: string][] = [
    ['a factory', `${SDK} console.log('noise'); export default () => make();`],
    ['an asynchronous factory', `${SDK} export default async () => make();`],
    [
      'a CommonJS module',
      `const { McpServer } = require(${JSON.stringify(join(root, 'node_modules/@modelcontextprotocol/server'))});
        module.exports = () => new McpServer({ name: 'mine', version: '1.0.0' });`,
      'author.cjs',
    ],
  ];
  for (const [name, author, file] of working) {
    it(`serves ${name}`, async () => {
      const plugin = new Plugin();
      await run(plugin, entry(plugin, author, file), async (server) => {
        const { result } = (await server.initialize()) as { result: { serverInfo: { name: string } } };
        assert.equal(result.serverInfo.name, 'mine');
        server.process.stdin?.end();
        assert.equal(await server.exit, 0);
        assert.ok(server.messages().every(({ jsonrpc }) => jsonrpc === '2.0'));
      });
    });
  }

  it('discards a wrapper over stdout, and says so', async () => {
    const plugin = new Plugin();
    const author = `${SDK} process.stdout.write = () => true; export default () => make();`;
    await run(plugin, entry(plugin, author), async (server) => {
      await server.initialize();
      assert.equal(server.stderr.match(/replaced process\.stdout\.write/g)?.length, 1);
    });
  });

  const refused: [name: string, author: string, message: RegExp][] = [
    ['no factory', `export const x = 1;`, /\[own\] cannot start: the entry must export, by default, a function/],
    ['a factory that returns no server', `export default () => ({});`, /connect\(transport\)/],
    [
      'a factory that throws',
      `export default () => { throw new Error('broken'); };`,
      /\[own\] cannot start: Error: broken/,
    ],
  ];
  for (const [name, author, message] of refused) {
    it(`refuses ${name}`, async () => {
      const plugin = new Plugin();
      await run(plugin, entry(plugin, author), async (server) => {
        assert.equal(await server.exit, 1);
        assert.match(server.stderr, message);
      });
    });
  }
});
