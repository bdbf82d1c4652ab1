import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

export default defineTool(
  {
    inputJsonSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { query: { type: 'string' } },
    },
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
