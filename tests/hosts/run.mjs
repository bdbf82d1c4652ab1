// Installs every host that can be had, runs all host checks against one artifact, and says what was checked:
//   node tests/hosts/run.mjs --artifact DIR
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { artifactFolder, readIndex } from '../support/artifact.mjs';
import { HostUnavailable, hostNames, installHost } from './install.mjs';

const { values } = parseArgs({ options: { artifact: { type: 'string' } } });
if (values.artifact) process.env.AGENT_BUNDLE_ARTIFACT = values.artifact;
process.env.AGENT_BUNDLE_ARTIFACT = artifactFolder();
await readIndex(artifactFolder());

const versions = {};
const unavailable = {};
for (const name of hostNames) {
  console.log(`Getting ${name}`);
  try {
    versions[name] = (await installHost(name)).version;
  } catch (error) {
    if (!(error instanceof HostUnavailable)) throw error;
    unavailable[name] = error.message;
  }
}
// The test files run in processes of their own and need not try again.
process.env.AGENT_BUNDLE_UNAVAILABLE_HOSTS = JSON.stringify(unavailable);

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = (await readdir(folder)).filter((name) => name.endsWith('.test.mjs')).map((name) => join(folder, name));
const counts = { passed: 0, failed: 0, skipped: 0 };
const failedHosts = new Set();

for await (const { type, data } of run({ files, concurrency: 1, timeout: 300_000 })) {
  if (type === 'test:pass') {
    counts[data.skip === undefined ? 'passed' : 'skipped'] += 1;
    console.log(`${data.skip === undefined ? 'ok  ' : 'skip'} ${data.name}`);
  } else if (type === 'test:fail') {
    counts.failed += 1;
    // A test is named after its host; a file that fails as a whole, after itself.
    failedHosts.add(basename(data.name, '.test.mjs').split(':')[0]);
    console.log(`FAIL ${data.name}\n${data.details.error.cause?.message ?? data.details.error.message}`);
  }
}

console.log();
for (const name of hostNames) {
  const verdict = failedHosts.has(name) ? ', and it failed' : '';
  console.log(`${name}: ${name in unavailable ? `NOT CHECKED: ${unavailable[name]}` : `checked ${versions[name]}${verdict}`}`);
}
console.log('cursor: NOT CHECKED: no program of it can be had without an account');
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
