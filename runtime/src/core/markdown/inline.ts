import { characterReference, codeFence, escapeDestination, escapeLineStart, escapeText, titlePart } from './escape.ts';
import { type MarkdownElement, type MarkdownNode, rawText } from './tree.ts';

/** Renders an overridden element; undefined when its tag is not overridden. */
export type Override = (element: MarkdownElement) => string | undefined;

interface InlineContext {
  readonly override: Override;
  /** How deep in emphasis of one kind: nested ones take the other marker. */
  readonly emphasis: number;
  readonly inLink: boolean;
}

/** Inline nodes as Markdown; the result may hold hard breaks, and is otherwise one line. */
export function renderInline(nodes: readonly MarkdownNode[], override: Override): string {
  return trimInline(write(nodes, { override, emphasis: 0, inLink: false }, true));
}

/** As `renderInline`, for places that end at a newline. */
export function renderLine(nodes: readonly MarkdownNode[], override: Override): string {
  return renderInline(nodes, override).replace(/\\?\n/g, ' ');
}

function write(nodes: readonly MarkdownNode[], context: InlineContext, atBlockStart: boolean): string {
  const writer = new InlineWriter(atBlockStart);
  for (const node of nodes) writeNode(writer, node, context);
  return writer.out;
}

function writeNode(writer: InlineWriter, node: MarkdownNode, context: InlineContext): void {
  if (typeof node === 'string') return writer.text(node);
  const overridden = context.override(node);
  if (overridden !== undefined) return writer.raw(overridden);
  const { tag, props, children } = node;
  switch (tag) {
    case 'em':
    case 'i':
      return writer.attention(write(children, deeper(context), false), context.emphasis % 2 === 0 ? '*' : '_');
    case 'strong':
    case 'b':
      return writer.attention(write(children, deeper(context), false), context.emphasis % 2 === 0 ? '**' : '__');
    case 'del':
    case 's':
      return writer.attention(write(children, deeper(context), false), '~~');
    case 'code':
      return writer.raw(inlineCode(rawText(children)));
    case 'br':
      return writer.lineBreak();
    case 'a':
      return writeLink(writer, node, context);
    case 'img':
      return writer.link(
        `![${escapeText(String(props['alt'] ?? ''))}](${escapeDestination(String(props['src'] ?? ''))}${titlePart(props['title'])})`,
      );
    case 'input':
      if (props['type'] === 'checkbox') writer.raw(props['checked'] === true ? '[x] ' : '[ ] ');
      return;
    default:
      for (const child of children) writeNode(writer, child, context);
  }
}

function deeper(context: InlineContext): InlineContext {
  return { ...context, emphasis: context.emphasis + 1 };
}

/** Links do not nest: an inner one is its text. */
function writeLink(writer: InlineWriter, { props, children }: MarkdownElement, context: InlineContext): void {
  const { href } = props;
  if (context.inLink || typeof href !== 'string') {
    for (const child of children) writeNode(writer, child, context);
    return;
  }
  const text = trimInline(write(children, { ...context, inLink: true }, false));
  writer.link(`[${text}](${escapeDestination(href)}${titlePart(props['title'])})`);
}

function inlineCode(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  if (line === '') return '';
  const fence = codeFence(line, 1);
  const isPadded = line.startsWith('`') || line.endsWith('`') || (/^ .* $/.test(line) && line.trim() !== '');
  return isPadded ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

const WORD = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Collects one run of inline Markdown, minding what characters mean beside each other. */
class InlineWriter {
  out = '';
  /** The marker that the output ends with, and whether a word character right after it would undo it. */
  #closed: { readonly marker: string; readonly isFragile: boolean } | undefined;
  readonly #atBlockStart: boolean;

  constructor(atBlockStart: boolean) {
    this.#atBlockStart = atBlockStart;
  }

  text(text: string): void {
    let escaped = escapeText(text);
    const line = this.#line();
    if (/\s$/.test(this.out)) escaped = escaped.trimStart();
    if (line !== undefined && line.trim() === '') escaped = escapeLineStart(escaped.trimStart());
    else if (line !== undefined && /^\d{1,9}$/.test(line)) escaped = escaped.replace(/^[.)]/, '\\$&');
    const first = escaped[0];
    if (first !== undefined && this.#closed?.isFragile === true && WORD.test(first)) {
      const character = String.fromCodePoint(escaped.codePointAt(0) as number);
      escaped = characterReference(character) + escaped.slice(character.length);
    }
    this.#push(escaped);
  }

  raw(markdown: string): void {
    this.#push(markdown);
  }

  lineBreak(): void {
    // A break at the start of a block would be a lone backslash.
    if (this.#line()?.trim() !== '') this.#push('\\\n');
  }

  /** A link or an image; after a literal `!`, a link would become an image. */
  link(markdown: string): void {
    if (/(?<!\\)!$/.test(this.out)) this.out = `${this.out.slice(0, -1)}\\!`;
    this.#push(markdown);
  }

  /** Puts emphasis around `inner`. Blanks at its ends move out, since markers must touch what they mark. */
  attention(inner: string, preferred: string): void {
    const text = trimInline(inner);
    if (text === '') return this.#push(inner);
    if (/^\s/.test(inner)) this.#push(' ');
    const marker = this.#closed?.marker[0] === preferred[0] ? alternate(preferred) : preferred;
    const last = [...this.out].at(-1) ?? '';
    if (WORD.test(last) && (marker[0] === '_' || PUNCTUATION.test(text[0] ?? ''))) {
      this.out = this.out.slice(0, -last.length) + characterReference(last);
    }
    this.#push(marker + text + marker);
    this.#closed = { marker, isFragile: marker[0] === '_' || PUNCTUATION.test(text.at(-1) ?? '') };
    if (/\s$/.test(inner)) this.#push(' ');
  }

  /** What stands on the current line; undefined inside markup, where a line never starts. */
  #line(): string | undefined {
    const newline = this.out.lastIndexOf('\n');
    return newline < 0 && !this.#atBlockStart ? undefined : this.out.slice(newline + 1);
  }

  #push(markdown: string): void {
    if (markdown === '') return;
    this.out += markdown;
    this.#closed = undefined;
  }
}

/** Without blanks and hard breaks at either end; a break that ends a run would leave its backslash behind. */
function trimInline(markdown: string): string {
  return markdown.replace(/^(?:\\\n|\s)+/, '').replace(/(?:\\\n|\s)+$/, '');
}

function alternate(marker: string): string {
  return marker[0] === '*' ? marker.replaceAll('*', '_') : marker.replaceAll('_', '*');
}
