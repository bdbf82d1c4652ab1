// SARIF logs have the shape that the standard's declarations give them: `tsc` reads a log as a value of that type, so an
// unknown member, a missing one or a wrong word is refused. `AGENT_BUNDLE` is the program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const codes = join(here, '../codes');

function log(project) {
  const given = ['validate', '--root', join(codes, project, 'wrong'), '--message-format', 'sarif'];
  return spawnSync(process.env.AGENT_BUNDLE, given, { encoding: 'utf8' }).stdout;
}

/** What `tsc` says of the texts as logs. */
function check(folder, logs) {
  const values = logs.map((text, at) => `export const log${at}: Log = ${text};\n`);
  const path = join(folder, 'logs.ts');
  writeFileSync(path, `import type { Log } from 'sarif';\n${values.join('')}`);
  const tsc = join(here, 'node_modules/typescript/lib/tsc.js');
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--pretty', 'false'];
  const types = ['--typeRoots', join(here, 'node_modules/@types'), '--types', 'sarif'];
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...options, ...types, path], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trim();
}

it('the log of every wrong project is a SARIF 2.1.0 log', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'sarif-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const logs = readdirSync(codes).map(log);
  const results = logs.flatMap((text) => JSON.parse(text).runs[0].results);
  assert.ok(results.length > 100, `${results.length} results`);
  assert.equal(check(folder, logs), '');
  const broken = JSON.parse(logs[0]);
  broken.runs[0].results = [{ mesage: { text: 'x' } }];
  assert.match(check(folder, [JSON.stringify(broken)]), /mesage/);
});
