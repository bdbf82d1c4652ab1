import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

/** Next to nothing of the environment of whoever runs the tests; `node` is on the path because plugins start it. */
export function cleanEnvironment(home, extra = {}) {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  return { PATH: path, HOME: home, LANG: 'C.UTF-8', ...extra };
}

/** Runs a program to its end with nothing on stdin. A program over its time is killed with all it started. */
export function run([command, ...args], { cwd, env, timeoutMs = 60_000 }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
    }
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child);
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ command: [command, ...args], code, signal, timedOut, ...output });
    });
  });
}

/** The same, for a program that must succeed: what it said is in the failure. */
export async function runOk(command, options) {
  const result = await run(command, options);
  assert.ok(result.code === 0, describe(result));
  return result;
}

export function describe({ command, code, signal, timedOut, stdout, stderr }) {
  const end = timedOut ? 'ran out of time' : signal ? `was ended by ${signal}` : `ended with ${code}`;
  return `${command.join(' ')}\n${end}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`;
}

export function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
