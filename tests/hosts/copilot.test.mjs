import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { noteTools, portableRoot } from '../support/artifact.mjs';
import { describeHost } from './host.mjs';
import { chatCompletions, jsonLines, loopbackModel } from './loopback.mjs';

async function environment({ home }, t) {
  return {
    COPILOT_HOME: join(home, 'copilot'),
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_MODEL: 'gpt-4.1',
    COPILOT_PROVIDER_API_KEY: 'none',
    COPILOT_PROVIDER_BASE_URL: await loopbackModel(t, chatCompletions, { name: 'notes-search', input: { query: 'tea' } }),
  };
}

await describeHost('copilot', environment, (check) => {
  check('installs the portable root, and a turn calls a tool', async (box) => {
    const shelf = join(box.base, 'shelf');
    await cp(portableRoot(box.root, box.index), join(shelf, 'plugins', 'field-notes'), { recursive: true });
    const document = join(shelf, '.claude-plugin', 'marketplace.json');
    await mkdir(dirname(document), { recursive: true });
    await writeFile(document, JSON.stringify(shelfDocument));

    await box.runOk('plugin', 'marketplace', 'add', shelf);
    await box.runOk('plugin', 'install', 'field-notes@shelf');
    await assertSession(box);
  });

  check('does the same with the artifact root, whichever documents it finds there', async (box) => {
    await assertSession(box, '--plugin-dir', box.root);
  });
});

const shelfDocument = {
  name: 'shelf',
  owner: { name: 'Tests' },
  plugins: [{ name: 'field-notes', source: './plugins/field-notes' }],
};

/** The commands accept nearly everything with exit code 0; what counts is what a session has loaded. */
async function assertSession({ runOk }, ...options) {
  const { stdout } = await runOk(...options, '-p', 'hello', '--allow-all-tools', '--output-format', 'json');
  const events = jsonLines(stdout);
  const dataOf = (type) => events.filter((event) => event.type === type).map((event) => event.data);

  const [{ servers }] = dataOf('session.mcp_servers_loaded');
  const notes = servers.find(({ name }) => name === 'notes');
  assert.deepEqual({ status: notes?.status, source: notes?.source }, { status: 'connected', source: 'plugin' });
  const tools = dataOf('session.mcp_server_tools_loaded').find(({ serverName }) => serverName === 'notes');
  assert.equal(tools?.toolCount, noteTools.length);
  const skills = dataOf('session.skills_loaded').flatMap((data) => data.skills);
  assert.ok(skills.some(({ name, source }) => name === 'field-notes' && source === 'plugin'), JSON.stringify(skills));

  const calls = dataOf('tool.execution_complete');
  assert.deepEqual(calls.map(({ success }) => success), [true], JSON.stringify(calls));
  assert.match(calls[0].result.content, /2026-04-11-tea-for-a-long-walk/);
}
