import type { JSX, jsx } from 'react/jsx-runtime';

export { Fragment, type JSX } from 'react/jsx-runtime';

export function jsxDEV(
  type: JSX.ElementType,
  props: unknown,
  key?: Parameters<typeof jsx>[2],
  ...development: unknown[]
): ReturnType<typeof jsx>;
