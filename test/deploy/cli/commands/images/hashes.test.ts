import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { outputTo } from '#weir/deploy/cli/command';
import { readHashListFile, replaceHashListFile } from '#weir/deploy/cli/hash-list-file';
import { picture } from '../../../../support/images/pictures.ts';
import { weir } from '../../support.ts';

const A = '41f07e1f3c0f91e091a43e0f81e0c1f07c1f6e1bc3f07e1f3c0f91e491e03e0f';
const B = '6f23560b5d2b24b3c8febb448c8c2b55d0f8b06c2f17d4ac336350fa77215b4a';
const C = '60fb54fbb1bb2a511b0114ee9cc401bf9e0c17ac60fb3b40663b6311c0fbd4fe';

describe('weir hashes', () => {
  let folder = '';
  let path = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
    path = join(folder, 'list.txt');
  });
  afterEach(() => {
    // No temporary file is left behind.
    const left = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
    assert.deepEqual(left, []);
    rmSync(folder, { recursive: true, force: true });
  });
  const text = (): string => readFileSync(path, 'utf8');

  it('makes a list, adds to it, and adds nothing twice', async () => {
    const first = await weir('hashes', 'add', path, A.toUpperCase(), B, '--comment', 'case 7');
    assert.deepEqual(first, { code: 0, out: `${path}: 2 added, 0 were on it already; now 2 hashes`, err: '' });
    assert.equal(text(), `${A} case 7\n${B} case 7\n`);
    const second = await weir('hashes', 'add', path, A, C, C);
    assert.deepEqual([second.code, second.out], [0, `${path}: 1 added, 2 were on it already; now 3 hashes`]);
    assert.equal(text(), `${A} case 7\n${B} case 7\n${C}\n`);
  });
  it('adds another list, such as what weir hash prints', async () => {
    const image = join(folder, 'a.png');
    writeFileSync(image, await picture('photo', 1, 200, 150));
    const printed = (await weir('hash', image)).out;
    const from = join(folder, 'printed.txt');
    writeFileSync(from, `${printed}\n${B},100,b.jpg`);
    assert.equal((await weir('hashes', 'add', path, '--from', from)).code, 0);
    assert.equal(text(), `${printed.slice(0, 64)} 100,${image}\n${B} 100,b.jpg\n`);
  });
  it('removes hashes, and leaves every other line as it was', async () => {
    writeFileSync(path, `\uFEFF# mine\r\n${A},one\r\n\r\n${B}  two\r\n${A.toUpperCase()}\r\n${C}`);
    const { code, out } = await weir('hashes', 'remove', path, A, C);
    assert.deepEqual([code, out], [0, `${path}: 2 removed; now 1 hash`]);
    assert.equal(text(), `\uFEFF# mine\r\n\r\n${B}  two\r\n`);
  });
  it('says which hashes were not on the list', async () => {
    writeFileSync(path, `${A}\n`);
    const { code, out, err } = await weir('hashes', 'remove', path, A, B);
    assert.deepEqual([code, out, err], [1, `${path}: 1 removed; now 0 hashes`, `${path}: ${B} is not on it`]);
    // Workers take an empty file for one that is being written.
    assert.equal(text(), '# none\n');
  });
  it('edits rows with named columns: removes them, and adds where the hash comes first', async () => {
    writeFileSync(path, `id,hash\n1,${A}\n2,${B}\n`);
    assert.equal((await weir('hashes', 'remove', path, A)).code, 0);
    assert.equal(text(), `id,hash\n2,${B}\n`);
    const refused = await weir('hashes', 'add', path, C);
    const said = [refused.code, refused.err];
    assert.deepEqual(said, [
      1,
      `${path}: other columns stand before the hash, so plain lines cannot be added; add rows with another program`,
    ]);
    assert.equal(text(), `id,hash\n2,${B}\n`);
    writeFileSync(path, `hash,id\n${A},1`);
    assert.equal((await weir('hashes', 'add', path, C)).code, 0);
    assert.equal(text(), `hash,id\n${A},1\n${C}\n`);
  });
  it('prints each hash of a list once, in lower case', async () => {
    writeFileSync(path, `# mine\n${B.toUpperCase()},  two \n${A}\n${B}\n`);
    const { code, out, err } = await weir('hashes', 'list', path);
    assert.deepEqual([code, out], [0, `${B} two\n${A}`]);
    assert.equal(err, `${path}: 2 hashes, 1 more lines repeat one`);
  });

  it('changes nothing where the list has a mistake, and names its line', async () => {
    writeFileSync(path, `${A}\n${B.slice(2)}\n`);
    for (const args of [
      ['add', path, C],
      ['remove', path, A],
      ['list', path],
      ['add', join(folder, 'new'), '--from', path],
    ]) {
      const { code, out, err } = await weir('hashes', ...args);
      assert.deepEqual([code, out], [1, '']);
      assert.equal(err, `${path}:2: expected a hash of 64 hexadecimal digits, found 62 characters`);
    }
    assert.equal(text(), `${A}\n${B.slice(2)}\n`);
    assert.deepEqual(readdirSync(folder), ['list.txt']);
  });
  it('reports a file that cannot be read', async () => {
    for (const args of [
      ['remove', path, A],
      ['list', path],
      ['add', join(folder, 'x'), '--from', path],
      ['add', folder, A],
    ]) {
      const { code, err } = await weir('hashes', ...args);
      assert.equal(code, 1);
      assert.match(err, /: cannot be read: (there is no such file|expected a file)/);
    }
  });
  it('replaces the file as a whole, with its mode, where a link points to', async () => {
    writeFileSync(path, `${A}\n`);
    chmodSync(path, 0o600);
    const link = join(folder, 'link.txt');
    symlinkSync(path, link);
    const before = statSync(path);
    assert.equal((await weir('hashes', 'add', link, B)).code, 0);
    const now = statSync(path);
    assert.notEqual(now.ino, before.ino);
    assert.equal(now.mode, before.mode);
    assert.equal(text(), `${A}\n${B}\n`);
    assert.equal(readFileSync(link, 'utf8'), text());
  });
  it('does not overwrite a file that someone else changed meanwhile', () => {
    writeFileSync(path, `${A}\n`);
    const file = readHashListFile(path, outputTo({ out: assert.fail, err: assert.fail }))!;
    writeFileSync(path, `${A}\n${B}\n`);
    assert.throws(() => replaceHashListFile(file, Buffer.from(`${C}\n`)), /was changed by someone else meanwhile/);
    assert.equal(text(), `${A}\n${B}\n`);
    const none = readHashListFile(join(folder, 'new.txt'), outputTo({ out: assert.fail, err: assert.fail }), true)!;
    writeFileSync(join(folder, 'new.txt'), `${B}\n`);
    assert.throws(() => replaceHashListFile(none, Buffer.from(`${C}\n`)), /was changed by someone else meanwhile/);
  });
  it('refuses wrong hashes and wrong comments', async () => {
    for (const args of [
      ['add'],
      ['add', path],
      ['add', path, 'abc'],
      ['add', path, '--from', 'x', '--comment', 'y'],
      ['add', path, A, '--comment', 'two\nlines'],
      ['add', path, A, '--comment', 'x'.repeat(257)],
      ['remove', path],
      ['remove', path, `${A}0`],
      ['list'],
      ['list', path, path],
    ]) {
      const { code, err } = await weir('hashes', ...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, /See: weir hashes \w+ --help$/);
    }
    assert.deepEqual(readdirSync(folder), []);
  });
});
