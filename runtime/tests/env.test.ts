import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadCore } from './dist.ts';
import { Plugin } from './harness.ts';

const { applyOperatorEnv, operatorEnvPluginRoot, parseEnv } = await loadCore();

describe('RT-103 the grammar', () => {
  const cases: [text: string, expected: Record<string, string>][] = [
    ['A=1', { A: '1' }],
    ['  A = 1  ', { A: '1' }],
    ['export A=1', { A: '1' }],
    ['A=', { A: '' }],
    ['# A=1\nB=2', { B: '2' }],
    ['A=1 # note', { A: '1' }],
    ['A=a#b', { A: 'a#b' }],
    ['A=# note', { A: '' }],
    [`A='1 # 2' # note`, { A: '1 # 2' }],
    ['A="x\\ny"', { A: 'x\ny' }],
    [`A='x\\ny'`, { A: 'x\\ny' }],
    ['A=x\\ny', { A: 'x\\ny' }],
    ['A=`it\'s "so"`', { A: `it's "so"` }],
    ['A="one\ntwo"\nB=2', { A: 'one\ntwo', B: '2' }],
    ["A='one\ntwo'\nB=2", { A: 'one\ntwo', B: '2' }],
    ['A="open\nB=2', { A: '"open', B: '2' }],
    ['A=$B ${C}', { A: '$B ${C}' }],
    ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['\uFEFFA=1', { A: '1' }],
    ['not an assignment\n1A=x\nB=2', { B: '2' }],
    ['A=1\nA=2', { A: '2' }],
    ['a.b-c=1', { 'a.b-c': '1' }],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), () => assert.deepEqual(parseEnv(text), expected));
  }
});

describe('RT-103 the layer', () => {
  let plugin: Plugin;
  let saved: NodeJS.ProcessEnv;
  beforeEach(() => {
    plugin = new Plugin();
    saved = { ...process.env };
  });
  afterEach(() => {
    process.env = saved;
    plugin.remove();
  });

  it('fills what is unset, and lets .env.local win', () => {
    plugin.write('.env', 'AB_A=env\nAB_B=env\nAB_C=env');
    plugin.write('.env.local', 'AB_B=local');
    process.env['AB_C'] = 'host';
    applyOperatorEnv({ pluginRoot: plugin.root });
    assert.deepEqual([process.env['AB_A'], process.env['AB_B'], process.env['AB_C']], ['env', 'local', 'host']);
  });

  it('takes a manifest default for unset', () => {
    plugin.write('.env', 'AB_A=env\nAB_B=env');
    Object.assign(process.env, { AB_A: 'default', AB_B: 'other' });
    applyOperatorEnv({ pluginRoot: plugin.root, manifestEnv: { AB_A: 'default', AB_B: 'default' } });
    assert.deepEqual([process.env['AB_A'], process.env['AB_B']], ['env', 'other']);
  });

  it('reads the listed files instead, or none', () => {
    plugin.write('.env', 'AB_A=env');
    const one = plugin.write('one', 'AB_A=one\nAB_B=one');
    const two = plugin.write('two', 'AB_B=two');
    process.env['AGENT_BUNDLE_ENV_FILE'] = `${one}:${two}:${plugin.root}/missing`;
    applyOperatorEnv({ pluginRoot: plugin.root });
    assert.deepEqual([process.env['AB_A'], process.env['AB_B']], ['one', 'two']);

    delete process.env['AB_A'];
    process.env['AGENT_BUNDLE_ENV_FILE'] = 'none';
    applyOperatorEnv({ pluginRoot: plugin.root });
    assert.equal(process.env['AB_A'], undefined);
  });

  it('skips what it cannot read', () => {
    plugin.write('.env/file', '');
    applyOperatorEnv({ pluginRoot: plugin.root });
  });

  it('RT-102 finds the root of an executable', () => {
    assert.equal(operatorEnvPluginRoot('/opt/p/bin'), '/opt/p');
  });
});
