import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

import { noteId } from '../../../notes/note.js';
import type { ArchiveOutcome } from '../../../notes/store.js';

export default defineTool(
  {
    title: 'Archive a note',
    description: 'Move a note that is no longer needed to the archive folder, where search does not look. Nothing is deleted.',
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    // Cursor moves files itself, and shows the move for review.
    excludeClients: ['cursor'],
    inputSchema: z.object({ id: noteId }),
    resultSchema: z.object({ archived: z.boolean(), problem: z.string().optional() }),
  },
  async ({ id }, context) => {
    const notes = await context.provider('notes');
    const outcome = await notes.archive(id);
    if (outcome !== 'archived') {
      const { code, problem } = refusals[outcome];
      return (
        <Agent.Result value={{ archived: false, problem }}>
          <Agent.Error code={code}>{problem}</Agent.Error>
        </Agent.Result>
      );
    }
    return (
      <Agent.Result value={{ archived: true }}>
        <Agent.Text>{`Moved ${id} to the archive.`}</Agent.Text>
      </Agent.Result>
    );
  },
);

const refusals: Record<Exclude<ArchiveOutcome, 'archived'>, { code: string; problem: string }> = {
  'already-archived': { code: 'ALREADY_ARCHIVED', problem: 'The archive holds another note of this name. Rename one of them.' },
  missing: { code: 'NOTE_NOT_FOUND', problem: 'There is no such note. Search for it by a word of its text.' },
  sample: { code: 'SAMPLE_NOTE', problem: 'This is a sample that belongs to the plugin; it cannot be archived.' },
};
