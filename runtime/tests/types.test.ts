import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { index, root } from './dist.ts';
import { Plugin } from './harness.ts';

/** The mapping that the build tool writes for a project: specifier to emitted declaration. */
function paths(): Record<string, string[]> {
  const entries = index.types.map((path) => {
    const specifier = path.replace(/^types\//, '').replace(/(?:\/index)?\.d\.ts$/, '');
    return [specifier, [join(root, 'dist', path)]];
  });
  return Object.fromEntries(entries) as Record<string, string[]>;
}

describe('the declarations', () => {
  it('cover every specifier that authors import', () => {
    const specifiers = Object.keys(paths());
    for (const name of [
      'agent-bundle/routes',
      '@agent-bundle/runtime',
      'agent-bundle/meta',
      'agent-bundle/mcp-entry',
      'agent-bundle/launch-env',
      'react',
      'react/jsx-runtime',
      'react/jsx-dev-runtime',
    ]) {
      assert.ok(specifiers.includes(name), name);
    }
  });

  it('type-check a project that has no React installed', () => {
    const project = new Plugin();
    const source = project.write(
      'src/project.tsx',
      readFileSync(join(root, 'tests/fixtures/types/project.tsx'), 'utf8'),
    );
    const zod = join(root, 'node_modules/zod/index.d.ts');
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2023', 'DOM'],
      types: [],
      module: 'ESNext',
      moduleResolution: 'bundler',
      jsx: 'react-jsx',
      paths: { ...paths(), zod: [zod] },
    };
    writeFileSync(join(project.root, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [source] }));
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript/lib/tsc.js'), '-p', project.root],
      { encoding: 'utf8' },
    );
    project.remove();
    assert.equal(status, 0, stdout);
  });
});
