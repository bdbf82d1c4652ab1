import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

export default defineTool(
  {
    render: { maxElapsedMs: 60_000 },
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
