import { Suspense } from 'react';

import { Agent, agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

import { tag as tagName, type Note } from '../../../notes/note.js';
import { excerpt } from '../../../notes/search.js';

export default defineTool(
  {
    title: 'Summarize notes by month',
    description: 'Go through the notes month by month, the newest first: what each is about and where to read on. Reports progress.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: z.object({
      tag: tagName.optional().describe('Only notes with this tag'),
      months: z.int().min(1).max(24).default(12).describe('How many months to go through at most'),
    }),
    // No object: a host that has one shows a model nothing else, and here the text is the answer.
    resultSchema: z.int().describe('How many months were gone through'),
  },
  async ({ tag, months: limit }, context) => {
    const notes = await context.provider('notes');
    const chosen = (await notes.all()).filter((note) => tag === undefined || note.tags.includes(tag));
    const months = byMonth(chosen).slice(0, limit);
    return (
      <Agent.Result value={months.length}>
        {months.length === 0 ? <Agent.Text>There is nothing to summarize.</Agent.Text> : <Rest months={months} done={0} />}
      </Agent.Result>
    );
  },
);

type Month = [month: string, ids: string[]];

/** The months still to do. What is done is sent while the next month is read: each fallback is one step of progress. */
function Rest({ months, done }: { months: Month[]; done: number }) {
  if (done === months.length) return null;
  const [month] = months[done]!;
  return (
    <Suspense fallback={<Agent.Progress completed={done} total={months.length} message={`Reading ${month}`} />}>
      <MonthSummary months={months} done={done} />
    </Suspense>
  );
}

async function MonthSummary({ months, done }: { months: Month[]; done: number }) {
  const [month, ids] = months[done]!;
  const store = await (await agent()).provider('notes');
  // A note that was moved away since the listing is simply not there any more.
  const notes = (await Promise.all(ids.map((id) => store.read(id)))).filter((note) => note !== undefined);
  return (
    <>
      <Agent.Markdown>
        {`## ${month}\n\n${notes.map((note) => `- **${note.title}** (\`${note.id}\`): ${excerpt(note)}`).join('\n')}`}
      </Agent.Markdown>
      <Rest months={months} done={done + 1} />
    </>
  );
}

function byMonth(notes: Note[]): Month[] {
  const months = new Map<string, string[]>();
  for (const note of notes) {
    const month = note.date?.slice(0, 7) ?? 'undated';
    months.set(month, [...(months.get(month) ?? []), note.id]);
  }
  return [...months];
}
