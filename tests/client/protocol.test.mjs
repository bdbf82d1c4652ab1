import assert from 'node:assert/strict';
import test from 'node:test';

import { ProtocolError } from '@modelcontextprotocol/client';

import { noteTools } from '../support/artifact.mjs';
import { connect, refusal, textOf } from './session.mjs';

test('the handshake names the server, its version and what it offers', async (t) => {
  const { client, index } = await connect(t);
  const server = client.getServerVersion();
  assert.notEqual(server.name, '');
  assert.equal(server.version, index.application.version);
  const offered = client.getServerCapabilities();
  for (const kind of ['tools', 'resources', 'prompts']) assert.ok(offered[kind], `no ${kind}`);
});

test('a client that asks for the newest protocol gets an answer too', async (t) => {
  const { client, call } = await connect(t, { clientOptions: { versionNegotiation: { mode: 'auto' } } });
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), noteTools);
  assert.equal((await call('search', { query: 'tea' })).structuredContent.total, 2);
});

test('tools are listed with all that their modules declare', async (t) => {
  const { client } = await connect(t);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), noteTools);
  for (const { name, title, description, inputSchema, outputSchema } of tools) {
    assert.ok(title && description, `${name} has no title or description`);
    assert.equal(inputSchema.type, 'object', name);
    // A result that is no object cannot be structured content, so nothing is promised about it.
    assert.equal(outputSchema?.type, name === 'summarize' ? undefined : 'object', name);
  }
  const search = tools.find(({ name }) => name === 'search');
  assert.deepEqual(search.annotations, { readOnlyHint: true, openWorldHint: false });
  assert.deepEqual(search.inputSchema.required, ['query']);
  assert.equal(search.inputSchema.properties.limit.default, 10);
  assert.deepEqual(search.outputSchema.required.sort(), ['hits', 'total']);
});

test('a call answers with content, structured content and the metadata of the layout', async (t) => {
  const { call } = await connect(t);
  const result = await call('search', { query: 'TEA', limit: 1 });
  assert.ok(!result.isError);
  assert.equal(result.structuredContent.total, 2);
  assert.deepEqual(result.structuredContent.hits.map(({ id }) => id), ['2026-04-11-tea-for-a-long-walk']);
  assert.match(result.content[0].text, /\*\*Tea for a long walk\*\*/);
  // The layout of the server speaks after the tool.
  assert.match(result.content.at(-1).text, /sample notes/);
  assert.equal(result._meta['field-notes/operation'], 'tool:notes/search');
});

test('an input that the schema refuses does not reach the handler', async (t) => {
  const { call } = await connect(t);
  assert.ok(await refusal(call('search', { query: '' })));
  assert.ok(await refusal(call('search', {})));
  assert.equal((await call('search', { query: 'tea' })).structuredContent.total, 2);
});

test('a tool that answers with Agent.Error is a failed call with its value', async (t) => {
  const { call } = await connect(t);
  const result = await call('read', { id: 'no-such-note' });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /^\[NOTE_NOT_FOUND\] There is no note/);
  assert.equal(result.structuredContent.note, null);
  assert.match(result.structuredContent.problem, /^There is no note/);
});

test('a tuple goes in and comes out, and its schema says how long it is', async (t) => {
  const { client, call } = await connect(t);
  const { tools } = await client.listTools();
  const between = tools.find(({ name }) => name === 'between');
  for (const { properties } of [between.inputSchema, between.outputSchema]) {
    assert.equal(properties.days.prefixItems.length, 2);
    assert.equal(properties.days.maxItems, 2);
    // Clients that know no tuples read `items`, and some cannot read a schema that is just `false`.
    assert.equal(typeof properties.days.items, 'object');
  }
  const result = await call('between', { days: ['2026-04-30', '2026-03-20'] });
  assert.deepEqual(result.structuredContent.days, ['2026-03-20', '2026-04-30']);
  assert.deepEqual(
    result.structuredContent.notes.map(({ id }) => id),
    ['2026-04-11-tea-for-a-long-walk', '2026-03-29-heron-at-the-weir'],
  );
  assert.ok(await refusal(call('between', { days: ['2026-03-20'] })));
  assert.ok(await refusal(call('between', { days: ['2026-03-20', '2026-04-30', '2026-05-01'] })));
});

test('the resource is listed and read', async (t) => {
  const { client } = await connect(t);
  const { resources } = await client.listResources();
  const index = resources.find(({ uri }) => uri === 'notes://index');
  assert.equal(index?.mimeType, 'text/markdown');
  assert.equal(index.title, 'Index of notes');
  const { contents } = await client.readResource({ uri: 'notes://index' });
  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, 'notes://index');
  assert.match(contents[0].text, /^- 2026-05-02: The swifts are back .* #birds #sample$/m);
  await assert.rejects(client.readResource({ uri: 'notes://nothing' }), ProtocolError);
});

test('the prompt is listed with its argument and filled in', async (t) => {
  const { client } = await connect(t);
  const { prompts } = await client.listPrompts();
  const review = prompts.find(({ name }) => name === 'review');
  assert.deepEqual(review?.arguments.map(({ name, required }) => ({ name, required })), [{ name: 'topic', required: true }]);
  const { messages } = await client.getPrompt({ name: 'review', arguments: { topic: 'tea' } });
  assert.equal(messages.length, 1);
  assert.equal(messages[0].role, 'user');
  assert.match(messages[0].content.text, /^Here are my notes on tea\./);
  await assert.rejects(client.getPrompt({ name: 'review' }), ProtocolError);
});

test('progress is told while the rest is still being rendered', async (t) => {
  const months = ['01', '02', '03', '04', '05', '06'];
  const notes = Object.fromEntries(months.map((month) => [`2026-${month}-01-note.md`, `Note of month ${month}.\n`]));
  const { call } = await connect(t, { notes });
  const seen = [];
  const result = await call('summarize', {}, { onprogress: (progress) => seen.push(progress) });

  // Steps that end in the same moment may be told as one, but never again, and never backwards.
  assert.ok(seen.length >= 2, JSON.stringify(seen));
  assert.equal(seen[0].progress, 0);
  assert.equal(seen[0].message, 'Reading 2026-06');
  for (const [at, { progress, total }] of seen.entries()) {
    assert.equal(total, months.length);
    if (at > 0) assert.ok(progress > seen[at - 1].progress, JSON.stringify(seen));
  }
  assert.equal(result.structuredContent, undefined);
  assert.deepEqual(textOf(result).match(/^## .*$/gm), months.toReversed().map((month) => `## 2026-${month}`));
});

test('requests at the same time get their own answers', async (t) => {
  const ids = Array.from({ length: 20 }, (_, at) => `note-${at}`);
  const notes = Object.fromEntries(ids.map((id) => [`${id}.md`, `This is ${id}.\n`]));
  const { call } = await connect(t, { notes });
  const results = await Promise.all(ids.map((id) => call('read', { id })));
  assert.deepEqual(results.map((result) => result.structuredContent.note.body), ids.map((id) => `This is ${id}.`));
});

test('an excluded client neither sees the tool nor may call it', async (t) => {
  const notes = { 'plain.md': 'A plain note.\n' };
  const { client, call } = await connect(t, { clientName: 'Cursor-vscode', notes });
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), noteTools.filter((name) => name !== 'archive'));
  assert.ok(await refusal(call('archive', { id: 'plain' })));
  assert.equal((await call('read', { id: 'plain' })).structuredContent.note.body, 'A plain note.');
});
