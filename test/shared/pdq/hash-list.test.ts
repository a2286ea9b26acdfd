import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ListProblem, listEntry, MAX_LIST_HASHES, parseHashList } from '#weir/shared/pdq/hash-list';
import { randomFrom as random } from '../../support/images/images.ts';
import { pluck } from '../../support/pluck.ts';

const A = '41f07e1f3c0f91e091a43e0f81e0c1f07c1f6e1bc3f07e1f3c0f91e491e03e0f';
const B = '6f23560b5d2b24b3c8febb448c8c2b55d0f8b06c2f17d4ac336350fa77215b4a';
const C = '60fb54fbb1bb2a511b0114ee9cc401bf9e0c17ac60fb3b40663b6311c0fbd4fe';

function entries(text: string | Uint8Array) {
  const result = parseHashList(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.problems));
  const { list } = result;
  return Array.from({ length: list.count }, (_, i) => {
    const { hash, comment } = listEntry(list, i);
    return comment === '' ? hash : [hash, comment];
  });
}

function problems(text: string): readonly ListProblem[] {
  const result = parseHashList(new TextEncoder().encode(text));
  assert.ok(!result.ok);
  return result.problems;
}

describe('a list of hashes', () => {
  it('has one hash a line, in either case, with any line ends, with or without a last one', () => {
    for (const end of ['\n', '\r\n']) {
      assert.deepEqual(entries([A, B.toUpperCase(), C].join(end)), [A, B, C]);
      assert.deepEqual(entries([A, B, C, ''].join(end)), [A, B, C]);
    }
  });
  it('may have comments after a hash, empty lines and lines of comment', () => {
    const text = `\uFEFF# from the exchange\n\n${A} first case\n${B},second, "case"\n  ${C}\t;  third  \r\n   \n#${A}`;
    assert.deepEqual(entries(text), [
      [A, 'first case'],
      [B, 'second, "case"'],
      [C, 'third'],
    ]);
    assert.deepEqual(entries(`${A}\n${B} größer\n${C},"quoted"`), [A, [B, 'größer'], [C, 'quoted']]);
  });
  it('may come from the tools of the PDQ reference and of ThreatExchange', () => {
    assert.deepEqual(entries(`${A},100,bridge.jpg\n${B},81,small.jpg`), [
      [A, '100,bridge.jpg'],
      [B, '81,small.jpg'],
    ]);
    assert.deepEqual(entries(`hash=${A},norm=128,quality=100\nhash=${B},norm=128`), [
      [A, 'norm=128,quality=100'],
      [B, 'norm=128'],
    ]);
    assert.deepEqual(entries(`pdq ${A}\npdq ${B} seed`), [A, [B, 'seed']]);
  });
  it('may be a CSV file whose first line names the column of the hash', () => {
    assert.deepEqual(entries(`hash,quality,file\n${A},90,a.png\n${B},80,b.png`), [
      [A, '90,a.png'],
      [B, '80,b.png'],
    ]);
    assert.deepEqual(entries(`id,indicator,tags\n1,${A},"x, y"\n2,"${B}",\n`), [
      [A, '1, x, y'],
      [B, '2'],
    ]);
    assert.deepEqual(entries(`signal_type;value\npdq;${A}\npdq;${B}`), [
      [A, 'pdq'],
      [B, 'pdq'],
    ]);
    // The header says what separates fields: comments may have other marks in them.
    assert.deepEqual(entries(`id,hash,note\n1,${A},seen; twice\n2,${B},a\tb`), [
      [A, '1, seen; twice'],
      [B, '2, a\tb'],
    ]);
    // The first column looks like a PDQ hash, but is not.
    assert.deepEqual(entries(`sha256\tpdq\n${A}\t${B}\n${B}\t${C}`), [
      [B, A],
      [C, B],
    ]);
  });
  it('counts a hash that comes twice once, with its first comment', () => {
    const result = parseHashList(new TextEncoder().encode(`${A} one\n${B}\n${A.toUpperCase()} two\n${B} three`));
    assert.ok(result.ok);
    assert.deepEqual([result.list.count, result.list.repeated], [2, 2]);
    assert.deepEqual(listEntry(result.list, 0), { hash: A, comment: 'one' });
    assert.deepEqual(listEntry(result.list, 1), { hash: B, comment: '' });
  });
  it('may be empty', () => {
    assert.deepEqual(entries(''), []);
    assert.deepEqual(entries('\n\n# nothing yet'), []);
  });
  it('keeps 256 bytes of a comment, and no half characters', () => {
    for (const first of ['', `${A}\n`]) {
      const [, comment] = entries(`${first}${B} ${'ü'.repeat(200)}`).at(-1)!;
      assert.equal(comment, 'ü'.repeat(128));
      const [, odd] = entries(`${first}${B} x${'ü'.repeat(200)}`).at(-1)!;
      assert.equal(odd, `x${'ü'.repeat(127)}`);
    }
  });

  it('names each wrong line and what was expected, without repeating its text', () => {
    const cut = A.slice(1);
    assert.deepEqual(problems(`${A}\n${cut}\n${'g'.repeat(64)}\n\nno hash, here\n${A}0 x\n!\n`), [
      { line: 2, message: 'expected a hash of 64 hexadecimal digits, found 63 characters' },
      {
        line: 3,
        message: 'expected a hash of 64 hexadecimal digits, found 64 characters that are not all such digits',
      },
      { line: 5, message: 'expected a hash of 64 hexadecimal digits, found 2 characters' },
      { line: 6, message: 'expected a hash of 64 hexadecimal digits, found 65 characters' },
      { line: 7, message: 'expected a hash of 64 hexadecimal digits, found none' },
    ]);
    assert.deepEqual(problems(`id,hash\n1,${A}\n2,${cut}\n3`), [
      { line: 3, message: 'expected a hash of 64 hexadecimal digits in column 2, found 63 characters' },
      { line: 4, message: 'expected a hash of 64 hexadecimal digits in column 2, found none' },
    ]);
  });
  it('does not take a first hash whose comment is a column name for a header', () => {
    const letters = `a${A.slice(1)}`;
    assert.deepEqual(entries(`${letters} x,hash\n${B}`), [[letters, 'x,hash'], B]);
    assert.deepEqual(entries(`${letters},hash`), [[letters, 'hash']]);
  });
  it('takes names of columns in the first line only', () => {
    assert.deepEqual(pluck(problems(`${A}\nhash,comment\n${B}`), 'line'), [2]);
    assert.deepEqual(pluck(problems(`name,size\n${B}`), 'line'), [1]);
  });
  it('stops after 20 problems, and reads no line of more than 4,096 bytes', () => {
    assert.equal(problems('x\n'.repeat(1_000)).length, 20);
    assert.deepEqual(problems(`${A}\n#${'x'.repeat(5_000)}`), [
      { line: 2, message: 'expected a line of at most 4096 bytes, found 5001' },
    ]);
  });
  it('is refused when it has more hashes than fit', () => {
    const digits = MAX_LIST_HASHES + 1;
    const bytes = Buffer.alloc(65 * digits, `${'0'.repeat(64)}\n`);
    for (let i = 0; i < digits; i++) bytes.write(i.toString(16).padStart(8, '0'), 65 * i, 'latin1');
    const result = parseHashList(bytes);
    assert.ok(!result.ok);
    assert.deepEqual(result.problems, [
      { line: digits, message: 'the list has more than 2000000 hashes; divide it into several lists' },
    ]);
  });

  it('reads any bytes without failing', () => {
    const next = random(1);
    const pieces = [A, B, ' ', ',', '\n', '\r', '"', ';', 'hash', 'pdq', '=', '#', 'ü', '\0', 'x', '\t', C.slice(3)];
    for (let i = 0; i < 2_000; i++) {
      const text = Array.from({ length: 12 }, () => pieces[Math.floor(next() * pieces.length)]).join('');
      const bytes = new TextEncoder().encode(text);
      for (let k = 0; k < i % 3; k++) bytes[Math.floor(next() * bytes.length)] = next() * 256;
      const result = parseHashList(bytes);
      if (result.ok)
        for (let e = 0; e < result.list.count; e++) assert.match(listEntry(result.list, e).hash, /^[0-9a-f]{64}$/);
      else assert.ok(result.problems.length > 0);
    }
  });
  it('reads a line the same whether it is the first or a later one, which takes a faster path', () => {
    const next = random(2);
    const pieces = [' ', ',', ';', '"', 'x', 'ü', '\r', '\t', 'y z', '"q"', 'a,b'];
    for (let i = 0; i < 2_000; i++) {
      const line = `${B}${Array.from({ length: i % 6 }, () => pieces[Math.floor(next() * pieces.length)]).join('')}`;
      const first = parseHashList(new TextEncoder().encode(line));
      const later = parseHashList(new TextEncoder().encode(`${A}\n${line}`));
      assert.equal(first.ok, later.ok, JSON.stringify(line));
      if (first.ok && later.ok)
        assert.deepEqual(listEntry(first.list, 0), listEntry(later.list, 1), JSON.stringify(line));
    }
  });
  it('can be shared between threads', () => {
    const result = parseHashList(new TextEncoder().encode(`${A} one\n${B} two`), { shared: true });
    assert.ok(result.ok);
    const { hashes, comments, commentEnds } = result.list;
    for (const { buffer } of [hashes, comments, commentEnds]) assert.ok(buffer instanceof SharedArrayBuffer);
    assert.deepEqual(listEntry(result.list, 1), { hash: B, comment: 'two' });
  });
});
