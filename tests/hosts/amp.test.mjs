import { dirname, join } from 'node:path';

import { projection } from '../support/artifact.mjs';
import { describeHost } from './host.mjs';

await describeHost('amp', () => ({}), (check) => {
  // It must be the folder: loaded as a file, a plugin may register no skills. It runs in an empty project because Amp
  // starts the plugins of the current one as well. The exit code tells of a failed load, a missing skill among others.
  check('loads the plugin folder and its skill', async ({ root, index, runOk }) => {
    const folder = dirname(join(root, projection(index, 'amp').documents.entry));
    await runOk('plugins', 'exec', folder, 'session.start', '--data', '{}');
  });
});
