/** The part of React that server components use. */
export as namespace React;

export type Key = string | number | bigint;
export interface ReactElement<P = unknown, T = unknown> {
  readonly type: T;
  readonly props: P;
  readonly key: string | null;
}
export type ReactNode =
  | ReactElement
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Iterable<ReactNode>
  | Promise<Awaited<ReactNode>>;
