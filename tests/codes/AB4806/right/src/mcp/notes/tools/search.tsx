import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

const TITLE = 'Search';

export default defineTool(
  {
    title: TITLE,
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
