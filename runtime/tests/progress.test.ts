import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Plugin, RawServer, generate } from './harness.ts';

/**
 * The notifications of one call of a tool with this handler body, in order. They are read off the wire: the client package
 * loses a notification that arrives together with the answer.
 */
async function notifications(body: string, withToken = true): Promise<unknown[]> {
  const source = `
    const Later = async ({ ms, children }) => { await sleep(ms); return children ?? null; };
    const step = (completed, more = {}) => h(Agent.Progress, { completed, ...more });
    const wait = (fallback, content) => h(Suspense, { fallback }, content);
    export default defineTool({ inputSchema: z.object({}), resultSchema: z.any() }, async (_input, { progress }) => { ${body} });`;
  const plugin = new Plugin();
  const server = new RawServer(generate(plugin, { routes: [{ name: 't', source }] }));
  try {
    await server.initialize();
    const token = withToken ? { _meta: { progressToken: 'p' } } : {};
    server.send({ id: 'call', method: 'tools/call', params: { name: 't', arguments: {}, ...token } });
    const { result } = await server.answer('call');
    assert.notEqual((result as { isError?: boolean }).isError, true, JSON.stringify(result));
    const messages = server.messages();
    assert.equal(messages.at(-1)?.['id'], 'call', 'nothing follows the answer');
    return messages
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => {
        const { progressToken, ...progress } = params as Record<string, unknown>;
        assert.equal(progressToken, 'p');
        return progress;
      });
  } finally {
    server.process.kill('SIGKILL');
    await server.exit;
    plugin.remove();
  }
}

describe('RT-33 progress', () => {
  it('a fallback of 0 that streams again is one notification', async () => {
    const body = `return h(Agent.Result, null, wait(step(0), h(Later, { ms: 300 })), wait(null, h(Later, { ms: 60 })));`;
    assert.deepEqual(await notifications(body), [{ progress: 0 }]);
  });

  it('report 1, fallback 1, fallback 2 is 1, 2', async () => {
    const body = `progress.report({ completed: 1, message: 'go' });
      return h(Agent.Result, null, wait(step(1), h(Later, { ms: 60 }, wait(step(2), h(Later, { ms: 60 })))));`;
    assert.deepEqual(await notifications(body), [{ progress: 1, message: 'go' }, { progress: 2 }]);
  });

  it('report 3 then fallback 2 is only 3', async () => {
    const body = `progress.report({ completed: 3 }); return h(Agent.Result, null, wait(step(2), h(Later, { ms: 60 })));`;
    assert.deepEqual(await notifications(body), [{ progress: 3 }]);
  });

  it('two boundaries that show the same number are one', async () => {
    const body = `return h(Agent.Result, null, wait(step(1), h(Later, { ms: 60 })), wait(step(1), h(Later, { ms: 60 })));`;
    assert.deepEqual(await notifications(body), [{ progress: 1 }]);
  });

  it('RT-31 a total is passed on, and a long message is cut', async () => {
    const body = `progress.report({ completed: 1, total: 4, message: '  ' + 'x'.repeat(300) }); return h(Agent.Result);`;
    const [first] = (await notifications(body)) as { progress: number; total: number; message: string }[];
    assert.equal(first?.total, 4);
    assert.equal(first?.message.length, 200);
    assert.match(first?.message ?? '', /^x+…$/);
  });

  it('without a token there are none', async () => {
    assert.deepEqual(await notifications(`progress.report({ completed: 1 }); return h(Agent.Result);`, false), []);
  });
});
