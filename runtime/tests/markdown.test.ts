import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import MarkdownIt from 'markdown-it';
import { loadCore } from './dist.ts';

const {
  Agent,
  MarkdownContent,
  Suspense,
  createElement: h,
  renderToMarkdown,
  renderToMarkdownStream,
  use,
  Fragment,
} = await loadCore();
type Node = Parameters<typeof renderToMarkdown>[0];

const parser = new MarkdownIt({ html: true, linkify: false });

/** What a reader of the Markdown sees, as HTML on one line. */
async function seen(node: Node): Promise<string> {
  return parser
    .render(await renderToMarkdown(node))
    .trim()
    .replace(/>\n+/g, '>')
    .replace(/\n</g, '<');
}

const p = (...children: Node[]) => h('p', null, ...children);
const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

describe('RT-95 round trips', () => {
  for (const text of [
    '*a*',
    '1. x',
    '1) x',
    '- x',
    '+ x',
    '# x',
    '> x',
    '=',
    '---',
    '&amp;',
    '<b>x</b>',
    '~~~',
    '```',
    '| a |',
    '\\',
    '![x](y)',
    '_a_',
    'a_b_c',
    '!',
    '    x'.trim(),
    ': x',
    '[ ] x',
    '&#35;',
    '***',
    'x  y',
  ]) {
    it(`text ${JSON.stringify(text)}`, async () => assert.equal(await seen(p(text)), `<p>${html(text)}</p>`));
  }

  const vectors: [name: string, node: () => Node, expected: string][] = [
    ['a hard break', () => p('a', h('br'), 'b'), '<p>a<br>b</p>'],
    ['breaks at the ends', () => p(h('br'), 'a', h('br')), '<p>a</p>'],
    [
      'a list marker after a break',
      () => p('a', h('br'), '- b', h('br'), '2. c', h('br'), '==='),
      '<p>a<br>- b<br>2. c<br>===</p>',
    ],
    ['code with two backticks', () => p(h('code', null, 'a``b')), '<p><code>a``b</code></p>'],
    ['code that begins with a backtick', () => p(h('code', null, '`a')), '<p><code>`a</code></p>'],
    ['code in blanks', () => p(h('code', null, ' a ')), '<p><code> a </code></p>'],
    [
      'pre with a fence inside',
      () => h('pre', null, h('code', { className: 'x language-ts' }, 'a\n```\nb\n')),
      '<pre><code class="language-ts">a\n```\nb</code></pre>',
    ],
    [
      'a pipe in a cell',
      () =>
        h(
          'table',
          null,
          h('tr', null, h('th', null, 'a|b'), h('th', { align: 'right' }, h('code', null, 'c|d'))),
          h('tr', null, h('td', null, 'e', h('br'), 'f')),
        ),
      '<table><thead><tr><th>a|b</th><th style="text-align:right"><code>c|d</code></th></tr></thead><tbody><tr><td>e f</td><td style="text-align:right"></td></tr></tbody></table>',
    ],
    [
      'a backslash before a pipe in a cell',
      () => h('table', null, h('thead', null, h('tr', null, h('th', null, '\\|')))),
      '<table><thead><tr><th>\\|</th></tr></thead></table>',
    ],
    [
      'an ordered list from 3',
      () => h('ol', { start: 3 }, h('li', null, 'x'), h('li', null, 'y')),
      '<ol start="3"><li>x</li><li>y</li></ol>',
    ],
    [
      'a nested list',
      () =>
        h('ul', null, h('li', null, 'a', h('ol', null, h('li', null, 'b'), h('li', null, 'c'))), h('li', null, 'd')),
      '<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>',
    ],
    [
      'a nested list that starts elsewhere',
      () => h('ul', null, h('li', null, 'a', h('ol', { start: 5 }, h('li', null, 'b')))),
      '<ul><li><p>a</p><ol start="5"><li>b</li></ol></li></ul>',
    ],
    [
      'two lists in a row',
      () => [h('ul', { key: 1 }, h('li', null, 'a')), h('ul', { key: 2 }, h('li', null, 'b'))],
      '<ul><li>a</li></ul><ul><li>b</li></ul>',
    ],
    [
      'blocks in an item',
      () => h('ul', null, h('li', null, h('p', null, 'a'), h('pre', null, 'b\n\nc'))),
      '<ul><li><p>a</p><pre><code>b\n\nc</code></pre></li></ul>',
    ],
    ['a destination with a blank', () => p(h('a', { href: 'u v' }, 't')), '<p><a href="u%20v">t</a></p>'],
    [
      'awkward destinations',
      () => p(h('a', { href: 'a(b' }, '1'), h('a', { href: 'a&amp;b', title: 'q"\\' }, '2')),
      '<p><a href="a(b">1</a><a href="a&amp;amp;b" title="q&quot;\\">2</a></p>',
    ],
    ['an exclamation before a link', () => p('!', h('a', { href: 'u' }, 't')), '<p>!<a href="u">t</a></p>'],
    ['a link in a link', () => p(h('a', { href: 'u' }, 'a', h('a', { href: 'v' }, 'b'))), '<p><a href="u">ab</a></p>'],
    ['an image', () => p(h('img', { src: 'u.png', alt: 'a]b' })), '<p><img src="u.png" alt="a]b"></p>'],
    ['an unknown element', () => h('x-foo', null, 't'), '<p>t</p>'],
    [
      'emphasis within emphasis',
      () => p(h('strong', null, h('em', null, 'a')), ' ', h('em', null, 'b', h('em', null, 'c'))),
      '<p><strong><em>a</em></strong> <em>b<em>c</em></em></p>',
    ],
    [
      'emphasis beside emphasis',
      () => p(h('em', null, 'a'), h('em', null, 'b'), h('strong', null, 'c')),
      '<p><em>a</em><em>b</em><strong>c</strong></p>',
    ],
    [
      'emphasis of punctuation inside a word',
      () => p('a', h('strong', null, '!b!'), 'c'),
      '<p>a<strong>!b!</strong>c</p>',
    ],
    ['emphasis with blanks', () => p('a', h('em', null, ' b '), 'c'), '<p>a <em>b</em> c</p>'],
    ['struck text', () => p(h('del', null, 'a~b')), '<p><s>a~b</s></p>'],
    [
      'headings',
      () => [h('h1', { key: 1 }, 'a #'), h('h6', { key: 2 }, h('em', null, 'b'), h('br'), 'c')],
      '<h1>a #</h1><h6><em>b</em> c</h6>',
    ],
    [
      'a quotation',
      () => h('blockquote', null, p('a'), h('ul', null, h('li', null, 'b'))),
      '<blockquote><p>a</p><ul><li>b</li></ul></blockquote>',
    ],
    ['a rule', () => [p('a'), h('hr', { key: 1 }), p('b')], '<p>a</p><hr><p>b</p>'],
    ['terms', () => h('dl', null, h('dt', null, 'a'), h('dd', null, 'b')), '<p><strong>a</strong></p><p>b</p>'],
    [
      'inline beside blocks',
      () => h('div', null, 'a ', h('em', null, 'b'), p('c'), 'd'),
      '<p>a <em>b</em></p><p>c</p><p>d</p>',
    ],
    [
      'a table of body rows with a caption',
      () => h('table', null, h('caption', null, 'cap'), h('tbody', null, h('tr', null, h('td', null, 'a')))),
      '<p>cap</p><table><thead><tr><th>a</th></tr></thead></table>',
    ],
  ];
  for (const [name, node, expected] of vectors) {
    it(name, async () => assert.equal(await seen(node()), expected, await renderToMarkdown(node())));
  }

  it('RT-91 task items', async () => {
    const box = (checked: boolean) => h('input', { type: 'checkbox', checked });
    const list = h('ul', null, h('li', null, box(true), 'done'), h('li', null, box(false), ' open'));
    assert.equal(await renderToMarkdown(list), '- [x] done\n- [ ] open');
  });

  it('RT-93 random text keeps its characters', async () => {
    let state = 11;
    const next = (bound: number) => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) % bound;
    const alphabet = [...'ab1 .)*_`~[]()<>&;#+-=|\\!:"\'x', '&amp;', '**', '1. ', '\n'];
    for (let round = 0; round < 1_500; round += 1) {
      const text = Array.from({ length: 1 + next(12) }, () => alphabet[next(alphabet.length)])
        .join('')
        .replace(/ +/g, ' ')
        .trim();
      const literal = text
        .replace(/[ \t]*\n+[ \t]*/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      if (literal === '') continue;
      assert.equal((await seen(p(text))).replace(/\s+/g, ' '), `<p>${html(literal)}</p>`, JSON.stringify(text));
      assert.equal(
        (await seen(h('h2', null, text))).replace(/\s+/g, ' '),
        `<h2>${html(literal)}</h2>`,
        JSON.stringify(text),
      );
      const table = await seen(h('table', null, h('tr', null, h('th', null, text))));
      assert.equal(
        table.replace(/\s+/g, ' '),
        `<table><thead><tr><th>${html(literal)}</th></tr></thead></table>`,
        JSON.stringify(text),
      );
    }
  });
});

describe('RT-90 … RT-96 the interface', () => {
  it('separates blocks by one blank line, and has no newline at the ends', async () => {
    assert.equal(await renderToMarkdown([p('a'), ' ', h('h2', { key: 1 }, 'b'), p('c')]), 'a\n\n## b\n\nc');
  });

  it('RT-94 resolves components, use and boundaries in document order', async () => {
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const Slow = async () => (await wait(10), h('b', null, 'slow'));
    const promise = wait(2).then(() => 'used');
    const Using = () => use(promise);
    const node = h(Fragment, null, p(h(Slow)), p(h(Using)), h(Suspense, { fallback: 'no' }, p(h(Slow))));
    assert.equal(await renderToMarkdown(node), '**slow**\n\nused\n\n**slow**');
  });

  it('RT-92 overrides and adds tags', async () => {
    const components = {
      'x-note': (_props: unknown, { blocks }: { blocks: string }) => `> [!NOTE]\n> ${blocks}`,
      code: (props: Record<string, unknown>, { inline }: { inline: string }) => `<${String(props['id'])}:${inline}>`,
      hr: () => null,
    };
    const node = [
      h('x-note', { key: 1 }, p('careful')),
      p('a ', h('code', { id: 'k' }, 'b')),
      h('hr', { key: 2 }),
      p('c'),
    ];
    assert.equal(await renderToMarkdown(node, { components }), '> [!NOTE]\n> careful\n\na <k:b>\n\nc');
  });

  it('is one Agent.Markdown, and rejects with what a component threw', async () => {
    const element = await MarkdownContent({ children: p('a') });
    assert.equal((element as { type: unknown }).type, Agent.Markdown);
    assert.deepEqual((element as { props: unknown }).props, { children: 'a' });
    const Bad = async (): Promise<Node> => Promise.reject(new Error('broken'));
    await assert.rejects(renderToMarkdown(p(h(Bad))), { message: 'broken' });
  });

  it('streams the same text', async () => {
    const node = [p('a'), h('ul', { key: 1 }, h('li', null, 'é')), p('c')];
    const text = await new Response(renderToMarkdownStream(node)).text();
    assert.equal(text, await renderToMarkdown(node));
  });
});
