import { type Override, renderInline, renderLine } from './inline.ts';
import type { MarkdownElement, MarkdownNode } from './tree.ts';

/** A table, after its caption; its first row is the header, wherever the author put it. */
export function renderTable(children: readonly MarkdownNode[], override: Override): string[] {
  const elements = children.filter(isElement);
  const captions = elements
    .filter(({ tag }) => tag === 'caption')
    .map((caption) => renderInline(caption.children, override));
  const [header, ...body] = elements.flatMap(rowsOf).map((row) => row.children.filter(isCell));
  if (header === undefined) return captions;
  const width = Math.max(header.length, ...body.map((row) => row.length));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const row = (cells: readonly MarkdownElement[]) => line(columns(width, (index) => cellText(cells[index], override)));
  const rule = line(columns(width, (index) => alignment(header[index])));
  return [...captions, [row(header), rule, ...body.map(row)].join('\n')];
}

function rowsOf(element: MarkdownElement): MarkdownElement[] {
  if (element.tag === 'tr') return [element];
  return ['thead', 'tbody', 'tfoot'].includes(element.tag) ? element.children.filter(isElement).flatMap(rowsOf) : [];
}

function columns(width: number, cell: (index: number) => string): string[] {
  return Array.from({ length: width }, (_, index) => cell(index));
}

/** Pipes would end the cell wherever they stand, even in code. */
function cellText(cell: MarkdownElement | undefined, override: Override): string {
  return cell === undefined ? '' : renderLine(cell.children, override).replaceAll('|', '\\|');
}

function alignment(cell: MarkdownElement | undefined): string {
  const style = cell?.props['style'] as { textAlign?: unknown } | undefined;
  switch (cell?.props['align'] ?? style?.textAlign) {
    case 'left':
      return ':--';
    case 'center':
      return ':-:';
    case 'right':
      return '--:';
    default:
      return '---';
  }
}

function isElement(node: MarkdownNode): node is MarkdownElement {
  return typeof node !== 'string';
}

function isCell(node: MarkdownNode): node is MarkdownElement {
  return isElement(node) && (node.tag === 'th' || node.tag === 'td');
}
