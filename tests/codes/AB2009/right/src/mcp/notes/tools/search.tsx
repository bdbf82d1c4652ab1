import { defineTool } from 'agent-bundle/routes';
import { shape } from '../../../shape.js';

export default defineTool({ inputSchema: shape, resultSchema: shape }, async () => null);
