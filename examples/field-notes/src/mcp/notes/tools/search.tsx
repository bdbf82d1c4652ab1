import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

import { noteHead } from '../../../notes/note.js';
import { excerpt, searchNotes } from '../../../notes/search.js';

const hit = noteHead.extend({ excerpt: z.string().describe('The sentence of the note that fits the query') });

export default defineTool(
  {
    title: 'Search notes',
    description:
      'Find notes that contain every word of the query, in the title, the tags or the text. Start here; then read the notes that look right.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: z.object({
      query: z.string().trim().min(1).describe('Words to look for; case does not matter'),
      limit: z.int().min(1).max(50).default(10).describe('How many notes to list at most'),
    }),
    resultSchema: z.object({
      total: z.int().describe('How many notes fit, listed or not'),
      hits: z.array(hit),
    }),
  },
  async ({ query, limit }, context) => {
    const notes = await context.provider('notes');
    const found = searchNotes(await notes.all(), query);
    const hits = found.slice(0, limit).map(({ body, ...head }) => ({ ...head, excerpt: excerpt({ body, ...head }, query) }));
    return (
      <Agent.Result value={{ total: found.length, hits }}>
        <Agent.Markdown>
          {hits.length === 0
            ? `No note contains “${query}”.`
            : hits.map((note) => `- **${note.title}** (\`${note.id}\`): ${note.excerpt}`).join('\n')}
        </Agent.Markdown>
      </Agent.Result>
    );
  },
);
