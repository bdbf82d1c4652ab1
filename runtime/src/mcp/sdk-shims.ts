/**
 * What the MCP SDK asks of its environment. Its own Node shims bring a JSON Schema engine, which only servers that ask
 * the client for input need; generated servers never do, so asking is an error here.
 */
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('Generated MCP servers do not request structured input from the client.');
  }
}
