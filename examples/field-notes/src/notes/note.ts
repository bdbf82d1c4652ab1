import { z } from 'zod';

/** A note's id is its file name without `.md`: no separators and no leading dot, so it can name nothing but a direct child. */
export const noteId = z
  .string()
  .max(120)
  .regex(/^[^./\\][^/\\]*$/)
  .describe('The id of a note, as search and between list it');

export const noteHead = z.object({
  id: noteId,
  title: z.string(),
  date: z.iso.date().nullable().describe('The day the note was written, when it says so'),
  tags: z.array(z.string()),
});

export const fullNote = noteHead.extend({ body: z.string() });

export type NoteHead = z.infer<typeof noteHead>;
export type Note = z.infer<typeof fullNote>;

export const tag = z
  .string()
  .max(40)
  .regex(/^[^\s,#\[\]]+$/)
  .describe('One word; hyphens are fine');

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

/** Reads a note leniently: people write these files by hand, so every part but the text itself may be missing. */
export function parseNote(id: string, source: string): Note {
  const header = FRONT_MATTER.exec(source);
  const fields = new Map<string, string>();
  for (const line of header?.[1]?.split(/\r?\n/) ?? []) {
    const [, key, value] = /^(\w+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key && value) fields.set(key, value);
  }
  const body = source.slice(header?.[0].length ?? 0).trim();
  const heading = /^#\s+(.+)$/m.exec(body)?.[1];
  return {
    id,
    title: unquote(fields.get('title')) ?? heading ?? id,
    date: day(fields.get('date')) ?? day(id),
    tags: (fields.get('tags') ?? '')
      .replace(/^\[|\]$/g, '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    body,
  };
}

export function formatNote(note: Omit<Note, 'id'>): string {
  const lines = [`title: ${JSON.stringify(note.title)}`];
  if (note.date) lines.push(`date: ${note.date}`);
  if (note.tags.length > 0) lines.push(`tags: [${note.tags.join(', ')}]`);
  return `---\n${lines.join('\n')}\n---\n${note.body.trim()}\n`;
}

/** `2026-05-02` and `The swifts are back!` make `2026-05-02-the-swifts-are-back`. */
export function makeId(date: string, title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${date}-${words || 'note'}`;
}

function day(text: string | undefined): string | null {
  const found = ISO_DATE.exec(text ?? '')?.[0];
  return found && z.iso.date().safeParse(found).success ? found : null;
}

function unquote(text: string | undefined): string | undefined {
  if (!text?.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
