import { appResourceUri, defineTool } from 'agent-bundle/routes';
export default defineTool({ title: 'a', annotations: { readOnlyHint: true }, _meta: { ui: { resourceUri: appResourceUri('x') } }, inputJsonSchema: { type: 'object', additionalProperties: false, properties: { q: { type: 'string' } } }, inputSchema, resultSchema }, async (i, c) => <a b={i}>{c}</a>);
