import assert from 'node:assert/strict';
import { join } from 'node:path';

import { projection } from '../support/artifact.mjs';
import { describeHost } from './host.mjs';
import { jsonLines, loopbackModel, messages } from './loopback.mjs';

const search = 'mcp__plugin_field-notes_notes__search';

const environment = async ({ home }, t) => ({
  CLAUDE_CONFIG_DIR: join(home, 'config'),
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ANTHROPIC_API_KEY: 'none',
  ANTHROPIC_BASE_URL: await loopbackModel(t, messages, { name: search, input: { query: 'tea' } }),
});

await describeHost('claude', environment, (check) => {
  // Asked for the root, which holds both documents, the validator judges the marketplace and leaves the plugin's alone.
  const targets = {
    marketplace: ({ root }) => root,
    plugin: ({ root, index }) => join(root, projection(index, 'claude').documents.plugin),
  };
  for (const [kind, target] of Object.entries(targets)) {
    check(`its strict validator accepts the ${kind}`, async (box) => {
      const { stdout } = await box.runOk('plugin', 'validate', '--strict', '--json', target(box));
      const verdict = JSON.parse(stdout);
      assert.equal(verdict.manifest.type, kind);
      const { skills, commands, mcpServers } = verdict.provides;
      assert.deepEqual(skills, ['field-notes:field-notes']);
      assert.deepEqual(commands, ['field-notes:capture']);
      assert.deepEqual(mcpServers.map(({ name }) => name), ['notes']);
    });
  }

  check('installs the plugin and connects to its server', async ({ root, index, runOk }) => {
    const id = `field-notes@${projection(index, 'claude').marketplace.name}`;
    await runOk('plugin', 'marketplace', 'add', root);
    await runOk('plugin', 'install', id, '--json');
    const installed = JSON.parse((await runOk('plugin', 'list', '--json')).stdout);
    assert.equal(installed.find((plugin) => plugin.id === id)?.enabled, true);
    // The exit code is 0 either way.
    assert.match((await runOk('mcp', 'list')).stdout, /^plugin:field-notes:notes: .*✔ Connected$/m);
    await runOk('plugin', 'uninstall', id);
  });

  check('a turn of the model calls a tool', async ({ root, runOk }) => {
    const output = ['--output-format', 'stream-json', '--verbose'];
    const { stdout } = await runOk('-p', 'hello', '--plugin-dir', root, '--allowedTools', search, ...output);
    const answer = jsonLines(stdout).find((line) => line.tool_use_result)?.tool_use_result;
    assert.equal(answer?.structuredContent?.total, 2, stdout);
  });
});
