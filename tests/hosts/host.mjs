import assert from 'node:assert/strict';
import test from 'node:test';

import { sandbox } from '../support/artifact.mjs';
import { cleanEnvironment, run, runOk } from '../support/process.mjs';
import { HostUnavailable, installHost } from './install.mjs';

/**
 * Declares the tests of one host; each gets a sandbox and the host's program in it. Only a host that cannot be had here is
 * skipped; one that is there and does not do what it should is a failure.
 */
export async function describeHost(name, environmentOf, tests) {
  const { host, skip } = await available(name);
  const check = (title, body) =>
    test(`${name}: ${title}`, { skip }, async (t) => {
      const box = await sandbox(t);
      const env = cleanEnvironment(box.home, await environmentOf(box, t));
      const options = { cwd: box.project, env };
      const command = (args) => [...host.command, ...args];
      await body({
        ...box,
        env,
        command,
        run: (...args) => run(command(args), options),
        runOk: (...args) => runOk(command(args), options),
      });
    });
  check('is the pinned version', async ({ runOk }) => {
    const { stdout } = await runOk('--version');
    assert.ok(stdout.includes(host.version), stdout);
  });
  tests(check);
}

async function available(name) {
  const known = JSON.parse(process.env.AGENT_BUNDLE_UNAVAILABLE_HOSTS ?? '{}')[name];
  if (known) return { skip: known };
  try {
    return { host: await installHost(name), skip: false };
  } catch (error) {
    if (error instanceof HostUnavailable) return { skip: error.message };
    throw error;
  }
}
