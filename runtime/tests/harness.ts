import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { roleUrl, root } from './dist.ts';

const zodUrl = pathToFileURL(join(root, 'node_modules/zod/index.js')).href;

/** What a route module of a fixture starts with. */
const PRELUDE = `
import { Agent, Suspense, agent, cache, createElement as h, defineTool, events, use, useAgent } from ${JSON.stringify(roleUrl('core'))};
import { z } from ${JSON.stringify(zodUrl)};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;

export interface FixtureRoute {
  readonly kind?: 'tool' | 'resource' | 'prompt';
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** The body of the module, after the shared imports. */
  readonly source: string;
}

export interface Fixture {
  readonly routes: readonly FixtureRoute[];
  /** Module bodies, root layout first. */
  readonly layouts?: readonly string[];
  /** Module bodies by key. */
  readonly providers?: Readonly<Record<string, string>>;
  readonly manifestEnv?: Readonly<Record<string, string>>;
  /** More files, by path from the plugin root. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A plugin root on disk, shaped as the compiler emits it. */
export class Plugin {
  readonly root = mkdtempSync(join(tmpdir(), 'agent bundle é '));

  write(path: string, text: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Writes the entry that the compiler would generate, and gives its path. */
export function generate(plugin: Plugin, fixture: Fixture): string {
  const imports: string[] = [];
  const module = (path: string, source: string): string => {
    plugin.write(`mcp/${path}.mjs`, PRELUDE + source);
    const name = `m${imports.length}`;
    imports.push(`import * as ${name} from './${path}.mjs';`);
    return name;
  };
  const routes = fixture.routes.map(({ kind = 'tool', name, config = {}, source }) => {
    const id = `${kind}:notes/${name}`;
    return `{ kind: '${kind}', id: '${id}', name: '${name}', config: ${JSON.stringify(config)}, module: ${module(`${kind}-${name}`, source)} }`;
  });
  const layouts = (fixture.layouts ?? []).map((source, index) => {
    const scope = index === 0 ? 'root' : 'server';
    return `{ id: 'layout:${scope}', scope: '${scope}', module: ${module(`layout-${index}`, source)} }`;
  });
  const providers = Object.entries(fixture.providers ?? {}).map(([key, source]) => {
    plugin.write(`mcp/provider-${key}.mjs`, PRELUDE + source);
    return `{ key: '${key}', load: () => import('./provider-${key}.mjs') }`;
  });
  for (const [path, text] of Object.entries(fixture.files ?? {})) plugin.write(path, text);
  writeBoot(plugin, fixture.manifestEnv);
  return plugin.write(
    'mcp/notes.mjs',
    `import './boot.mjs';
${imports.join('\n')}
import { serveGenerated } from ${JSON.stringify(roleUrl('mcp'))};
await serveGenerated({
  plugin: { name: 'fixture', version: '1.2.3', title: 'Fixture' },
  server: { id: 'mcp:notes', name: 'notes' },
  layouts: [${layouts.join(', ')}],
  providers: [${providers.join(', ')}],
  routes: [${routes.join(', ')}],
});
`,
  );
}

/** Writes the module that every entry imports first. It reports to `entryUrl` of its own folder. */
export function writeBoot(plugin: Plugin, manifestEnv: Readonly<Record<string, string>> = {}): void {
  plugin.write(
    'mcp/boot.mjs',
    `import { bootStdio } from ${JSON.stringify(roleUrl('mcp'))};
bootStdio({ entryUrl: import.meta.url, label: 'notes', manifestEnv: ${JSON.stringify(manifestEnv)} });
`,
  );
}

export interface Session {
  readonly client: Client;
  readonly stderr: () => string;
}

export interface SessionOptions {
  readonly clientName?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Speak the newest revision, which has no handshake: every request says who asks. */
  readonly modern?: boolean;
}

/** Serves a fixture in a child process to the official client for the time of `body`. */
export async function withServer(
  fixture: Fixture,
  body: (session: Session, plugin: Plugin) => Promise<void>,
  { clientName = 'test-client', env = {}, cwd, modern = false }: SessionOptions = {},
): Promise<void> {
  const plugin = new Plugin();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [generate(plugin, fixture)],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
    ...(cwd === undefined ? {} : { cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const client = new Client(
    { name: clientName, version: '1.0.0' },
    modern ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  try {
    await client.connect(transport);
    await body({ client, stderr: () => stderr }, plugin);
  } finally {
    await client.close();
    plugin.remove();
  }
}

/** A server process under direct control, without the client package. */
export class RawServer {
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  stdout = '';
  stderr = '';
  #wake: () => void = () => {};

  constructor(
    entry: string,
    {
      env = {},
      args = [],
    }: { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] } = {},
  ) {
    this.process = spawn(process.execPath, [entry, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } });
    this.process.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
      this.#wake();
    });
    this.process.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.exit = new Promise((resolve) => {
      this.process.once('close', (code) => {
        this.#wake();
        resolve(code);
      });
    });
  }

  send(message: Readonly<Record<string, unknown>>): void {
    this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Shakes hands and resolves with the `initialize` answer. */
  async initialize(protocolVersion = '2025-11-25'): Promise<Record<string, unknown>> {
    const clientInfo = { name: 'raw', version: '1' };
    this.send({
      id: 'init',
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo },
    });
    const answer = await this.answer('init');
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  /** Resolves with the answer to a request; rejects when the process ends first. */
  async answer(id: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.messages().find((message) => message['id'] === id);
      if (found !== undefined) return found;
      if (this.process.exitCode !== null) throw new Error(`the server ended before it answered ${id}: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Every complete line on stdout, which must all be JSON-RPC messages. */
  messages(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}
