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
    resultSchema: z.object({ note: fullNote.nullable().describe('Null when there is no such note') }),
  },
  async ({ id }, context) => {
    const notes = await context.provider('notes');
    const note = await notes.read(id);
    if (!note) {
      return (
        <Agent.Result value={{ note: null }}>
          <Agent.Error code="NOTE_NOT_FOUND">{`There is no note “${id}”. Search for it by a word of its text.`}</Agent.Error>
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
