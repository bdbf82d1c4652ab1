import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

import { noteHead } from '../../../notes/note.js';

const days = z.tuple([z.iso.date(), z.iso.date()]);

export default defineTool(
  {
    title: 'Notes between two days',
    description: 'List the notes written between two days, both included, the newest first. Notes without a date are left out.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: z.object({ days: days.describe('Two days in either order, for example ["2026-03-01", "2026-03-31"]') }),
    resultSchema: z.object({
      days: days.describe('The two days, the earlier first'),
      notes: z.array(noteHead),
    }),
  },
  async ({ days: [one, other] }, context) => {
    const [first, last] = one <= other ? [one, other] : [other, one];
    const store = await context.provider('notes');
    const notes = (await store.all())
      .filter(({ date }) => date !== null && first <= date && date <= last)
      .map(({ body: _, ...head }) => head);
    return (
      <Agent.Result value={{ days: [first, last], notes }}>
        <Agent.Markdown>
          {notes.length === 0
            ? `No note was written between ${first} and ${last}.`
            : notes.map((note) => `- ${note.date}: **${note.title}** (\`${note.id}\`)`).join('\n')}
        </Agent.Markdown>
      </Agent.Result>
    );
  },
);
