import { defineTool } from 'agent-bundle/routes';

const any = { parse: (value: unknown) => value };

export default defineTool({ inputSchema: any, resultSchema: any }, async () => null);
