import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

import { fullNote, noteId } from '../../../notes/note.js';

export default defineTool(
  {
    title: 'Read a note',
    description: 'Read one whole note.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: z.object({ id: noteId }),
    resultSchema: z.object({
      note: fullNote.nullable().describe('Null when there is no such note'),
      problem: z.string().optional().describe('Why there is none'),
    }),
  },
  async ({ id }, context) => {
    const notes = await context.provider('notes');
    const note = await notes.read(id);
    if (!note) {
      // Some hosts show a model the value alone, so the value has to say what went wrong as well.
      const problem = `There is no note “${id}”. Search for it by a word of its text.`;
      return (
        <Agent.Result value={{ note: null, problem }}>
          <Agent.Error code="NOTE_NOT_FOUND">{problem}</Agent.Error>
        </Agent.Result>
      );
    }
    return (
      <Agent.Result value={{ note }}>
        <Agent.Markdown>{`# ${note.title}\n\n${note.body}`}</Agent.Markdown>
      </Agent.Result>
    );
  },
);
