import { Agent, agent } from '@agent-bundle/runtime';
import type { ResourceConfig, ToolRouteProps } from 'agent-bundle/routes';
import { z } from 'zod';

export const config = {
  uri: 'notes://index',
  title: 'Index of notes',
  description: 'Every note with its date, title and tags, the newest first.',
  mimeType: 'text/markdown',
} satisfies ResourceConfig;

export const inputSchema = z.object({ uri: z.string() });

export const resultSchema = z.object({
  contents: z.array(z.object({ uri: z.string(), mimeType: z.string(), text: z.string() })),
});

export default async function Index({ input }: ToolRouteProps<typeof inputSchema>) {
  const notes = await (await agent()).provider('notes');
  const lines = (await notes.all()).map((note) =>
    [`- ${note.date ?? 'undated'}: ${note.title} (\`${note.id}\`)`, ...note.tags.map((tag) => `#${tag}`)].join(' '),
  );
  const text = ['# Notes', '', ...lines, ''].join('\n');
  return (
    <Agent.Result value={{ contents: [{ uri: input.uri, mimeType: config.mimeType, text }] }}>
      <Agent.Markdown>{text}</Agent.Markdown>
    </Agent.Result>
  );
}
