import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license'];

/** `node_modules/a/b.js` and `node_modules/@s/a/b.js` to the package's folder; undefined for our own files. */
function packageFolder(input) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  return match?.[1];
}

/**
 * The licence texts of every package that has a module among `inputs` (bundler input paths, relative to `root`),
 * sorted by name. A package without a licence file fails the build: its text must travel with the code.
 */
export function licenseText(root, inputs) {
  const folders = [...new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))];
  const packages = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = NAMES.find((candidate) => existsSync(join(root, folder, candidate)));
    if (file === undefined) throw new Error(`${name}@${version} is bundled but ships no licence file`);
    const text = readFileSync(join(root, folder, file), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim();
    return { name, heading: `${name} ${version} (${license})`, text };
  });
  packages.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rule = '='.repeat(80);
  return packages.map(({ heading, text }) => `${rule}\n${heading}\n${rule}\n\n${text}\n`).join('\n');
}
