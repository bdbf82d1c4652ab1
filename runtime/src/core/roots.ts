import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve, sep } from 'node:path';
import type { AgentFactSource, Observed } from './observed.ts';
import { available } from './observed.ts';
import type { AgentPluginRoots } from './request.ts';

/** The directories of an emitted root that executables lie in. */
const EXECUTABLE_DIRECTORIES = new Set(['mcp', 'bin', 'hooks', 'scripts']);

export interface RootOptions {
  /** The directory of the running executable. Without one, the root is `.agent-bundle` in the working directory. */
  readonly entryDirectory?: string;
}

export interface CodeRoot {
  readonly root: string;
  readonly source: AgentFactSource;
  /** True when the root is an emitted artifact, whose state must live elsewhere. */
  readonly isArtifact: boolean;
}

/**
 * The plugin's directory: what the host says in `AGENT_BUNDLE_PLUGIN_ROOT`, else the directory above the executable's. A
 * value that the host left unexpanded is reported on stderr and counts as unset.
 */
export function resolveCodeRoot({ entryDirectory }: RootOptions): CodeRoot {
  const isArtifact = entryDirectory !== undefined;
  const given = expandedVariable('AGENT_BUNDLE_PLUGIN_ROOT');
  if (given !== undefined) return { root: resolve(given), source: 'native', isArtifact };
  const root = isArtifact ? artifactRoot(resolve(entryDirectory)) : resolve('.agent-bundle');
  return { root, source: 'derived', isArtifact };
}

function artifactRoot(entryDirectory: string): string {
  const segments = entryDirectory.split(sep);
  const index = segments.findLastIndex((segment) => EXECUTABLE_DIRECTORIES.has(segment));
  if (index < 0) return entryDirectory;
  return segments.slice(0, index).join(sep) || sep;
}

/** Where the plugin's state belongs: `AGENT_BUNDLE_STATE_ROOT`, else a place of the user's that is keyed by the plugin. */
export function resolveStateRoot({ root, isArtifact }: CodeRoot): string {
  const given = expandedVariable('AGENT_BUNDLE_STATE_ROOT');
  if (given !== undefined) return resolve(given);
  if (!isArtifact) return join(root, 'state');
  const xdg = process.env['XDG_STATE_HOME'];
  const id = stateId(root);
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'agent-bundle', id);
  return join(homedir(), '.agent-bundle', 'state', id);
}

function stateId(root: string): string {
  const digest = createHash('sha256').update(realPath(root)).digest('hex').slice(0, 16);
  const name = basename(root);
  return `${isFileName(name) ? name : 'plugin'}-${digest}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** True for names that every file system takes, with room for the digest. */
function isFileName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= 200 &&
    !/[<>:"/\\|?*\u0000-\u001f]/.test(name) &&
    !/^\.*$|[. ]$/.test(name) &&
    !DEVICE_NAME.test(name)
  );
}

/** A variable's value as written; undefined when it is unset, blank, or still holds a placeholder. */
function expandedVariable(name: string): string | undefined {
  const value = process.env[name];
  if (value === undefined || value.trim() === '') return undefined;
  if (!value.includes('${')) return value;
  process.stderr.write(
    `agent-bundle: ${name} is ${JSON.stringify(value)}, which the host did not expand; it is ignored\n`,
  );
  return undefined;
}

let processRoots: Observed<AgentPluginRoots> | undefined;

/** Both roots, resolved independently of each other. `source` tells about the code root. */
export function pluginRoots(code: CodeRoot): Observed<AgentPluginRoots> {
  return available(code.source, { root: code.root, stateRoot: resolveStateRoot(code) });
}

/** Fixes the roots of this process; every request and provider shares them. */
export function setProcessRoots(roots: Observed<AgentPluginRoots>): void {
  processRoots = roots;
}

/** The roots of this process. Outside an emitted executable they lie in `.agent-bundle` of the working directory. */
export function resolvePluginRoot(): Observed<AgentPluginRoots> {
  return (processRoots ??= pluginRoots(resolveCodeRoot({})));
}
