import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { noteTools, portableRoot, projection } from '../support/artifact.mjs';
import { killGroup } from '../support/process.mjs';
import { describeHost } from './host.mjs';
import { jsonLines, loopbackModel, responses } from './loopback.mjs';

async function environment({ home }, t) {
  const codexHome = join(home, '.codex');
  const url = await loopbackModel(t, responses, { namespace: 'mcp__notes', name: 'search', input: { query: 'tea' } });
  await mkdir(codexHome);
  await writeFile(
    join(codexHome, 'config.toml'),
    `model = "loopback"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = "${url}"
wire_api = "responses"
`,
  );
  return { CODEX_HOME: codexHome };
}

await describeHost('codex', environment, (check) => {
  check('installs the plugin, reads all of it, and a turn calls a tool', async (box) => {
    const { marketplace, documents } = projection(box.index, 'codex');
    const document = join(box.root, documents.marketplace);
    await assertInstalls(box, box.root, document, marketplace.name);
  });

  check('does the same with the portable root alone', async (box) => {
    const shelf = join(box.base, 'shelf');
    await cp(portableRoot(box.root, box.index), join(shelf, 'plugins', 'field-notes'), { recursive: true });
    const document = join(shelf, '.agents', 'plugins', 'marketplace.json');
    await mkdir(dirname(document), { recursive: true });
    await writeFile(document, JSON.stringify(shelfDocument));
    await assertInstalls(box, shelf, document, shelfDocument.name);
  });
});

const shelfDocument = {
  name: 'shelf',
  plugins: [
    {
      name: 'field-notes',
      source: { source: 'local', path: './plugins/field-notes' },
      policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
      category: 'Productivity',
    },
  ],
};

async function assertInstalls(box, marketplaceRoot, marketplacePath, marketplaceName) {
  await box.runOk('plugin', 'marketplace', 'add', marketplaceRoot, '--json');
  await box.runOk('plugin', 'add', `field-notes@${marketplaceName}`, '--json');

  await withAppServer(box, async (request) => {
    const { plugin } = await request('plugin/read', { marketplacePath, pluginName: 'field-notes' });
    assert.equal(plugin.summary.installed, true);
    assert.deepEqual(plugin.skills.map(({ name }) => name), ['field-notes:field-notes']);
    assert.deepEqual(plugin.mcpServers, ['notes']);

    const { data: hooks } = await request('hooks/list', { cwds: [await realpath(box.project)] });
    for (const { warnings, errors } of hooks) assert.deepEqual({ warnings, errors }, { warnings: [], errors: [] });

    const { data: servers } = await request('mcpServerStatus/list', {});
    const notes = servers.find(({ name }) => name === 'notes');
    assert.ok(notes, JSON.stringify(servers));
    assert.deepEqual(Object.keys(notes.tools).sort(), noteTools, JSON.stringify(notes));
  });

  const { stdout } = await box.runOk('exec', '--skip-git-repo-check', '--json', 'hello');
  const calls = jsonLines(stdout).map(({ item }) => item).filter((item) => item?.type === 'mcp_tool_call');
  assert.equal(calls.at(-1)?.result?.structured_content?.total, 2, stdout);
}

/** The app server takes and gives one JSON message a line. */
async function withAppServer({ command, env, project }, use) {
  const [program, ...args] = command(['app-server']);
  const child = spawn(program, args, { cwd: project, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    const pending = waiting.get(message.id);
    if (!pending) return;
    waiting.delete(message.id);
    if (message.error) pending.reject(new Error(JSON.stringify(message.error)));
    else pending.resolve(message.result);
  });
  const fail = (why) => {
    for (const { reject } of waiting.values()) reject(new Error(`codex app-server ${why}\n${errors}`));
    waiting.clear();
  };
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code) => fail(`ended with ${code}`));
  const timer = setTimeout(() => fail('did not answer in a minute'), 60_000);

  let lastId = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  try {
    const clientInfo = { name: 'agent-bundle-tests', version: '0' };
    await request('initialize', { clientInfo, capabilities: { experimentalApi: true } });
    send({ method: 'initialized' });
    await use(request);
  } finally {
    clearTimeout(timer);
    killGroup(child);
  }
}
