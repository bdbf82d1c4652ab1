import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { roleUrl } from './dist.ts';
import { Plugin } from './harness.ts';

interface Roots {
  readonly source: string;
  readonly value: { readonly root: string; readonly stateRoot: string };
}

/** What an executable in `directory` resolves under `env`, and what it reports. */
function resolveIn(directory: string | undefined, env: Record<string, string>): Roots & { stderr: string } {
  const script = `import { pluginRoots, resolveCodeRoot } from ${JSON.stringify(roleUrl('core'))};
    console.log(JSON.stringify(pluginRoots(resolveCodeRoot(${JSON.stringify({ entryDirectory: directory })}))));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/h', ...env },
    cwd: '/',
    encoding: 'utf8',
  });
  return { ...(JSON.parse(stdout) as Roots), stderr };
}

const ENTRY = '/opt/p/my-plugin/mcp';

describe('RT-71b plugin and state roots', () => {
  it('takes an expanded root as it is', () => {
    const { source, value, stderr } = resolveIn(ENTRY, { AGENT_BUNDLE_PLUGIN_ROOT: '/x' });
    assert.deepEqual([source, value.root, stderr], ['native', '/x', '']);
  });

  it('reports a placeholder once and derives the root', () => {
    const { source, value, stderr } = resolveIn(ENTRY, { AGENT_BUNDLE_PLUGIN_ROOT: '${CLAUDE_PLUGIN_ROOT}' });
    assert.deepEqual([source, value.root], ['derived', '/opt/p/my-plugin']);
    assert.match(stderr, /^agent-bundle: AGENT_BUNDLE_PLUGIN_ROOT .*\n$/);
  });

  it('takes a blank root for unset, silently', () => {
    const { source, stderr } = resolveIn(ENTRY, { AGENT_BUNDLE_PLUGIN_ROOT: '  ' });
    assert.deepEqual([source, stderr], ['derived', '']);
  });

  it('RT-70 does not trim, and resolves to an absolute path', () => {
    assert.equal(resolveIn(ENTRY, { AGENT_BUNDLE_PLUGIN_ROOT: ' a ' }).value.root, '/ a ');
  });

  it('keeps state below the home directory', () => {
    assert.match(resolveIn(ENTRY, {}).value.stateRoot, /^\/h\/\.agent-bundle\/state\/my-plugin-[0-9a-f]{16}$/);
  });

  it('keeps state where XDG says, when that is absolute', () => {
    assert.match(
      resolveIn(ENTRY, { XDG_STATE_HOME: '/s' }).value.stateRoot,
      /^\/s\/agent-bundle\/my-plugin-[0-9a-f]{16}$/,
    );
    assert.match(resolveIn(ENTRY, { XDG_STATE_HOME: 'rel' }).value.stateRoot, /^\/h\/\.agent-bundle\/state\//);
  });

  it('gives two links to one directory one digest', () => {
    const plugin = new Plugin();
    plugin.write('real/mcp/a.mjs', '');
    for (const name of ['one', 'two']) symlinkSync(`${plugin.root}/real`, `${plugin.root}/${name}`);
    const digests = ['one', 'two'].map((name) =>
      resolveIn(`${plugin.root}/${name}/mcp`, {}).value.stateRoot.slice(-16),
    );
    assert.equal(digests[0], digests[1]);
    plugin.remove();
  });

  it('names the state of an unnameable root "plugin"', () => {
    for (const root of ['/', '/a:b', '/con', '/dots.']) {
      const { stateRoot } = resolveIn(ENTRY, { AGENT_BUNDLE_PLUGIN_ROOT: root }).value;
      assert.match(stateRoot, /\/plugin-[0-9a-f]{16}$/, root);
    }
  });

  it('RT-71a resolves the two independently', () => {
    const env = { AGENT_BUNDLE_PLUGIN_ROOT: '/x', AGENT_BUNDLE_STATE_ROOT: '${STATE}' };
    const { source, value, stderr } = resolveIn(ENTRY, env);
    assert.deepEqual([source, value.root], ['native', '/x']);
    assert.match(value.stateRoot, /^\/h\/\.agent-bundle\/state\/x-/);
    assert.match(stderr, /^agent-bundle: AGENT_BUNDLE_STATE_ROOT .*\n$/);
    assert.equal(resolveIn(ENTRY, { AGENT_BUNDLE_STATE_ROOT: 'rel' }).value.stateRoot, '/rel');
  });

  it('finds the root above nested and other executables', () => {
    for (const directory of ['bin', 'hooks', 'scripts/deep', 'mcp/notes']) {
      assert.equal(resolveIn(`/opt/bin/p/${directory}`, {}).value.root, '/opt/bin/p', directory);
    }
  });

  it('RT-70 falls back to .agent-bundle outside an artifact', () => {
    assert.deepEqual(resolveIn(undefined, {}).value, { root: '/.agent-bundle', stateRoot: '/.agent-bundle/state' });
  });
});
