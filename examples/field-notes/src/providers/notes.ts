import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';

import type { AgentProviderContext } from 'agent-bundle/routes';

import { NoteStore } from '../notes/store.js';

export default async function notes({ plugin, workspace }: AgentProviderContext): Promise<NoteStore> {
  const root = plugin.state === 'available' ? plugin.value.root : undefined;
  const project = workspace.state === 'available' ? workspace.value.root : undefined;
  return new NoteStore(await notesFolder(project, root), root && join(root, 'assets', 'notes'));
}

/**
 * FIELD_NOTES_DIR, else `notes` in the project. Some hosts start a server in the plugin's own folder instead, which the
 * next update replaces; notes must not live there, so they go to the home folder.
 */
async function notesFolder(project: string | undefined, root: string | undefined): Promise<string> {
  const chosen = process.env.FIELD_NOTES_DIR?.trim();
  if (chosen) return resolve(chosen.replace(/^~(?=\/|$)/, homedir()));
  if (project && !(await isWithin(project, root))) return join(project, 'notes');
  return join(homedir(), 'field-notes');
}

async function isWithin(path: string, root: string | undefined): Promise<boolean> {
  if (!root) return false;
  const way = relative(await realpath(root), await realpath(path));
  return !way.startsWith('..') && !isAbsolute(way);
}
