import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { formatNote, makeId, parseNote, type Note } from './note.js';

export type ArchiveOutcome = 'archived' | 'already-archived' | 'missing' | 'sample';

/**
 * The notes in one folder. While that folder holds none, the samples of the plugin stand in for them, to be read only.
 *
 * A path is only ever made from a name that a listing of the folder gave, so no id can lead out of it; links are not
 * listed, so none is followed.
 */
export class NoteStore {
  constructor(
    readonly folder: string,
    private readonly samples: string | undefined,
  ) {}

  async showsSamples(): Promise<boolean> {
    return (await this.source()).sample;
  }

  /** All notes, the newest first, undated ones last. */
  async all(): Promise<Note[]> {
    const { folder, ids } = await this.source();
    const notes = await Promise.all(ids.map((id) => load(folder, id)));
    return notes.sort((a, b) => (b.date ?? '').localeCompare(a.date ?? '') || a.id.localeCompare(b.id));
  }

  async read(id: string): Promise<Note | undefined> {
    const { folder, ids } = await this.source();
    return ids.includes(id) ? load(folder, id) : undefined;
  }

  /** Writes a new file and never an existing one: a second note with the same title on one day gets a number. */
  async add(draft: { title: string; body: string; tags: string[] }): Promise<Note> {
    await mkdir(this.folder, { recursive: true });
    const note = { ...draft, date: today() };
    const base = makeId(note.date, note.title);
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? base : `${base}-${number}`;
      try {
        await writeFile(fileOf(this.folder, id), formatNote(note), { flag: 'wx' });
        return { id, ...note };
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
      }
    }
  }

  /** Moves a note to `archive/` beside the others, where no listing looks. */
  async archive(id: string): Promise<ArchiveOutcome> {
    const { folder, ids, sample } = await this.source();
    if (!ids.includes(id)) return 'missing';
    if (sample) return 'sample';
    const archive = join(folder, 'archive');
    await mkdir(archive, { recursive: true });
    if (!(await lstat(archive)).isDirectory()) throw new Error('archive in the notes folder is a link, not a folder');
    try {
      await copyFile(fileOf(folder, id), fileOf(archive, id), constants.COPYFILE_EXCL);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return 'already-archived';
      throw error;
    }
    await unlink(fileOf(folder, id));
    return 'archived';
  }

  private async source(): Promise<{ folder: string; ids: string[]; sample: boolean }> {
    const own = await idsIn(this.folder);
    if (own.length > 0 || !this.samples) return { folder: this.folder, ids: own, sample: false };
    const ids = await idsIn(this.samples);
    return { folder: this.samples, ids, sample: ids.length > 0 };
  }
}

async function idsIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && !entry.name.startsWith('.'))
      .map((entry) => entry.name.slice(0, -'.md'.length))
      .sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function load(folder: string, id: string): Promise<Note> {
  return parseNote(id, await readFile(fileOf(folder, id), 'utf8'));
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.md`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The day by the wall clock here, which is what a person would write on the page. */
function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
