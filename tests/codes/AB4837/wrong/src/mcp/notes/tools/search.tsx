import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';
import { defineConfig } from 'agent-bundle/config';

export default defineTool(
  {
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
