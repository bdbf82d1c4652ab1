import { appResourceUri, defineTool } from 'agent-bundle/routes';
import { z } from 'zod';

export default defineTool(
  {
    _meta: { ui: { resourceUri: appResourceUri('board') } },
    inputSchema: z.object({}),
    resultSchema: z.object({}),
  },
  async () => null,
);
