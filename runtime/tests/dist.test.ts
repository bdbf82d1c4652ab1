import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'node:test';
import { index, loadCore, root } from './dist.ts';
import { Plugin } from './harness.ts';

const dist = join(root, 'dist');
const read = (file: string) => readFileSync(join(dist, file), 'utf8');

describe('the emitted files', () => {
  const roles = Object.entries(index.roles);

  it('are named after their content', () => {
    for (const [role, { file }] of roles) {
      const digest = createHash('sha256')
        .update(readFileSync(join(dist, file)))
        .digest('hex')
        .slice(0, 8);
      assert.equal(file, `runtime-${role}-${digest}.mjs`);
    }
  });

  it('import built-ins and the siblings they name, and nothing else', () => {
    for (const [role, { file, imports }] of roles) {
      const text = read(file);
      const specifiers = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g)].map(
        ([, specifier]) => specifier ?? '',
      );
      // A blank marks prose in an error message.
      const siblings = specifiers.filter((specifier) => !specifier.startsWith('node:') && !specifier.includes(' '));
      assert.deepEqual(
        [...new Set(siblings)].sort(),
        imports.map((name) => `./${index.roles[name as 'core'].file}`).sort(),
        role,
      );
      assert.doesNotMatch(text, /\brequire\(["']/, role);
      assert.doesNotMatch(text, /Dynamic require/, role);
    }
  });

  it('hold no path of this machine', () => {
    for (const file of readdirSync(dist).filter((name) => name.includes('.'))) {
      const text = read(file);
      for (const needle of [root, 'node_modules']) assert.ok(!text.includes(needle), `${needle} in ${file}`);
    }
  });

  it('list what there is, with the licences of what is inlined', () => {
    assert.equal(index.version, 1);
    for (const file of [...index.types, index.licenses]) read(file);
    const packages = [...read(index.licenses).matchAll(/^={80}\n(\S+) \S+ \(\S+\)\n={80}$/gm)].map(
      ([, name]) => name ?? '',
    );
    for (const name of ['react', 'react-server-dom-parcel', '@modelcontextprotocol/server', 'zod'])
      assert.ok(packages.includes(name), name);
    assert.deepEqual(packages, [...packages].sort());
  });

  it('work from a folder that holds nothing else', async () => {
    const plugin = new Plugin();
    for (const [, { file }] of roles) cpSync(join(dist, file), join(plugin.root, file));
    await import(pathToFileURL(join(plugin.root, index.roles.core.file)).href);
    plugin.remove();
  });
});

describe('the core namespace', () => {
  it('has everything that React exports on the server', async () => {
    const core = (await loadCore()) as unknown as Record<string, unknown>;
    const list = `const names = (path) => Object.entries(require(path)).filter(([, value]) => value !== undefined).map(([name]) => name);
      console.log(JSON.stringify([...names('react'), ...names('react/jsx-runtime')]));`;
    const { stdout } = spawnSync(process.execPath, ['--conditions=react-server', '-e', list], {
      cwd: root,
      encoding: 'utf8',
      env: { NODE_ENV: 'production' },
    });
    for (const name of JSON.parse(stdout) as string[]) assert.ok(name in core, name);
    assert.equal((core['default'] as Record<string, unknown>)['createElement'], core['createElement']);
    assert.equal(typeof core['jsxDEV'], 'function');
  });

  it('has everything that authors import', async () => {
    const core = (await loadCore()) as unknown as Record<string, unknown>;
    const names = [
      'Agent',
      'agent',
      'useAgent',
      'MarkdownContent',
      'renderToMarkdown',
      'renderToMarkdownStream',
      'attachMcpStructuredContent',
      'resolvePluginRoot',
      'DEFAULT_AGENT_RENDER_LIMITS',
      'defineTool',
      'events',
      'appResourceUri',
      'MAX_ROUTE_RENDER_ELAPSED_MS',
      'canonicalAgentEvents',
      'applyOperatorEnv',
      'operatorEnvPluginRoot',
    ];
    for (const name of names) assert.ok(core[name] !== undefined, name);
  });

  it('SC-25 has a helper for each event', async () => {
    const { canonicalAgentEvents, events } = await loadCore();
    for (const event of canonicalAgentEvents) {
      const path = event
        .split('/')
        .map((part) => part.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase()));
      const helper = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], events) as (
        config: object,
        handler: unknown,
      ) => { event: string };
      assert.equal(helper({}, () => {}).event, event);
    }
  });
});
