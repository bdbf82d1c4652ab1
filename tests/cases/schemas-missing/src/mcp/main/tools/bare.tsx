import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';

export default defineTool(
  {
    title: 'Echo',
    description: 'Gives back what it is given.',
    annotations: { readOnlyHint: true },
  },
  ({ text }) => (
    <Agent.Result value={{ text }}>
      <Agent.Text>{text}</Agent.Text>
    </Agent.Result>
  ),
);
