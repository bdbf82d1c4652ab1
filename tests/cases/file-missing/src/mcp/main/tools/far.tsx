import { Agent } from '@agent-bundle/runtime';
import { defineTool } from 'agent-bundle/routes';
import { shout } from '../gone.js';

import { object } from '../../../lib/schema.js';

export default defineTool(
  { inputSchema: object({}), resultSchema: object({ text: 'string' }) },
  () => <Agent.Result value={{ text: shout('far') }} />,
);
