import type { Key, ReactElement, ReactNode } from 'react';

export { Fragment } from 'react';

export namespace JSX {
  type Element = ReactElement<any, any>;
  type ElementType = string | ((props: any) => ReactNode | Promise<ReactNode>);
  interface ElementAttributesProperty {
    props: {};
  }
  interface ElementChildrenAttribute {
    children: {};
  }
  interface IntrinsicAttributes {
    readonly key?: Key | null;
  }
  /** HTML, which only means something inside `MarkdownContent`. */
  interface IntrinsicElements {
    [tag: string]: IntrinsicAttributes & { readonly children?: ReactNode; readonly [attribute: string]: unknown };
  }
}

export function jsx(type: JSX.ElementType, props: unknown, key?: Key): ReactElement;
export function jsxs(type: JSX.ElementType, props: unknown, key?: Key): ReactElement;
