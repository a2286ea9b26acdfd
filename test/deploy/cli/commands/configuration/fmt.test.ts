import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { formatted, NotFormatted } from '#weir/deploy/cli/configuration/format';
import { weir } from '../../support.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-fmt-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const UNTIDY = `# yaml-language-server: $schema=weir.schema.json

version:   1
keys: []   # none yet


policies:
    -   name:  "One"     # the first
        # what it looks for
        detect: { terms: {list: [ 'a',   b ]} }
`;
const TIDY = `# yaml-language-server: $schema=weir.schema.json

version: 1
keys: [] # none yet

policies:
- name: "One" # the first
  # what it looks for
  detect: {terms: {list: ['a', b]}}
`;

describe('weir fmt', () => {
  it('formats files in place, with their comments, and says which', async () => {
    const [untidy, tidy] = [file('untidy.yaml', UNTIDY), file('tidy.yaml', TIDY)];
    const checked = await weir('fmt', '--check', untidy, tidy);
    assert.deepEqual(checked, { code: 1, out: `${untidy}: is not formatted`, err: '' });
    assert.equal(readFileSync(untidy, 'utf8'), UNTIDY);
    assert.deepEqual(await weir('fmt', untidy, tidy), { code: 0, out: `${untidy}: formatted`, err: '' });
    assert.equal(readFileSync(untidy, 'utf8'), TIDY);
    assert.deepEqual(await weir('fmt', '--check', untidy, tidy), { code: 0, out: '', err: '' });
  });

  it('leaves a file that does not parse as it is, and says why', async () => {
    const broken = file('broken.yaml', 'a: b: c\n');
    const { code, out, err } = await weir('fmt', broken);
    assert.deepEqual([code, out], [1, '']);
    assert.equal(err, `${broken}:1:4: expected one value, found a colon in it: put it in quotes, "b: c"`);
    assert.equal(readFileSync(broken, 'utf8'), 'a: b: c\n');
    assert.equal((await weir('fmt', join(folder, 'none.yaml'))).code, 1);
    assert.equal((await weir('fmt')).code, 2);
  });

  it('formats JSON as JSON', () => {
    assert.equal(formatted('{"version":1,"teams":[]}'), '{\n  "version": 1,\n  "teams": []\n}\n');
  });

  it('formats every configuration, pack and file of cases of this project, for good, with the same meaning', () => {
    const files = ['deploy/local', 'deploy/packs', 'deploy/packs/tests', 'bench'].flatMap((at) =>
      readdirSync(at).flatMap((name) => (name.endsWith('.yaml') ? join(at, name) : [])),
    );
    assert.ok(files.length > 8, files.join());
    for (const path of files) {
      const text = readFileSync(path, 'utf8');
      const made = formatted(text);
      assert.deepEqual(parse(made), parse(text), path);
      assert.equal(formatted(made), made, path);
      const comments = (of: string): string[] => [...of.matchAll(/(?<=^| )#.*$/gm)].map(([found]) => found).sort();
      assert.deepEqual(comments(made), comments(text), path);
    }
  });

  it('never changes what a text means', () => {
    const piece = fc.constantFrom(
      'a: ',
      '- ',
      'b',
      '"c d"',
      '\n',
      '\n  ',
      '\n    ',
      '{',
      '}',
      '[',
      ']',
      ', ',
      ' # e\n',
      '# f\n',
      '|\n  g\n',
      '&h ',
      '\n\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let before: unknown;
        try {
          before = parse(text);
        } catch {
          return;
        }
        try {
          assert.deepEqual(parse(formatted(text)), before, JSON.stringify(text));
        } catch (error) {
          assert.ok(error instanceof NotFormatted, `${JSON.stringify(text)} ${String(error)}`);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
