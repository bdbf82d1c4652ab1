import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import test from 'node:test';

import { sandbox, serverEntry } from '../support/artifact.mjs';
import { cleanEnvironment } from '../support/process.mjs';

test('stdout carries nothing but the protocol, and the end of stdin ends the server', async (t) => {
  const { child, send, answer, lines, stderr } = await start(t);
  await initialize({ send, answer });
  send({ id: 2, method: 'tools/call', params: { name: 'search', arguments: { query: 'tea' } } });
  send({ id: 3, method: 'tools/call', params: { name: 'summarize', arguments: {} } });
  send({ id: 4, method: 'no/such/method' });
  assert.equal((await answer(2)).result.structuredContent.total, 2);
  assert.ok(!(await answer(3)).result.isError);
  assert.equal((await answer(4)).error.code, -32601);

  const ended = once(child, 'close');
  child.stdin.end();
  const [code, signal] = await within(2_000, ended, 'the server did not end after stdin did');
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, stderr());

  for (const line of lines) assert.equal(parsed(line)?.jsonrpc, '2.0', line);
  // Nobody asked for progress: no call carried a token.
  assert.ok(!lines.some((line) => line.includes('notifications/progress')));
});

test('the end of stdin ends a server that was never spoken to', async (t) => {
  const { child, lines, stderr } = await start(t);
  const ended = once(child, 'close');
  child.stdin.end();
  const [code] = await within(5_000, ended, 'the server did not end after stdin did');
  assert.equal(code, 0, stderr());
  assert.deepEqual(lines, []);
});

test('a line that is no message does not end the session', async (t) => {
  const { child, send, answer } = await start(t);
  await initialize({ send, answer });
  child.stdin.write('this is not JSON\n');
  send({ id: 2, method: 'ping' });
  assert.deepEqual((await answer(2)).result, {});
});

async function start(t) {
  const { root, home, project, index } = await sandbox(t);
  const entry = serverEntry(root, index, 'notes');
  const child = spawn(process.execPath, [entry], { cwd: project, env: cleanEnvironment(home) });
  t.after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const lines = [];
  const waiting = new Map();
  const answers = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const message = parsed(line);
    waiting.get(message?.id)?.(message);
  });
  const send = (message) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (message.id !== undefined) {
      answers.set(message.id, new Promise((resolve) => waiting.set(message.id, resolve)));
    }
  };
  const answer = (id) => within(10_000, answers.get(id), () => `no answer to request ${id}\n${errors}`);
  return { child, send, answer, lines, stderr: () => errors };
}

async function initialize({ send, answer }) {
  const clientInfo = { name: 'agent-bundle-tests', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', clientInfo, capabilities: {} } });
  assert.equal((await answer(1)).result.protocolVersion, '2025-06-18');
  send({ method: 'notifications/initialized' });
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function within(milliseconds, promise, complaint) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(typeof complaint === 'string' ? complaint : complaint())), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
