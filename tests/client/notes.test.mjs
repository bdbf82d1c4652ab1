import assert from 'node:assert/strict';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { connect, refusal, textOf } from './session.mjs';

test('a note that was added is read back, found, and never overwritten', async (t) => {
  const { call, project } = await connect(t);
  const draft = { title: 'Say "when": a rule', body: 'Stop pouring early.\n\n- always', tags: ['tea'] };
  const first = (await call('add', draft)).structuredContent.note;
  assert.match(first.id, /^\d{4}-\d{2}-\d{2}-say-when-a-rule$/);
  const second = (await call('add', draft)).structuredContent.note;
  assert.equal(second.id, `${first.id}-2`);

  const { note } = (await call('read', { id: first.id })).structuredContent;
  assert.deepEqual(note, { id: first.id, date: first.date, ...draft });
  assert.match(await readFile(join(project, 'notes', `${first.id}.md`), 'utf8'), /^---\ntitle: /);

  // With notes of one's own the samples are gone, and so is the remark about them.
  const found = await call('search', { query: 'tea' });
  assert.equal(found.structuredContent.total, 2);
  assert.doesNotMatch(textOf(found), /sample notes/);
});

test('the notes folder is where the environment says', async (t) => {
  const { call, base, project } = await connect(t, { environment: ({ base }) => ({ FIELD_NOTES_DIR: join(base, 'elsewhere') }) });
  await call('add', { title: 'Over there', body: 'Text.' });
  assert.equal((await readdir(join(base, 'elsewhere'))).length, 1);
  assert.deepEqual(await readdir(project), []);
});

test('a server that is started in the plugin keeps notes out of it', async (t) => {
  const { call, root, home } = await connect(t, { startIn: ({ root }) => root });
  const before = await readdir(root);
  await call('add', { title: 'At home', body: 'Text.' });
  assert.deepEqual(await readdir(root), before);
  assert.equal((await readdir(join(home, 'field-notes'))).length, 1);
});

test('the samples are found whatever a host makes of the token for the plugin root', async (t) => {
  for (const AGENT_BUNDLE_PLUGIN_ROOT of ['./', '${PLUGIN_ROOT}', '']) {
    const { call } = await connect(t, { environment: () => ({ AGENT_BUNDLE_PLUGIN_ROOT }), startIn: ({ root }) => root });
    assert.equal((await call('search', { query: 'tea' })).structuredContent.total, 2, AGENT_BUNDLE_PLUGIN_ROOT);
  }
});

test('a note is archived beside the others, and a sample is not', async (t) => {
  const { call, project } = await connect(t, { notes: { 'old.md': 'Old.\n', 'new.md': 'New.\n' } });
  assert.deepEqual((await call('archive', { id: 'old' })).structuredContent, { archived: true });
  assert.deepEqual((await readdir(join(project, 'notes'))).sort(), ['archive', 'new.md']);
  assert.equal(await readFile(join(project, 'notes', 'archive', 'old.md'), 'utf8'), 'Old.\n');
  assert.match(await refusal(call('archive', { id: 'old' })), /^\[NOTE_NOT_FOUND\] /);

  const fresh = await connect(t);
  assert.match(await refusal(fresh.call('archive', { id: '2026-05-02-swifts-are-back' })), /^\[SAMPLE_NOTE\] /);
});

test('no id leads out of the notes folder', async (t) => {
  const { call, base, project } = await connect(t, { notes: { 'plain.md': 'A plain note.\n' } });
  await writeFile(join(base, 'secret.md'), 'secret\n');
  await symlink(join(base, 'secret.md'), join(project, 'notes', 'link.md'));
  for (const id of ['../../secret', '..', join(base, 'secret'), 'link', '..\\..\\secret']) {
    for (const tool of ['read', 'archive']) {
      const answer = await refusal(call(tool, { id }));
      assert.ok(answer, `${tool} took ${id}`);
      assert.doesNotMatch(answer, /^secret$/m);
    }
  }
  assert.equal((await call('search', { query: 'secret' })).structuredContent.total, 0);
});
