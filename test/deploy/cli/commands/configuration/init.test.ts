import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import { ask } from '#weir/deploy/cli/ask';
import { hashKey } from '#weir/shared/configuration/api-keys';
import { weir } from '../../support.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-init-'));
after(() => rmSync(folder, { recursive: true }));

async function made(name: string, ...options: string[]) {
  const at = join(folder, name);
  const ran = await weir('init', at, ...options);
  const [configuration, tests] = [join(at, 'weir.yaml'), join(at, 'tests.yaml')];
  return { ...ran, at, configuration, tests };
}

describe('weir init', () => {
  it('writes a configuration that is right and formatted, with tests that pass, and a key of it', async () => {
    const { code, out, err, configuration, tests } = await made('new/deep');
    assert.deepEqual([code, err], [0, '']);
    const key = /^wk_\S+$/m.exec(out)![0];
    const text = readFileSync(configuration, 'utf8');
    assert.ok(text.includes(hashKey(key)) && !text.includes(key));
    assert.ok(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length <= 9, text);
    const checked = await weir('check-config', configuration);
    assert.deepEqual([checked.code, checked.err], [0, '']);
    assert.equal((await weir('fmt', '--check', configuration, tests)).code, 0);
    const tested = await weir('test', configuration, tests);
    assert.deepEqual([tested.code, tested.err], [0, ''], tested.out);
    assert.match(tested.out, /2 passed|2 of 2|2 cases/);
  });

  it('has what its options say, whatever the words are', async () => {
    const words = 'x: y, "quoted", #no comment, 秘密, *star';
    const packs = 'pii-gate,agent-guard';
    const { code, err, configuration, tests } = await made(
      'all',
      '--name',
      'Words: of ours',
      '--words',
      words,
      '--packs',
      packs,
    );
    assert.deepEqual([code, err], [0, '']);
    const tested = await weir('test', configuration, tests);
    assert.equal(tested.code, 0, tested.out + tested.err);
    const flagged = await weir('check', 'what is 秘密?', '--config', configuration, '--environment', 'default');
    assert.match(flagged.out, /Words: of ours: flagged/);
    assert.match((await weir('check-config', configuration)).out, /^pack agent-guard /m);
  });

  it('replaces no file unless it is told to, and writes nothing where an answer is wrong', async () => {
    const { configuration, tests, at } = await made('kept');
    writeFileSync(configuration, 'mine');
    const refused = await weir('init', at);
    assert.deepEqual([refused.code, readFileSync(configuration, 'utf8')], [2, 'mine']);
    assert.match(refused.err, /weir\.yaml and .*tests\.yaml are there already; --force replaces/);
    assert.equal((await weir('init', at, '--force')).code, 0);
    assert.match(readFileSync(configuration, 'utf8'), /^version: 1$/m);
    assert.ok(existsSync(tests));
    const wrong = await made('wrong', '--packs', 'pii-gat');
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /there is no pack "pii-gat".*did you mean "pii-gate"\?/);
    assert.equal(existsSync(wrong.at), false);
    assert.equal((await made('none', '--words', ' , ')).code, 2);
    assert.equal((await weir('init', 'a', 'b')).code, 2);
  });
});

describe('questions on a terminal', () => {
  const questions = [{ text: 'Name', fallback: 'N' }, { text: 'Words' }];
  const asked = async (typed: string) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(typed);
    const answers = await ask(questions, { input, output });
    return { answers, said: String(output.read()) };
  };

  it('have the default where the answer is empty', async () => {
    assert.deepEqual(await asked('\n a, b \n'), { answers: ['N', 'a, b'], said: 'Name [N]: Words: ' });
    assert.deepEqual((await asked('mine\n\n')).answers, ['mine', '']);
  });

  it('end with the input', async () => {
    await assert.rejects(asked('mine\n'), /the input has ended before the last answer; nothing was written/);
  });
});
