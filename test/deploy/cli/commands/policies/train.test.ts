import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { run } from '#weir/deploy/cli/main';
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
    ['too few texts of a side', [LINES[0]!], /label "spam": expected at least 10 texts with 0, got 0/],
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
