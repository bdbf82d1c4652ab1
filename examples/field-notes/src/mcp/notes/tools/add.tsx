import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

import { noteHead, tag } from '../../../notes/note.js';

export default defineTool(
  {
    title: 'Add a note',
    description:
      'Write a new note with the date of today. It never changes a note that is there. Search first: the thought may be written down already.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: z.object({
      title: z
        .string()
        .trim()
        .min(1)
        .max(120)
        .regex(/^[^\r\n]*$/)
        .describe('One line that will still make sense in a year'),
      body: z.string().trim().min(1).max(50_000).describe('The text, in Markdown, without the title'),
      tags: z.array(tag).max(8).default([]).describe('Words that related notes share'),
    }),
    resultSchema: z.object({ note: noteHead }),
  },
  async (draft, context) => {
    const notes = await context.provider('notes');
    const { body: _, ...note } = await notes.add(draft);
    return (
      <Agent.Result value={{ note }}>
        <Agent.Text>{`Wrote “${note.title}” as ${note.id}.`}</Agent.Text>
      </Agent.Result>
    );
  },
);
