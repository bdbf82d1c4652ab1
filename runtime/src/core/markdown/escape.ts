const ENTITY = /&(?=(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);)/g;

/** Literal text as Markdown that reads as the same text. Newlines become spaces, as they do in HTML. */
export function escapeText(text: string): string {
  return text
    .replace(/[ \t]*[\r\n]+[ \t]*/g, ' ')
    .replace(/[\\`*_[\]<~]/g, '\\$&')
    .replace(ENTITY, '\\&');
}

/** Escaped text that will stand at the start of a line, where more characters have a meaning. */
export function escapeLineStart(escaped: string): string {
  return escaped.replace(/^[#>\-+=|:]/, '\\$&').replace(/^(\d{1,9})([.)])/, '$1\\$2');
}

/** A link destination. Angle brackets hold what a bare one cannot. */
export function escapeDestination(url: string): string {
  const bare = url.replace(ENTITY, '\\&');
  if (/^[^\s<>()\\\u0000-\u001f]+$/.test(url)) return bare;
  return `<${bare
    .replace(/\\(?!&)/g, '\\\\')
    .replace(/[<>]/g, '\\$&')
    .replace(/\r/g, '%0D')
    .replace(/\n/g, '%0A')}>`;
}

/** A link title with its quotes, after a space; nothing for no title. */
export function titlePart(title: unknown): string {
  if (typeof title !== 'string' || title === '') return '';
  return ` "${title
    .replace(/[\r\n]+/g, ' ')
    .replace(/[\\"]/g, '\\$&')
    .replace(ENTITY, '\\&')}"`;
}

/** One character as a numeric reference: to the reader the same, to the parser punctuation. */
export function characterReference(character: string): string {
  return `&#x${character.codePointAt(0)?.toString(16)};`;
}

/** Backticks longer than any run in `text`, and at least `least`. */
export function codeFence(text: string, least: number): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return '`'.repeat(Math.max(least, longest + 1));
}
