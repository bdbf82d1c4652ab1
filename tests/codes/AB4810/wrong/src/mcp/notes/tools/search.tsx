import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

const search = defineTool(
  {
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);

export default search;
