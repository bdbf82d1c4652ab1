import { defineTool } from 'agent-bundle/routes';
import { shape } from '../../../shapes/tool.js';

export default defineTool({ inputSchema: shape, resultSchema: shape }, async () => null);
