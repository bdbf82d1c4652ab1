import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { sandbox, serverEntry } from '../support/artifact.mjs';
import { cleanEnvironment } from '../support/process.mjs';

/**
 * Starts the built server as a host would and connects the official client to it. `notes` are files for the notes folder
 * of the project; without them the plugin shows its samples.
 */
export async function connect(t, { clientName = 'agent-bundle-tests', clientOptions, environment, notes, startIn } = {}) {
  const box = await sandbox(t);
  if (notes) await writeNotes(join(box.project, 'notes'), notes);
  const extra = environment?.(box);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverEntry(box.root, box.index, 'notes')],
    cwd: startIn?.(box) ?? box.project,
    env: cleanEnvironment(box.home, extra),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr.on('data', (chunk) => (stderr += chunk));
  const client = new Client({ name: clientName, version: '1.0.0' }, clientOptions);
  t.after(() => client.close());
  await client.connect(transport).catch((error) => {
    throw new Error(`the server did not start\n${stderr}`, { cause: error });
  });
  const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  return { ...box, client, call };
}

export async function writeNotes(folder, notes) {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(notes)) await writeFile(join(folder, name), text);
}

/** A call may be refused with a protocol error or with a result that says so; a client has to expect both. */
export async function refusal(promise) {
  try {
    const result = await promise;
    return result.isError ? textOf(result) : undefined;
  } catch (error) {
    // Silence is no refusal: a request that runs out of time is a failure of the server.
    if (error instanceof ProtocolError) return error.message;
    throw error;
  }
}

export function textOf(result) {
  return result.content.map((block) => block.text ?? '').join('\n');
}
