import { createElement, type ReactNode } from 'react';
import { decodeNode } from '../flight.ts';
import { Agent } from '../vocabulary.ts';
import { BlockRenderer, isBlock, isKnown } from './blocks.ts';
import { type Override, renderInline } from './inline.ts';
import { type MarkdownNode, type MarkdownProps, append, resolvedNodes } from './tree.ts';

/**
 * The Markdown of one tag, in place of ours. An empty string or null emits nothing. `inline` and `blocks` are the
 * children, rendered either way.
 */
export type MarkdownComponent = (
  props: MarkdownProps,
  rendered: { readonly inline: string; readonly blocks: string },
) => string | null | undefined;

export interface MarkdownOptions {
  readonly components?: Readonly<Record<string, MarkdownComponent>>;
}

interface MarkdownContentProps extends MarkdownOptions {
  readonly children?: ReactNode;
}

/** HTML-like children as one Markdown block of the document. */
export async function MarkdownContent({ children, components }: MarkdownContentProps): Promise<ReactNode> {
  return createElement(Agent.Markdown, null, await renderToMarkdown(children, { components }));
}

/** `children` as GitHub-flavoured Markdown, without a newline at either end. Rejects with what a component threw. */
export async function renderToMarkdown(children: ReactNode, options: MarkdownOptions = {}): Promise<string> {
  const blocks: string[] = [];
  for await (const block of markdownBlocks(children, options)) blocks.push(block);
  return blocks.join('\n\n').replace(/^\n+|\n+$/g, '');
}

/** As `renderToMarkdown`, in UTF-8, each block as soon as it and all before it are complete. */
export function renderToMarkdownStream(children: ReactNode, options: MarkdownOptions = {}): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const blocks = markdownBlocks(children, options);
  let separator = '';
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await blocks.next();
      if (done === true) return controller.close();
      controller.enqueue(encoder.encode(separator + value));
      separator = '\n\n';
    },
    async cancel() {
      await blocks.return(undefined);
    },
  });
}

async function* markdownBlocks(
  children: ReactNode,
  { components = {} }: MarkdownOptions,
): AsyncGenerator<string, undefined> {
  const override = overrides(components);
  const renderer = new BlockRenderer(override);
  const { tree, restore } = await decodeNode(children);
  let run: MarkdownNode[] = [];
  for await (const node of resolvedNodes(tree, restore, (tag) => !isKnown(tag) && !Object.hasOwn(components, tag))) {
    if (isBlock(node)) {
      yield* renderer.paragraph(run);
      yield* renderer.block(node);
      run = [];
    } else {
      append(run, node);
    }
  }
  yield* renderer.paragraph(run);
  return undefined;
}

function overrides(components: NonNullable<MarkdownOptions['components']>): Override {
  const override: Override = ({ tag, props, children }) => {
    const component = Object.hasOwn(components, tag) ? components[tag] : undefined;
    if (component === undefined) return undefined;
    const rendered = {
      get inline() {
        return renderInline(children, override);
      },
      get blocks() {
        return new BlockRenderer(override).all(children).join('\n\n');
      },
    };
    return component(props, rendered) ?? '';
  };
  return override;
}
