import {
  type AgentDocument,
  type AgentNode,
  type AgentResultNode,
  type JsonObject,
  asJsonObject,
  contentNodes,
  isJsonObject,
} from '#core';

export type McpContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType?: string };

export interface McpToolResult {
  readonly content: McpContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly _meta?: JsonObject;
  readonly isError?: true;
}

/** Content kinds beyond text that the client's protocol revision has. */
export interface RichContentSupport {
  readonly audio: boolean;
  readonly resourceLink: boolean;
}

/** A document that the protocol, or this client's revision of it, cannot carry. */
export class ProjectionError extends Error {
  override readonly name = 'ProjectionError';

  constructor(code: 'invalid-result-metadata' | 'unsupported-rich-content', detail: string) {
    super(`${code}: ${detail}`);
  }
}

/** `document` as a tool result; `value` is its value as the result schema gave it back. */
export function toToolResult(document: AgentDocument, value: unknown, support: RichContentSupport): McpToolResult {
  const structuredContent = asJsonObject(value);
  const { metadata } = document.root;
  if (metadata !== undefined && !isJsonObject(metadata)) {
    throw new ProjectionError('invalid-result-metadata', 'the metadata of the root Agent.Result must be a JSON object');
  }
  const content: McpContentBlock[] = [];
  for (const node of contentNodes(document.root)) content.push(...toBlocks(node, support));
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(metadata === undefined ? {} : { _meta: metadata }),
    ...(document.status === 'success' ? {} : { isError: true }),
  };
}

/** What a thrown route answers: its message and nothing else. */
export function toErrorResult(error: Error): McpToolResult {
  return { content: [{ type: 'text', text: error.message }], isError: true };
}

function toBlocks(node: Exclude<AgentNode, AgentResultNode>, support: RichContentSupport): McpContentBlock[] {
  switch (node.type) {
    case 'text':
    case 'markdown':
    case 'context':
      return [{ type: 'text', text: node.text }];
    case 'json':
      return [{ type: 'text', text: JSON.stringify(node.value) }];
    case 'error':
      return [{ type: 'text', text: `[${node.code}] ${node.message}` }];
    case 'progress':
      return [];
    case 'image':
      return [{ type: 'image', data: node.data, mimeType: node.mimeType }];
    case 'audio':
      if (!support.audio) throw unsupported('audio', '2025-03-26');
      return [{ type: 'audio', data: node.data, mimeType: node.mimeType }];
    case 'resource': {
      if (!support.resourceLink) throw unsupported('resource links', '2025-06-18');
      const { uri, name, mimeType } = node;
      return [{ type: 'resource_link', uri, name, ...(mimeType === undefined ? {} : { mimeType }) }];
    }
  }
}

function unsupported(what: string, since: string): ProjectionError {
  return new ProjectionError(
    'unsupported-rich-content',
    `${what} came with protocol revision ${since}, and this client speaks an older one`,
  );
}
