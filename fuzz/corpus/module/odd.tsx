@dec class A { static { await using x = y; } }
import j from './a.json' with { type: 'json' };
export { config } from './b';
export default <T,>(x: T) => <></>;
const s = '\ud800';
