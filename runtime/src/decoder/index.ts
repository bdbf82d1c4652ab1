/**
 * The decoder role: turns React's server stream back into elements. It stands alone because it needs ordinary React,
 * while everything else runs under the `react-server` condition.
 */
export { createFromReadableStream as decodeTree } from 'react-server-dom-parcel/client.edge';
