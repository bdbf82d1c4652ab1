/** React's edge renderer looks for this global; injecting it gives each render its own cache across awaits. */
export { AsyncLocalStorage } from 'node:async_hooks';
