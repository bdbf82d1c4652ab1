/** The part of React that server components use: no state, no effects, no browser. */

export type Key = string | number | bigint;

export type JSXElementConstructor<P> = (props: P) => ReactNode | Promise<ReactNode>;

export interface ReactElement<P = unknown, T = string | JSXElementConstructor<never>> {
  readonly type: T;
  readonly props: P;
  readonly key: string | null;
}

type AwaitedReactNode = ReactElement | string | number | bigint | boolean | null | undefined | Iterable<ReactNode>;
export type ReactNode = AwaitedReactNode | Promise<AwaitedReactNode>;

export type PropsWithChildren<P = unknown> = P & { readonly children?: ReactNode };
export type FunctionComponent<P = {}> = (props: P) => ReactNode | Promise<ReactNode>;
export type FC<P = {}> = FunctionComponent<P>;
export type ComponentType<P = {}> = FunctionComponent<P>;
export type ElementType<P = any> = string | FunctionComponent<P>;
export type ComponentProps<T extends FunctionComponent<any>> = T extends FunctionComponent<infer P> ? P : never;

export interface RefObject<T> {
  current: T;
}
/** A component that React treats specially; to call sites it is a component like any other. */
type ExoticComponent<P = {}> = (props: P) => ReactNode;

export const Fragment: ExoticComponent<{ readonly children?: ReactNode }>;
export const Suspense: ExoticComponent<{
  readonly children?: ReactNode;
  readonly fallback?: ReactNode;
  readonly name?: string;
}>;
export const StrictMode: ExoticComponent<{ readonly children?: ReactNode }>;
export const Profiler: ExoticComponent<{
  readonly children?: ReactNode;
  readonly id: string;
  readonly onRender?: unknown;
}>;
export const Activity: ExoticComponent<{ readonly children?: ReactNode; readonly mode?: 'visible' | 'hidden' }>;
export const ViewTransition: ExoticComponent<{ readonly children?: ReactNode; readonly name?: string }>;

export const Children: {
  map<T, R>(children: T | readonly T[], fn: (child: T, index: number) => R): R[];
  forEach<T>(children: T | readonly T[], fn: (child: T, index: number) => void): void;
  count(children: unknown): number;
  only<C>(children: C): C extends unknown[] ? never : C;
  toArray(children: ReactNode | readonly ReactNode[]): Exclude<ReactNode, boolean | null | undefined>[];
};

export function createElement<P extends {}>(
  type: FunctionComponent<P> | string,
  props?: (P & { readonly key?: Key | null }) | null,
  ...children: ReactNode[]
): ReactElement<P>;
export function cloneElement<P>(
  element: ReactElement<P>,
  props?: Partial<P> & { readonly key?: Key | null },
  ...children: ReactNode[]
): ReactElement<P>;
export function isValidElement<P>(object: unknown): object is ReactElement<P>;
export function createRef<T>(): RefObject<T | null>;
export function forwardRef<T, P = {}>(render: (props: P, ref: RefObject<T> | null) => ReactNode): ExoticComponent<P>;
export function lazy<T extends FunctionComponent<any>>(load: () => Promise<{ readonly default: T }>): T;
export function memo<T extends FunctionComponent<any>>(
  component: T,
  areEqual?: (previous: never, next: never) => boolean,
): T;

/** Reads a promise, suspending until it has settled. */
export function use<T>(usable: PromiseLike<T>): T;
/** Memoises within one render: every caller with the same arguments shares one result. */
export function cache<F extends (...args: never[]) => unknown>(fn: F): F;
/** Aborts when the render that the current `cache` belongs to is over. */
export function cacheSignal(): AbortSignal | null;
export function captureOwnerStack(): string | null;
export function useCallback<F extends (...args: never[]) => unknown>(callback: F, dependencies: readonly unknown[]): F;
export function useDebugValue<T>(value: T, format?: (value: T) => unknown): void;
export function useId(): string;
export function useMemo<T>(make: () => T, dependencies: readonly unknown[]): T;
export const version: string;

/** React's own link to its server renderer; not for authors. */
export const __SERVER_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: unknown;

export type { JSX } from 'react/jsx-runtime';

import * as React from 'react';
export { React as default };
