import { Agent, agent } from '@agent-bundle/runtime';
import type { PromptConfig, ToolRouteProps } from 'agent-bundle/routes';
import { z } from 'zod';

import { searchNotes } from '../../../notes/search.js';

export const config = {
  title: 'Review a topic',
  description: 'Look back over all notes on a topic: what they agree on, where they differ, what is still open.',
} satisfies PromptConfig;

export const inputSchema = z.object({ topic: z.string().trim().min(1).describe('Words that the notes have in common') });

export const resultSchema = z.object({
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.object({ type: z.literal('text'), text: z.string() }),
    }),
  ),
});

export default async function Review({ input }: ToolRouteProps<typeof inputSchema>) {
  const store = await (await agent()).provider('notes');
  const notes = searchNotes(await store.all(), input.topic);
  const text = [
    notes.length === 0
      ? `I have no notes on ${input.topic} yet. Ask me what I know about it, and help me write the first.`
      : `Here are my notes on ${input.topic}. Tell me what they agree on, where they differ, and what I left open.`,
    ...notes.map((note) => `## ${note.title} (${note.date ?? 'undated'})\n\n${note.body}`),
  ].join('\n\n');
  return (
    <Agent.Result value={{ messages: [{ role: 'user', content: { type: 'text', text } }] }}>
      <Agent.Markdown>{text}</Agent.Markdown>
    </Agent.Result>
  );
}
