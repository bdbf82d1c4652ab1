import type { Note } from './note.js';

/** The notes that hold every word of the query; those that hold them in title or tags come first. */
export function searchNotes(notes: Note[], query: string): Note[] {
  const words = wordsOf(query);
  const holdsAll = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const head = (note: Note) => `${note.title} ${note.tags.join(' ')}`;
  const hits = notes.filter((note) => holdsAll(`${head(note)} ${note.body}`));
  return [...hits.filter((note) => holdsAll(head(note))), ...hits.filter((note) => !holdsAll(head(note)))];
}

/** The first sentence or list item that shows why the note was found, or its first at all. */
export function excerpt(note: Note, query = ''): string {
  const words = wordsOf(query);
  const parts = note.body.split(/(?<=[.!?])\s+|\n\s*\n|\n(?=[-*#>|])/).map((part) => part.replace(/\s+/g, ' ').trim());
  const part = parts.find((candidate) => words.some((word) => candidate.toLowerCase().includes(word))) ?? parts[0] ?? '';
  return part.length > 160 ? `${part.slice(0, 159).trimEnd()}…` : part;
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter((word) => word !== '');
}
