import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { resolveCodeRoot } from './roots.ts';

export interface OperatorEnvOptions {
  /** Defaults that the host document carries; a variable that still equals its default may be replaced. */
  readonly manifestEnv?: Readonly<Record<string, string>>;
  /** The directory of the installed plugin, absolute. */
  readonly pluginRoot: string;
}

/**
 * Fills `process.env` from the operator's files: `.env` and `.env.local` in the plugin root, or what
 * `AGENT_BUNDLE_ENV_FILE` lists (`none` for nothing). Later files win over earlier ones, and what the host has set wins
 * over every file. Missing and unreadable files are skipped. Values are never logged.
 */
export function applyOperatorEnv({ manifestEnv = {}, pluginRoot }: OperatorEnvOptions): void {
  const layer: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const file of operatorEnvFiles(pluginRoot)) Object.assign(layer, parseEnv(readIfPossible(file)));
  for (const [key, value] of Object.entries(layer)) {
    const current = process.env[key];
    const isDefault = Object.hasOwn(manifestEnv, key) && current === manifestEnv[key];
    if (current === undefined || isDefault) process.env[key] = value;
  }
}

/** The plugin root that the layer's files belong to, for an executable in `directory`. */
export function operatorEnvPluginRoot(directory: string): string {
  return resolveCodeRoot({ entryDirectory: directory }).root;
}

function operatorEnvFiles(pluginRoot: string): string[] {
  const listed = process.env['AGENT_BUNDLE_ENV_FILE'];
  if (listed === undefined || listed.trim() === '') return [join(pluginRoot, '.env'), join(pluginRoot, '.env.local')];
  if (listed.trim() === 'none') return [];
  return listed
    .split(delimiter)
    .filter((file) => file !== '')
    .map((file) => resolve(file));
}

function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/;

/**
 * Reads `KEY=value` lines. `export` may precede a key; `#` starts a comment at the start of a line and, after a blank, in
 * an unquoted value. A value in single, double or back quotes is taken as it stands and may span lines; in double quotes
 * `\n` is a newline. Nothing is interpolated. Lines of any other shape are skipped.
 */
export function parseEnv(text: string): Record<string, string> {
  const result: Record<string, string> = {};
  let rest = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  while (rest !== '') {
    const assignment = ASSIGNMENT.exec(rest);
    const [prefix, key] = assignment ?? [];
    if (prefix === undefined || key === undefined) {
      rest = afterLine(rest);
      continue;
    }
    const { value, length } = readValue(rest.slice(prefix.length));
    result[key] = value;
    rest = afterLine(rest.slice(prefix.length + length));
  }
  return result;
}

/** The value at the start of `text`, and how many characters it takes. */
function readValue(text: string): { value: string; length: number } {
  const quote = text[0];
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = text.indexOf(quote, 1);
    if (end > 0) {
      const inner = text.slice(1, end);
      return { value: quote === '"' ? inner.replaceAll('\\n', '\n') : inner, length: end + 1 };
    }
  }
  const line = text.slice(0, lineLength(text));
  const comment = line.search(/(?:^|[ \t])#/);
  return { value: (comment < 0 ? line : line.slice(0, comment)).trim(), length: line.length };
}

function lineLength(text: string): number {
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end;
}

function afterLine(text: string): string {
  return text.slice(lineLength(text) + 1);
}
