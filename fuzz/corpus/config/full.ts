import { defineConfig } from 'agent-bundle/config';

const HOME = 'https://example.org';

export default defineConfig({
  plugin: {
    name: 'demo',
    description: 'Says what it is told.',
    metadata: { homepage: HOME, license: null },
  },
  targets: ['claude', 'codex', 'portable'],
  mcp: {
    servers: {
      main: { args: ['--quiet'], env: { DEPTH: '3' } },
      'far-away': { url: 'https://example.org/mcp', transport: 'streamable-http' },
    },
  },
  assets: 'assets',
  output: { distPath: 'out' },
  hooks: {
    sessionStart: 'src/hooks/start.ts',
    beforeTool: [
      { handler: './src/hooks/guard.ts', tools: ['shell', 'claude:Task'], timeout: 5, targets: ['claude'] },
      { handler: { prebuilt: 'viewer/out/guard.mjs' }, args: ['--strict'] },
    ],
  },
  scripts: { report: { entry: 'tools/report.py', targets: ['claude'] } },
  bin: { 'demo-tool': { entry: 'src/tool.ts' } },
  lib: { entry: 'src/lib.ts', dts: false },
  payload: { viewer: { source: 'viewer/out', runtimeDependencies: ['zod'] } },
  runtime: { node: '22.12.0' },
  notices: { retention: { terminalTtl: '7d', maxTerminal: 9 } },
  tools: { rsbuild: { source: { entryPoint: 'x' } } },
  web: { apps: ['main/board', { app: 'main/x', allow: ['call-tool'] }], open: 'never' },
  state: false,
  claude: { nativeHooks: 'a.json', displayName: 'Demo' },
});
