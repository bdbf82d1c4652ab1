import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentRenderEvent } from '../src/core/index.ts';
import { sealDocument, type RawResult } from '../src/core/document.ts';
import { loadCore } from './dist.ts';

const core = await loadCore();
const {
  Agent,
  EventMeter,
  DEFAULT_AGENT_RENDER_LIMITS,
  Suspense,
  createElement: h,
  renderRoute,
  toJson,
  unavailable,
} = core;

type Limits = Parameters<typeof renderRoute>[0]['limits'];
type Call = Parameters<typeof renderRoute>[0]['call'];

const FOREVER = Number.POSITIVE_INFINITY;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Renders what `call` gives, as a route without layouts. */
async function render(call: Call, { limits = {} as Limits, signal = new AbortController().signal } = {}) {
  const events: AgentRenderEvent[] = [];
  const none = unavailable<never>('not-provided');
  const document = renderRoute({
    route: { id: 'tool:s/t', kind: 'tool', name: 't' },
    layouts: [],
    call,
    facts: {
      invocation: { id: '1', kind: 'tool', startedAt: '' },
      host: none,
      session: none,
      actor: none,
      workspace: none,
      plugin: none,
      lineage: none,
      terminal: none,
      capabilities: none,
    },
    providers: [],
    signal,
    limits,
    onEvent: (event) => void events.push(event),
  });
  return { document: await document, events };
}

const codeOf = (code: string) => (error: unknown) => (error as { code?: unknown }).code === code;
const result = (...children: Parameters<typeof h>[2][]) => h(Agent.Result, null, ...children);

describe('RT-3, RT-4 the document', () => {
  it('holds every kind of node, frozen', async () => {
    const metadata = { m: [1] };
    const { document } = await render(() =>
      h(
        Agent.Result,
        { value: { a: 1 }, metadata },
        h(Agent.Text, null, 't'),
        h(Agent.Markdown, null, 'm'),
        h(Agent.Context, null, 'c'),
        h(Agent.Json, { value: [null] }),
        h(Agent.Progress, { completed: 1, total: 2, message: 'p' }),
        h(Agent.Image, { data: 'd', mimeType: 'i' }),
        h(Agent.Audio, { data: 'd', mimeType: 'a' }),
        h(Agent.Resource, { uri: 'u', name: 'n', mimeType: 'r' }),
      ),
    );
    assert.deepEqual(document, {
      version: 1,
      status: 'success',
      root: {
        type: 'result',
        metadata,
        children: [
          { type: 'text', text: 't' },
          { type: 'markdown', text: 'm' },
          { type: 'context', text: 'c' },
          { type: 'json', value: [null] },
          { type: 'progress', completed: 1, total: 2, message: 'p' },
          { type: 'image', data: 'd', mimeType: 'i' },
          { type: 'audio', data: 'd', mimeType: 'a' },
          { type: 'resource', uri: 'u', name: 'n', mimeType: 'r' },
        ],
      },
      value: { a: 1 },
    });
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    assert.ok(frozen(document), 'RT-8');
    metadata.m.push(2);
    assert.deepEqual(document.root.metadata, { m: [1] });
  });

  it('is a represented error when any node is one', async () => {
    const { document } = await render(() => result(result(h(Agent.Error, { code: 'E', children: 'm' }))));
    assert.equal(document.status, 'represented-error');
  });

  it('carries awkward JSON as it is', async () => {
    const value = JSON.parse('{"__proto__":{"x":1},"$ref":"$1","then":"$L2","":[[]],"u":"\\u2028"}') as unknown;
    const { document } = await render(() => h(Agent.Result, { value }));
    assert.equal(JSON.stringify(document.value), JSON.stringify(value));
  });
});

describe('RT-2, RT-5 validation', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const invalid: [name: string, tree: () => unknown, message: RegExp][] = [
    ['text at the root', () => h(Agent.Text, null, 'x'), /root must be one Agent\.Result, and it is a text node/],
    ['nothing', () => null, /it is empty/],
    ['two roots', () => [result(), result()], /it is 2 nodes/],
    ['an HTML tag', () => result(h('b', null, 'x')), /<b> is not an Agent element/],
    ['bare text', () => result('loose'), /"loose"/],
    ['a plain object', () => result({ a: 1 } as never), /no element/],
    ['two text children', () => result(h(Agent.Text, { children: ['a', 'b'] as never })), /exactly one string child/],
    [
      'blank data',
      () => result(h(Agent.Image, { data: ' ', mimeType: 'x' })),
      /Agent\.Image data must be a nonblank string/,
    ],
    ['a blank message', () => result(h(Agent.Progress, { completed: 0, message: '' })), /Agent\.Progress message/],
    ['negative progress', () => result(h(Agent.Progress, { completed: -1 })), /Agent\.Progress completed/],
    ['progress past its total', () => result(h(Agent.Progress, { completed: 2, total: 1 })), /more than its total/],
    [
      'an infinite number',
      () => result(h(Agent.Json, { value: { a: [1, Infinity] } })),
      /Agent\.Json value\.a\[1\]: Infinity/,
    ],
    [
      'a class instance',
      () => h(Agent.Result, { value: { at: new Date(0) } }),
      /Agent\.Result value\.at: an instance of Date/,
    ],
    ['a cycle', () => h(Agent.Result, { value: cyclic }), /value\.self: the value contains itself/],
    [
      'an accessor',
      () =>
        h(Agent.Result, {
          value: {
            get a() {
              return 1;
            },
          },
        }),
      /value\.a: accessors/,
    ],
    ['a symbol key', () => h(Agent.Result, { value: { [Symbol('s')]: 1 } }), /symbol keys/],
    ['a sparse array', () => h(Agent.Result, { value: [1, , 2] }), /value\[1\]: the array has a hole/],
    ['a function', () => h(Agent.Result, { metadata: { 'a-b': () => 1 } }), /metadata\["a-b"\]: a function/],
    ['no JSON value', () => result(h(Agent.Json, { value: undefined })), /Agent\.Json needs a value/],
  ];
  for (const [name, tree, message] of invalid) {
    it(name, () =>
      assert.rejects(render(tree as Call), (error: Error) => {
        assert.equal((error as Error & { code?: string }).code, 'invalid-document');
        assert.match(error.message, message);
        return true;
      }),
    );
  }

  it('fails the whole render from inside a boundary too', () =>
    assert.rejects(
      render(() => result(h(Suspense, { fallback: null }, h(Agent.Json, { value: NaN })))),
      codeOf('invalid-document'),
    ));

  it('drops undefined members and nulls undefined elements', () => {
    assert.deepEqual(toJson({ a: undefined, b: [undefined, 1] }, 'v'), { b: [null, 1] });
  });
});

describe('RT-7 merging', () => {
  const leaf = (text: string) => ({ type: 'text', text }) as const;
  const seal = (raw: Omit<RawResult, 'type'>) => {
    const { root, value } = sealDocument({ type: 'result', ...raw });
    return { children: root.children, metadata: root.metadata, value };
  };

  it('splices the first valued child', () => {
    const inner = { type: 'result', value: 1, children: [leaf('in')], metadata: { a: 1, b: 1 } } as const;
    const second = { type: 'result', value: 2, children: [leaf('2')] } as const;
    assert.deepEqual(seal({ children: [leaf('x'), inner, second], metadata: { b: 2 } }), {
      children: [leaf('x'), leaf('in'), { type: 'result', children: [leaf('2')] }],
      metadata: { b: 2, a: 1 },
      value: 1,
    });
  });

  it('works from the bottom up, and adopts metadata where there is none', () => {
    const inner = { type: 'result', value: 1, children: [], metadata: 'm' } as const;
    assert.deepEqual(seal({ children: [{ type: 'result', children: [inner] }] }), {
      children: [],
      metadata: 'm',
      value: 1,
    });
  });

  it('lets the container keep metadata that cannot mix, and leaves valued containers alone', () => {
    const inner = { type: 'result', value: 1, children: [], metadata: { a: 1 } } as const;
    assert.equal(seal({ children: [inner], metadata: [1] as never }).metadata?.toString(), '1');
    assert.deepEqual(seal({ children: [inner], value: 0 }).value, 0);
  });

  it('only merges direct children', () => {
    const inner = { type: 'result', value: 1, children: [] } as const;
    assert.equal(seal({ children: [{ type: 'result', value: 2, children: [inner] }] }).value, 2);
  });
});

describe('RT-6 limits', () => {
  const nest = (depth: number): ReturnType<typeof h> => (depth === 1 ? result() : result(nest(depth - 1)));
  const broken: [code: string, call: Call, limits?: Limits][] = [
    ['document-bytes-exceeded', () => result(h(Agent.Text, null, 'x'.repeat(1_048_577)))],
    ['document-bytes-exceeded', () => result(h(Agent.Result, { value: 'x'.repeat(900) })), { maxDocumentBytes: 800 }],
    ['document-depth-exceeded', () => nest(65)],
    [
      'document-node-count-exceeded',
      () => result(Array.from({ length: 10_000 }, (_, key) => h(Agent.Text, { key, children: '' }))),
    ],
    ['elapsed-time-exceeded', () => new Promise<never>(() => {}), { maxElapsedMs: 10 }],
    ['event-bytes-exceeded', () => result(h(Agent.Text, null, 'xxxxx')), { maxEventBytes: 50 }],
    ['event-count-exceeded', () => result(), { maxEvents: 1 }],
    ['event-rate-exceeded', () => result(), { maxEventsPerSecond: 1 }],
  ];
  for (const [code, call, limits] of broken) {
    it(code, () => assert.rejects(render(call, { limits }), codeOf(code)));
  }

  it('are reached exactly', async () => {
    await render(() => nest(64));
    await render(() => result(Array.from({ length: 9_999 }, (_, key) => h(Agent.Text, { key, children: '' }))));
  });

  it('RT-10 counts events in a sliding second', () => {
    let now = 0;
    const meter = new EventMeter({ ...DEFAULT_AGENT_RENDER_LIMITS, maxEventsPerSecond: 2 }, () => now);
    for (const at of [0, 500, 1_000, 1_500]) {
      now = at;
      meter.admit({});
    }
    now = 1_600;
    assert.throws(() => meter.admit({}), codeOf('event-rate-exceeded'));
  });
});

describe('RT-10, RT-11 events', () => {
  const Late = async ({ ms, fail }: { ms: number; fail?: string }) => {
    await (ms === FOREVER ? new Promise(() => {}) : sleep(ms));
    if (fail !== undefined) throw new Error(fail);
    return h(Agent.Text, null, `after ${ms}`);
  };
  const boundary = (props: { ms: number; fail?: string }, fallback: unknown = h(Agent.Text, null, 'wait')) =>
    h(Suspense, { fallback: fallback as never }, h(Late, props));
  const texts = (event: AgentRenderEvent | undefined) =>
    event !== undefined && 'document' in event
      ? event.document.root.children.map((node) => ('text' in node ? node.text : node.type))
      : [];

  it('shell, one replace for each boundary, complete', async () => {
    const { events } = await render(() => result(boundary({ ms: 300 }), boundary({ ms: 50 })));
    assert.deepEqual(
      events.map(({ type }) => type),
      ['shell', 'replace', 'replace', 'complete'],
    );
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [0, 1, 2, 3],
    );
    assert.deepEqual(events.map(texts), [
      ['wait', 'wait'],
      ['wait', 'after 50'],
      ['after 300', 'after 50'],
      ['after 300', 'after 50'],
    ]);
    const ids = events.flatMap((event) => (event.type === 'replace' ? [event.boundaryId] : []));
    assert.equal(new Set(ids).size, 2);
  });

  it('waits for what lies outside every boundary', async () => {
    const { events } = await render(async () => result(h(Late, { ms: 10 })));
    assert.deepEqual(
      events.map(({ type }) => type),
      ['shell', 'complete'],
    );
    assert.deepEqual(texts(events[0]), ['after 10']);
  });

  it('a rejected boundary is an error event and an error node', async () => {
    const { events, document } = await render(() =>
      result(boundary({ ms: 10, fail: 'lost' }), h(Agent.Text, null, 'kept')),
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['shell', 'error', 'complete'],
    );
    assert.deepEqual(events[1]?.type === 'error' && events[1].error, { code: 'boundary', message: 'lost' });
    assert.deepEqual(document.root.children, [
      { type: 'error', code: 'boundary', message: 'lost' },
      { type: 'text', text: 'kept' },
    ]);
    assert.equal(document.status, 'represented-error');
  });

  it('nested boundaries replace one after the other', async () => {
    const Outer = async () => {
      await sleep(10);
      return [
        h(Agent.Text, { key: 'o', children: 'outer' }),
        h(Suspense, { key: 's', fallback: h(Agent.Text, null, 'inner wait') }, h(Late, { ms: 200 })),
      ];
    };
    const { events } = await render(() => result(h(Suspense, { fallback: h(Agent.Text, null, 'wait') }, h(Outer))));
    assert.deepEqual(events.map(texts), [
      ['wait'],
      ['outer', 'inner wait'],
      ['outer', 'after 200'],
      ['outer', 'after 200'],
    ]);
  });

  it('RT-12 an abort rejects with an AbortError and stops the render', async () => {
    const controller = new AbortController();
    let stopped = false;
    const call: Call = (handle) => {
      handle.signal.addEventListener('abort', () => (stopped = true));
      return result(boundary({ ms: FOREVER }));
    };
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(render(call, { signal: controller.signal }), { name: 'AbortError' });
    assert.ok(stopped);
    await assert.rejects(
      render(() => result(), { signal: AbortSignal.abort() }),
      { name: 'AbortError' },
    );
  });

  it('a report of impossible numbers is refused', async () => {
    for (const report of [{ completed: NaN }, { completed: -1 }, { completed: 2, total: 1 }, { total: Infinity }]) {
      await assert.rejects(
        render(({ progress }) => (progress.report(report), result())),
        codeOf('invalid-document'),
      );
    }
  });

  it('a report after the end is refused', async () => {
    let report: () => void = () => {};
    await render(({ progress }) => {
      report = () => progress.report({ completed: 1 });
      return result();
    });
    assert.throws(report, codeOf('handoff-required'));
  });

  it('many boundaries at once finish', async () => {
    const { document } = await render(() =>
      result(Array.from({ length: 400 }, (_, key) => h(Suspense, { key, fallback: null }, h(Late, { ms: key % 7 })))),
    );
    assert.equal(document.root.children.length, 400);
  });
});

describe('RT-98 attachMcpStructuredContent', () => {
  it('adds a JSON object and refuses anything else', () => {
    const base = { content: [{ type: 'text' as const, text: 'x' }] };
    assert.deepEqual(core.attachMcpStructuredContent(base, { a: 1 }), { ...base, structuredContent: { a: 1 } });
    assert.throws(() => core.attachMcpStructuredContent(base, [1]), TypeError);
    assert.throws(() => core.attachMcpStructuredContent(base, { a: NaN }), TypeError);
  });
});
