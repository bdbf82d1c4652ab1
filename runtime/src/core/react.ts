/**
 * React's server surface by name. Authors' imports of `react`, `react/jsx-runtime` and `react/jsx-dev-runtime` all become
 * imports of the core module, which is why one namespace holds them together.
 */
import { jsx } from 'react/jsx-runtime';

export {
  Activity,
  Children,
  Fragment,
  Profiler,
  StrictMode,
  Suspense,
  ViewTransition,
  __SERVER_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE,
  cache,
  cacheSignal,
  captureOwnerStack,
  cloneElement,
  createElement,
  createRef,
  default,
  forwardRef,
  isValidElement,
  lazy,
  memo,
  use,
  useCallback,
  useDebugValue,
  useId,
  useMemo,
  version,
} from 'react';
export { jsx, jsxs } from 'react/jsx-runtime';

/** React's production build leaves this one undefined; code compiled for development still calls it. */
export function jsxDEV(
  type: Parameters<typeof jsx>[0],
  props: Parameters<typeof jsx>[1],
  key?: string,
): ReturnType<typeof jsx> {
  return jsx(type, props, key);
}
