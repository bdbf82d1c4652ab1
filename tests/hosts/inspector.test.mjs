import assert from 'node:assert/strict';

import { noteTools, serverEntry } from '../support/artifact.mjs';
import { describeHost } from './host.mjs';

await describeHost('inspector', () => ({}), (check) => {
  const inspect = ({ root, index }, runner, ...args) =>
    runner('--cli', process.execPath, serverEntry(root, index, 'notes'), ...args);

  check('lists tools whose schemas every client can take', async (box) => {
    const { stdout } = await inspect(box, box.runOk, '--method', 'tools/list', '--strict');
    const { tools } = JSON.parse(stdout);
    assert.deepEqual(tools.map(({ name }) => name).sort(), noteTools);
  });

  check('calls a tool', async (box) => {
    const call = ['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'query=tea'];
    const { stdout } = await inspect(box, box.runOk, ...call);
    assert.equal(JSON.parse(stdout).structuredContent.total, 2);
  });

  check('sees that a tool failed', async (box) => {
    const call = ['--method', 'tools/call', '--tool-name', 'read', '--tool-arg', 'id=no-such-note'];
    const { code, stdout } = await inspect(box, box.run, ...call);
    assert.notEqual(code, 0);
    assert.match(JSON.parse(stdout).content[0].text, /^\[NOTE_NOT_FOUND\] /);
  });
});
