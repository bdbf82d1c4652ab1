import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

export default defineTool(
  {
    inputJsonSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { limit: { type: 'number' } },
    },
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
