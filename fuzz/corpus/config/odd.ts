const NAME = 'x' as string;
const config = { plugin: { name: NAME, metadata: null }, skills: `a`, '~/a': 1, mcp: { servers: { 'a/b': { env: {}, args: [, ...x] } } }, hooks: { stop: [[1], null, { handler: { prebuilt: 2 } }] }, lib: true, bin: [] } satisfies Config;
export default config;
