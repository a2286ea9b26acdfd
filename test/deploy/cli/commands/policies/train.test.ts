import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { run } from '#weir/deploy/cli/main';
import { readJsonLines } from '#weir/deploy/train/json-lines';
import { readModel } from '#weir/shared/policy/models/format';
import { scoreText } from '#weir/shared/policy/models/model';

const folder = mkdtempSync(join(tmpdir(), 'weir-train-'));
after(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
async function weir(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: [] as string[], err: [] as string[] };
  const code = await run(['train', ...args], {
    out: (line) => said.out.push(line),
    err: (line) => said.err.push(line),
  });
  return { code, out: said.out.join('\n'), err: said.err.join('\n') };
}

const THINGS = ['phone', 'holiday', 'watch', 'laptop', 'voucher', 'bike', 'ticket', 'lamp'];
const line = (text: string, spam: number): string => JSON.stringify({ text, labels: { spam } });
const LINES = THINGS.flatMap((thing) => [
  line(`Win a free ${thing} now, click here`, 1),
  line(`You won a ${thing}! Claim your prize`, 1),
  line(`I left my ${thing} at the office`, 0),
  line(`Can we talk about the ${thing} tomorrow?`, 0),
]);
writeFileSync(at('spam.jsonl'), LINES.join('\n'));
writeFileSync(at('spam.jsonl.gz'), gzipSync(LINES.join('\n')));

describe('weir train --names', () => {
  it('takes a folder of data and a seed, and nothing of the others', async () => {
    for (const [args, said] of [
      [['--names'], /expected --data FOLDER/],
      [['--names', at('spam.jsonl'), '--data', folder], /--names takes no DATA/],
      [['--names', '--data', folder], /expected --out FILE/],
      [['--names', '--data', folder, '--out', at('n.bin'), '--folds', '3'], /--names goes without --folds/],
      [['--names', '--builtin', '--data', folder, '--out', at('n.bin')], /--names goes without --builtin/],
    ] as const) {
      const { code, err } = await weir(...args);
      assert.notEqual(code, 0);
      assert.match(err, said);
    }
    assert.ok(!existsSync(at('n.bin')));
  });
});

describe('weir train', () => {
  it('makes the same bytes of the same data and seed, and a card', async () => {
    for (const name of ['a.bin', 'b.bin']) {
      const { code, out } = await weir(at('spam.jsonl'), '--label', 'spam', '--out', at(name), '--folds', '3');
      assert.equal(code, 0, out);
      assert.match(out, /^spam: 16 \/ 16 texts, AUROC /m);
    }
    assert.deepEqual(readFileSync(at('a.bin')), readFileSync(at('b.bin')));
    assert.match(
      readFileSync(at('a.bin.md'), 'utf8'),
      /# Model card: spam[\s\S]*\| spam \| all \| 16 \/ 16 \|[\s\S]*spam\.jsonl/,
    );
    const other = await weir(at('spam.jsonl'), '--label', 'spam', '--out', at('c.bin'), '--folds', '3', '--seed', '2');
    assert.equal(other.code, 0);
    assert.notDeepEqual(readFileSync(at('a.bin')), readFileSync(at('c.bin')));
  });

  it('makes a model that knows what it was taught, also from packed files', async () => {
    const { code } = await weir(at('spam.jsonl.gz'), '--label', 'spam', '--out', at('d.bin'), '--folds', '2');
    assert.equal(code, 0);
    const { model } = readModel(new Uint8Array(readFileSync(at('d.bin'))));
    const { threshold } = model.labels[0]!;
    assert.ok(scoreText(model, 'Win a free bike now')[0]! >= threshold);
    assert.ok(scoreText(model, 'I left my bike at the office')[0]! < threshold);
  });

  const broken: [what: string, lines: string[], expected: RegExp][] = [
    ['a line that is no JSON', [LINES[0]!, '{"text":'], /bad\.jsonl:2: expected a JSON object/],
    ['a line that is no object', ['[1]'], /bad\.jsonl:1: expected a JSON object/],
    ['a line without a text', ['{"labels": {"spam": 1}}'], /bad\.jsonl:1: "text": expected a string that is not empty/],
    ['a line without labels', ['{"text": "a"}'], /bad\.jsonl:1: "labels": expected an object such as/],
    [
      'a label that is no number',
      ['{"text": "a", "labels": {"spam": "yes"}}'],
      /bad\.jsonl:1: "labels\.spam": expected 0 or 1/,
    ],
    [
      'a label that is neither 0 nor 1',
      [LINES[0]!, '{"text": "a", "labels": {"spam": 2}}'],
      /bad\.jsonl:2: "labels\.spam": expected 0 or 1/,
    ],
    ['too few texts of a side', [LINES[0]!], /label "spam": expected at least 10 different texts with 0, got 0/],
    [
      'the same texts again and again',
      Array.from({ length: 20 }, () => LINES.slice(0, 3)).flat(),
      /label "spam": expected at least 10 different texts with 0, got 1/,
    ],
    ['no line at all', [''], /bad\.jsonl: expected at least one line/],
  ];
  for (const [what, lines, expected] of broken) {
    it(`refuses ${what}`, async () => {
      writeFileSync(at('bad.jsonl'), lines.join('\n'));
      const { code, err } = await weir(at('bad.jsonl'), '--label', 'spam', '--out', at('x.bin'));
      assert.equal(code, 1);
      assert.match(err, expected);
    });
  }

  it('refuses a file that is not there, or not packed', async () => {
    writeFileSync(at('plain.gz'), 'x');
    assert.match(
      (await weir(at('none.jsonl'), '--label', 'spam', '--out', at('x.bin'))).err,
      /none\.jsonl: cannot be read/,
    );
    assert.match(
      (await weir(at('plain.gz'), '--label', 'spam', '--out', at('x.bin'))).err,
      /plain\.gz: expected a file packed by gzip/,
    );
  });

  it('names the line that is no UTF-8, or longer than a line may be', async () => {
    writeFileSync(at('latin.jsonl'), Buffer.concat([Buffer.from(`${LINES[0]}\n`), Buffer.from([0x22, 0xe9, 0x22])]));
    assert.match(
      (await weir(at('latin.jsonl'), '--label', 'spam', '--out', at('x.bin'))).err,
      /latin\.jsonl:2: expected UTF-8/,
    );
    writeFileSync(at('long.jsonl'), `${LINES[0]}\n`);
    truncateSync(at('long.jsonl'), 17 * 1024 * 1024);
    const { code, err } = await weir(at('long.jsonl'), '--label', 'spam', '--out', at('x.bin'));
    assert.match(err, /long\.jsonl:2: expected a line of at most 16777216 bytes, got 17\d{6}$/);
    assert.equal(code, 1);
  });

  it('stops to read where a file is too large, also once it is unpacked, or never ends', () => {
    const most = 1000;
    assert.throws(
      () => readJsonLines(at('spam.jsonl'), most),
      /spam\.jsonl: cannot be read: expected at most 1000 bytes, found \d+$/,
    );
    writeFileSync(at('bomb.jsonl.gz'), gzipSync(`${LINES[0]}\n${' '.repeat(5000)}`));
    assert.throws(
      () => readJsonLines(at('bomb.jsonl.gz'), most),
      /bomb\.jsonl\.gz: expected at most 1000 bytes when unpacked$/,
    );
    assert.throws(
      () => readJsonLines('/dev/zero', most),
      /\/dev\/zero: cannot be read: expected a file, found a device$/,
    );
  });

  it('reads a byte order mark, ends of lines as Windows writes them, and a last line without an end', () => {
    writeFileSync(at('windows.jsonl'), `\ufeff${LINES[0]}\r\n\r\n${LINES[1]}`);
    const { rows } = readJsonLines(at('windows.jsonl'));
    assert.deepEqual(
      rows.map(({ at: place }) => place.replace(/.*:/, '')),
      ['1', '3'],
    );
  });

  it('says before it trains that the weights or the card cannot be written', async () => {
    mkdirSync(at('folder'), { recursive: true });
    mkdirSync(at('carded.bin.md'), { recursive: true });
    const places: [out: string, expected: RegExp][] = [
      ['none/x.bin', /none\/x\.bin: cannot be written \(ENOENT\)$/],
      ['folder', /folder: cannot be written \(EISDIR\)$/],
      ['carded.bin', /carded\.bin\.md: cannot be written \(EISDIR\)$/],
    ];
    for (const [out, expected] of places) {
      const { code, err } = await weir(at('spam.jsonl'), '--label', 'spam', '--out', at(out));
      assert.equal(code, 1);
      // One line: no progress was told.
      assert.match(err, new RegExp(`^.*${expected.source}`));
    }
    assert.equal(existsSync(at('carded.bin')), false);
  });

  it('does not write over its data', async () => {
    symlinkSync(at('spam.jsonl'), at('link.jsonl'));
    const { code, err } = await weir(at('spam.jsonl'), '--label', 'spam', '--out', at('link.jsonl'));
    assert.match(err, /--out: .*link\.jsonl would be written over .*spam\.jsonl, which is DATA/);
    assert.equal(code, 2);
    assert.equal(readFileSync(at('spam.jsonl'), 'utf8'), LINES.join('\n'));
  });

  const wrong: [args: string[], expected: RegExp][] = [
    [[], /expected DATA/],
    [['a.jsonl'], /expected --label/],
    [['a.jsonl', '--label', 'Spam!'], /--label: expected names/],
    [['a.jsonl', '--label', 'spam'], /expected --out/],
    [['a.jsonl', '--label', 'spam', '--out', 'x', '--folds', '0'], /--folds: expected a whole number from 1 to 20/],
    [['a.jsonl', '--label', 'spam', '--out', 'x', '--seed', 'x'], /--seed: expected a whole number/],
    [['a.jsonl', '--label', 'a,b,c,d,e,f,g,h,i', '--out', 'x'], /8 names at most/],
    [['--builtin', '--out', 'x'], /expected --data/],
    [['--builtin', 'a.jsonl'], /--builtin takes no DATA/],
  ];
  for (const [args, expected] of wrong) {
    it(`explains the wrong use "${args.join(' ')}"`, async () => {
      const { code, err } = await weir(...args);
      assert.equal(code, 2, err);
      assert.match(err, expected);
    });
  }
});
