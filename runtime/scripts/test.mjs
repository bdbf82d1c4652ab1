// Compiles tests/*.test.ts into .test/ and runs them. They load the emitted modules from dist/, as plugins do.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, '.test');

/** Resolves the roles to what was built, so that a test and a fixture share one instance. */
async function compile(names) {
  rmSync(out, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => `tests/${name}`),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfigRaw: {},
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(root, 'dist/runtime.json'))) run(['scripts/build.mjs']);
const wanted = process.argv.slice(2);
const names = readdirSync(join(root, 'tests'))
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();
await compile(names);
run(['--enable-source-maps', '--test', ...names.map((name) => join(out, name.replace(/\.ts$/, '.mjs')))]);
