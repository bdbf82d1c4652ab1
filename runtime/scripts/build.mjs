// Bundles the runtime roles into dist/. The bytes depend on the sources and the lock file alone: no clock, no absolute
// path, no directory order.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licenseText } from './licenses.mjs';
import { listFiles } from './files.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

// Bottom-up: a role's file name holds the digest of its content, and its importers hold that name.
const ROLES = [
  { name: 'decoder', conditions: [], imports: [] },
  { name: 'core', conditions: ['react-server'], imports: ['decoder'], inject: ['src/core/async-local-storage.ts'] },
  { name: 'mcp', conditions: ['react-server'], imports: ['core'] },
];

/** Leaves imports of sibling roles in place, spelled as the sibling's emitted file name. */
function siblings(files) {
  return {
    name: 'siblings',
    setup(bundler) {
      bundler.onResolve({ filter: /^#(core|decoder)$/ }, ({ path }) => ({
        path: `./${files[path.slice(1)]}`,
        external: true,
      }));
    },
  };
}

/** Replaces the SDK's environment shims: they carry a schema validator that no generated server ever asks. */
const sdkShims = {
  name: 'sdk-shims',
  setup(bundler) {
    bundler.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: join(root, 'src/mcp/sdk-shims.ts'),
    }));
  },
};

async function bundleRole(role, files) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [`src/${role.name}/index.ts`],
    inject: role.inject ?? [],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: role.conditions,
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfigRaw: {},
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    outdir: 'dist',
    plugins: [siblings(files), sdkShims],
  });
  const bytes = result.outputFiles[0].contents;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return { file: `runtime-${role.name}-${hash}.mjs`, bytes, inputs: Object.keys(result.metafile.inputs) };
}

async function main() {
  const files = {};
  const outputs = [];
  const inputs = [];
  for (const role of ROLES) {
    const bundle = await bundleRole(role, files);
    files[role.name] = bundle.file;
    inputs.push(...bundle.inputs);
    outputs.push(bundle);
  }

  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  for (const { file, bytes } of outputs) writeFileSync(join(dist, file), bytes);
  writeFileSync(join(dist, 'runtime-licenses.txt'), licenseText(root, inputs));
  cpSync(join(root, 'types'), join(dist, 'types'), { recursive: true });

  const roles = Object.fromEntries(
    [...ROLES]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((role) => [role.name, { file: files[role.name], imports: role.imports }]),
  );
  const index = {
    version: 1,
    roles,
    licenses: 'runtime-licenses.txt',
    types: listFiles(join(root, 'types')).map((path) => `types/${path}`),
  };
  writeFileSync(join(dist, 'runtime.json'), `${JSON.stringify(index, null, 2)}\n`);
}

await main();
