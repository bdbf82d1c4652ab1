import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { object } from '../../../lib/schema.js';

export default defineTool(
  {
    title: 'Echo',
    description: 'Gives back what it is given.',
    annotations: { readOnlyHint: true },
    inputSchema: object({ text: 'string' }),
    resultSchema: object({ text: 'string' }),
  },
  ({ text }) => (
    <Agent.Result value={{ text }}>
      <Agent.Text>{text}</Agent.Text>
    </Agent.Result>
  ),
);
