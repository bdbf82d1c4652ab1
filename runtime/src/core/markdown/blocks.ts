import { codeFence } from './escape.ts';
import { type Override, renderInline, renderLine } from './inline.ts';
import { renderTable } from './table.ts';
import { type MarkdownElement, type MarkdownNode, append, rawText } from './tree.ts';

/** Elements that only group blocks. */
const CONTAINERS = new Set(
  'address article aside body details div dl fieldset figcaption figure footer form header html main nav section summary'.split(
    ' ',
  ),
);
const LEAVES = new Set('blockquote dd dt h1 h2 h3 h4 h5 h6 hr li ol p pre table ul'.split(' '));
const INLINE = new Set('a b br code del em i img input s strong'.split(' '));
/** Parts of a table, which mean something to the table alone. */
const TABLE_PARTS = new Set('caption tbody td tfoot th thead tr'.split(' '));

/** True for every tag that has a Markdown of its own. */
export function isKnown(tag: string): boolean {
  return CONTAINERS.has(tag) || LEAVES.has(tag) || INLINE.has(tag) || TABLE_PARTS.has(tag);
}

/** True for nodes that begin a block of their own. */
export function isBlock(node: MarkdownNode): node is MarkdownElement {
  return typeof node !== 'string' && (CONTAINERS.has(node.tag) || LEAVES.has(node.tag) || TABLE_PARTS.has(node.tag));
}

/** Renders the blocks of one container, in order. */
export class BlockRenderer {
  readonly #override: Override;
  /** The marker of the list just before, which the next one must not share lest they join. */
  #lastMarker: string | undefined;

  constructor(override: Override) {
    this.#override = override;
  }

  /** All blocks of `nodes`; neighbouring inline nodes form a paragraph. */
  all(nodes: readonly MarkdownNode[]): string[] {
    const blocks: string[] = [];
    let run: MarkdownNode[] = [];
    for (const node of nodes) {
      if (isBlock(node)) {
        blocks.push(...this.paragraph(run), ...this.block(node));
        run = [];
      } else {
        append(run, node);
      }
    }
    return [...blocks, ...this.paragraph(run)];
  }

  /** No block for a run of blanks. */
  paragraph(run: readonly MarkdownNode[]): string[] {
    const text = renderInline(run, this.#override);
    if (text === '') return [];
    this.#lastMarker = undefined;
    return [text];
  }

  block(element: MarkdownElement): string[] {
    const overridden = this.#override(element);
    if (overridden !== undefined) return overridden === '' ? [] : [overridden];
    if (element.tag === 'ul' || element.tag === 'ol') return this.#list(element);
    const blocks = this.#plainBlock(element);
    if (blocks.length > 0) this.#lastMarker = undefined;
    return blocks;
  }

  #plainBlock({ tag, props, children }: MarkdownElement): string[] {
    switch (tag) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6': {
        const text = renderLine(children, this.#override).replace(/(^|[ \t])(#+)$/, '$1\\$2');
        return [`${'#'.repeat(Number(tag[1]))} ${text}`.trimEnd()];
      }
      case 'hr':
        return ['---'];
      case 'pre':
        return [codeBlock(children)];
      case 'blockquote':
        return nonempty(prefixLines(this.#nested(children), '> '));
      case 'dt':
        return this.paragraph([{ tag: 'strong', props: {}, children }]);
      case 'table':
        return renderTable(children, this.#override);
      case 'li':
        return this.#list({ tag: 'ul', props, children: [{ tag, props, children }] });
      default:
        return this.all(children);
    }
  }

  #nested(nodes: readonly MarkdownNode[]): string {
    return new BlockRenderer(this.#override).all(nodes).join('\n\n');
  }

  #list({ tag, props, children }: MarkdownElement): string[] {
    const items = children.filter((child): child is MarkdownElement => typeof child !== 'string' && child.tag === 'li');
    if (items.length === 0) return [];
    const isOrdered = tag === 'ol';
    const [usual, other] = isOrdered ? ['.', ')'] : ['-', '*'];
    const marker = this.#lastMarker === usual ? other : usual;
    this.#lastMarker = marker;
    const start = Number.isInteger(props['start']) && Number(props['start']) >= 0 ? Number(props['start']) : 1;
    const isTight = items.every(isTightItem);
    const rendered = items.map((item, index) => {
      const bullet = isOrdered ? `${start + index}${marker} ` : `${marker} `;
      return hang(this.#item(item, isTight), bullet);
    });
    return [rendered.join(isTight ? '\n' : '\n\n')];
  }

  #item({ children }: MarkdownElement, isTight: boolean): string {
    const blocks = new BlockRenderer(this.#override).all(children);
    return blocks.join(isTight ? '\n' : '\n\n');
  }
}

/** An item of one line of text, at most followed by lists that may interrupt a paragraph. */
function isTightItem({ children }: MarkdownElement): boolean {
  const blocks = children.filter(isBlock);
  const first = children.findIndex(isBlock);
  const hasTextAfter =
    first >= 0 && children.slice(first).some((child) => !isBlock(child) && rawText([child]).trim() !== '');
  return !hasTextAfter && blocks.length <= 1 && blocks.every(mayInterrupt);
}

function mayInterrupt({ tag, props, children }: MarkdownElement): boolean {
  const isFirstFilled = rawText(children.filter((child) => typeof child !== 'string').slice(0, 1)).trim() !== '';
  return isFirstFilled && (tag === 'ul' || (tag === 'ol' && (props['start'] === undefined || props['start'] === 1)));
}

function codeBlock(children: readonly MarkdownNode[]): string {
  const text = rawText(children).replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const fence = codeFence(text, 3);
  const code = children.find((child): child is MarkdownElement => typeof child !== 'string' && child.tag === 'code');
  const classes = String(code?.props['className'] ?? code?.props['class'] ?? '');
  const language = /(?:^|\s)language-([^\s`]+)/.exec(classes)?.[1] ?? '';
  return `${fence}${language}\n${text === '' ? '' : `${text}\n`}${fence}`;
}

function prefixLines(text: string, prefix: string): string {
  if (text === '') return '';
  return text
    .split('\n')
    .map((line) => (prefix + line).trimEnd())
    .join('\n');
}

/** Puts `bullet` before the first line and indents the others by its width. */
function hang(text: string, bullet: string): string {
  const indent = ' '.repeat(bullet.length);
  return text
    .split('\n')
    .map((line, index) => (line === '' && index > 0 ? '' : (index === 0 ? bullet : indent) + line))
    .join('\n')
    .trimEnd();
}

function nonempty(text: string): string[] {
  return text === '' ? [] : [text];
}
