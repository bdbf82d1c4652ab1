import { defineTool } from 'agent-bundle/routes';
import { Agent } from '@agent-bundle/runtime';
import { z } from 'zod';

export default defineTool(
  {
    title: 'Greet',
    description: 'Greets somebody by name.',
    annotations: { readOnlyHint: true },
    inputSchema: z.object({ name: z.string().describe('Whom to greet') }),
    resultSchema: z.object({ greeting: z.string() }),
  },
  ({ name }) => {
    const greeting = `Hello, ${name}!`;
    return (
      <Agent.Result value={{ greeting }}>
        <Agent.Text>{greeting}</Agent.Text>
      </Agent.Result>
    );
  },
);
