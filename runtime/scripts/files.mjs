import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below `directory`, as sorted `/`-separated relative paths. */
export function listFiles(directory, prefix = '') {
  return readdirSync(join(directory, prefix), { withFileTypes: true })
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      return entry.isDirectory() ? listFiles(directory, path) : [path];
    })
    .sort();
}
