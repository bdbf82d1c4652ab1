// Declarations follow the project. `AGENT_BUNDLE` is the program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const example = join(here, '../../examples/field-notes');
let project;

function write(path, text) {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

function declare() {
  const { status, stderr } = spawnSync(process.env.AGENT_BUNDLE, ['types', '--root', project], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** What `tsc` says, by line. */
function check() {
  const tsc = join(here, 'node_modules/typescript/lib/tsc.js');
  const types = join(here, 'node_modules/@types');
  const given = [tsc, '-p', project, '--pretty', 'false', '--typeRoots', types, '--types', 'node'];
  const { stdout, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8', cwd: project });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line.trim() !== '');
}

it('every kind of route has a row, and a renamed tool makes tsc refuse its old id', (test) => {
  project = mkdtempSync(join(tmpdir(), 'rename-'));
  test.after(() => rmSync(project, { recursive: true }));
  for (const part of ['src', 'assets', 'agent-bundle.toml', 'package.json', 'tsconfig.json']) {
    cpSync(join(example, part), join(project, part), { recursive: true });
  }
  symlinkSync(join(example, 'node_modules'), join(project, 'node_modules'));
  write('src/events/stop.ts', `import { events } from 'agent-bundle/routes';\nexport default events.stop({}, () => {});\n`);
  write(
    'src/cli/tidy.ts',
    `import { z } from 'zod';
export const inputSchema = z.object({ days: z.number().default(7) });
export const resultSchema = z.object({ removed: z.number() });
export default async ({ input }: { input: z.output<typeof inputSchema> }) => ({ removed: input.days });
`,
  );
  write(
    'src/uses.ts',
    `import type { Register } from '@agent-bundle/runtime';
type Routes = Register['routes'];
export const search: Routes['tool:notes/search']['input'] = { query: 'moss' };
export const tidy: Routes['cli:tidy']['input'] = {};
export const removed: Routes['cli:tidy']['result'] = { removed: 1 };
export const stop: Routes['event:stop']['input']['canonical']['event'] = 'stop';
export const nothing: Routes['event:stop']['result'] = undefined;
`,
  );
  write(
    'src/settings.ts',
    `import { defineConfig } from 'agent-bundle';
import type { Config } from 'agent-bundle/config';
export default defineConfig({
  plugin: { name: 'notes', metadata: { license: null } },
  skills: 'src/skills/*',
  mcp: { servers: { notes: { apps: { board: { entry: 'a.tsx', resourceUri: 'ui://a/b' } } } } },
  routes: { mcpCommands: true },
  claude: { userConfig: {} },
}) satisfies Config;
// @ts-expect-error: no such setting
export const wrong: Config = { plugin: { name: 'notes' }, tragets: [] };
`,
  );
  declare();
  assert.deepEqual(check(), []);
  const tools = join(project, 'src/mcp/notes/tools');
  renameSync(join(tools, 'search.tsx'), join(tools, 'find.tsx'));
  declare();
  const told = check();
  assert.equal(told.length, 1, told.join('\n'));
  assert.match(told[0], /^src\/uses\.ts\(3,29\): error TS2339: .*'tool:notes\/search'/);
});
