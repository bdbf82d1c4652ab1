import { defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

const byId = z.object({ id: z.string() });
const byTitle = z.object({ title: z.string() });

export default defineTool(
  {
    inputSchema: z.union([byId, byTitle]),
    resultSchema: z.object({}),
  },
  async () => null,
);
