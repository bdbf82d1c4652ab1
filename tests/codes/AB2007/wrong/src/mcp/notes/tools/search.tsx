import { defineTool } from 'agent-bundle/routes';
import { shapes } from '../../../shape.js';

export default defineTool({ inputSchema: shapes, resultSchema: shapes }, async () => null);
