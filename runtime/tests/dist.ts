import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The package's folder: tests run from there. */
export const root = process.cwd();

interface RuntimeIndex {
  readonly version: number;
  readonly roles: Readonly<
    Record<'core' | 'decoder' | 'mcp', { readonly file: string; readonly imports: readonly string[] }>
  >;
  readonly licenses: string;
  readonly types: readonly string[];
}

export const index = JSON.parse(readFileSync(join(root, 'dist/runtime.json'), 'utf8')) as RuntimeIndex;

/** The URL of a built role. */
export function roleUrl(role: keyof RuntimeIndex['roles']): string {
  return pathToFileURL(join(root, 'dist', index.roles[role].file)).href;
}

/** The built core module. */
export async function loadCore(): Promise<typeof import('../src/core/index.ts')> {
  return (await import(roleUrl('core'))) as typeof import('../src/core/index.ts');
}
