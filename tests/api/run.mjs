// The HTTP service against its own description: the OpenAPI document is valid, and no generated request gets an answer
// that the document does not tell of, or one of the server's own faults.
//   node tests/api/run.mjs [path of agent-bundle]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { cacheFolder, exists } from '../support/cache.mjs';
import { describe, run, runOk } from '../support/process.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SECONDS = '35';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];

/** The checkers cannot be had here, through no fault of the code under test. */
class Unavailable extends Error {}

/** Installs the pinned checkers unless that is done already; gives the folder of their programs. */
async function install() {
  const requirements = here('requirements.txt');
  const key = createHash('sha256').update(await readFile(requirements)).digest('hex').slice(0, 16);
  const cache = join(cacheFolder(), 'api');
  const folder = join(cache, key);
  if (await exists(join(folder, 'complete'))) return join(folder, 'bin');
  await mkdir(cache, { recursive: true });
  // Python's environments know their own path, so the folder is made in place and marked when it is complete.
  await rm(folder, { recursive: true, force: true });
  const steps = [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements],
  ];
  for (const step of steps) {
    const result = await run(step, { env: process.env, timeoutMs: 300_000 }).catch((error) => {
      throw new Unavailable(`${step[0]} does not start: ${error.code}`);
    });
    if (result.code === 0) continue;
    const absent = /No module named|ensurepip|No matching distribution|Connection|Temporary failure|timed out|Max retries/;
    if (result.timedOut || absent.test(result.stderr)) throw new Unavailable(`\`${step.join(' ')}\` failed`);
    throw new Error(describe(result));
  }
  await writeFile(join(folder, 'complete'), '');
  return join(folder, 'bin');
}

/** Starts the service; gives its address and a way to end it. */
function serve(program, env) {
  const child = spawn(program, ['workspace', 'serve', '--listen', '127.0.0.1:0'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const address = /serving on (\S+)/.exec(said)?.[1];
      if (address) resolve({ address, stop: () => child.kill('SIGTERM') });
    });
    child.on('error', reject);
    child.on('close', () => reject(new Error(`the service ended: ${said}`)));
  });
}

async function check(bin, program, work) {
  const env = { ...process.env, AGENT_BUNDLE_STORE: join(work, 'store'), TOK: 'not a secret', NO_COLOR: '1' };
  const own = (...args) => runOk([program, ...args], { env });
  await own('workspace', 'create', 'default');
  await own('bundle', 'install', here('../workspace/base.yaml'), '--yes', '--set-env', 'tok=TOK');
  const token = (await own('workspace', 'token', 'create', '--role', 'admin')).stdout.trim();
  const { address, stop } = await serve(program, env);
  try {
    const document = join(work, 'openapi.json');
    const answer = await fetch(`${address}/v1/openapi.json`);
    assert.equal(answer.status, 200);
    await writeFile(document, await answer.text());
    await runOk([join(bin, 'python'), '-m', 'openapi_spec_validator', document], { env });
    console.log('the OpenAPI document is valid');
    const config = join(work, 'schemathesis.toml');
    await writeFile(config, '[parameters]\n"path.workspace" = "default"\n');
    const arguments_ = [
      ['--config-file', config, 'run', `${address}/v1/openapi.json`],
      ['--header', `Authorization: Bearer ${token}`],
      ['--checks', CHECKS.join(',')],
      ['--max-time', SECONDS, '--continue-on-failure', '--suppress-health-check', 'all'],
      ['--generation-deterministic', '--no-color'],
    ];
    const result = await run([join(bin, 'st'), ...arguments_.flat()], { env, cwd: work, timeoutMs: 180_000 });
    const cases = /(\d+) generated, (\d+) passed/.exec(result.stdout);
    assert.ok(result.code === 0 && cases && Number(cases[1]) > 100, describe(result).replaceAll(token, '…'));
    assert.equal(cases[1], cases[2]);
    console.log(`${cases[1]} generated requests, each answered as the document says`);
  } finally {
    stop();
  }
}

const program = process.argv[2] ?? here('../../target/debug/agent-bundle');
const work = await mkdtemp(join(tmpdir(), 'agent-bundle-api-'));
try {
  await check(await install(), program, work);
  console.log('2 passed, 0 failed, 0 skipped');
} catch (error) {
  if (error instanceof Unavailable) {
    console.log(`api: NOT CHECKED: ${error.message}`);
    console.log('0 passed, 0 failed, 1 skipped');
  } else {
    console.log(error.message);
    console.log('0 passed, 1 failed, 0 skipped');
    process.exitCode = 1;
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
