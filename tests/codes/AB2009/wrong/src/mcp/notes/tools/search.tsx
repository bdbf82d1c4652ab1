import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

export default defineTool(
  {
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
