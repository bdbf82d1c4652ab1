import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * A model on the loopback interface, so that a host without an account can take a whole turn: it asks for one tool call,
 * and says a word once it has been told the result. `wire` is how the host talks to it.
 */
export async function loopbackModel(t, wire, toolCall) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = parsed(Buffer.concat(chunks).toString());
    if (request.method !== 'POST' || !body) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(wire.hasResult(body) ? wire.say('Done.') : wire.call(toolCall));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** The Messages API, which Claude Code speaks. */
export const messages = {
  hasResult: ({ messages = [] }) =>
    messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'tool_result')),
  call: ({ name, input }) => {
    const block = { type: 'tool_use', id: 'toolu_1', name, input: {} };
    return messagesTurn('tool_use', block, { type: 'input_json_delta', partial_json: JSON.stringify(input) });
  },
  say: (text) => messagesTurn('end_turn', { type: 'text', text: '' }, { type: 'text_delta', text }),
};

function messagesTurn(stop_reason, content_block, delta) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'loopback', content: [], stop_reason: null, usage };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ]
    .map((data) => event(data, data.type))
    .join('');
}

/** The Chat Completions API, which Copilot CLI speaks to a provider of one's own. */
export const chatCompletions = {
  hasResult: ({ messages = [] }) => messages.some(({ role }) => role === 'tool'),
  call: ({ name, input }) => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
    return chatTurn('tool_calls', { tool_calls: [call] });
  },
  say: (content) => chatTurn('stop', { content }),
};

function chatTurn(finish_reason, delta) {
  const head = { id: '1', object: 'chat.completion.chunk', created: 0, model: 'loopback' };
  const chunk = (choice) => event({ ...head, choices: [{ index: 0, ...choice }] });
  return [
    chunk({ delta: { role: 'assistant', ...delta }, finish_reason: null }),
    chunk({ delta: {}, finish_reason }),
    'data: [DONE]\n\n',
  ].join('');
}

/** The Responses API, which Codex speaks. */
export const responses = {
  hasResult: ({ input = [] }) => input.some(({ type }) => type === 'function_call_output'),
  call: ({ namespace, name, input }) =>
    responsesTurn({ type: 'function_call', call_id: 'call_1', namespace, name, arguments: JSON.stringify(input) }),
  say: (text) =>
    responsesTurn({ type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text }] }),
};

function responsesTurn(item) {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  ]
    .map((data) => event(data, data.type))
    .join('');
}

/** What a host prints of a turn: one JSON value a line. */
export function jsonLines(text) {
  return text.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
