import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pieces } from '../support.ts';

const SECRETS = { secrets: { rules: ['kubernetes-secret'] } };
const [A, B, C] = ['cTctTG1ub3AtNTV4', 'aHVudGVyMi1hYmMtZGVm', 'bXktb3RoZXIta2V5LTQy'];

describe('the values of Kubernetes Secrets', () => {
  const cases: [string, string, string[]][] = [
    ['behind the kind', `apiVersion: v1\nkind: Secret\ndata:\n  a: ${A}\n  b: ${B}\n`, [A, B]],
    [
      'before it, as kubectl sorts names',
      `apiVersion: v1\ndata:\n  a: ${A}\nkind: Secret\nmetadata:\n  name: x\n`,
      [A],
    ],
    [
      'of several documents',
      `kind: Secret\ndata:\n  a: ${A}\n---\ndata:\n  a: ${B}\nkind: Secret\n---\nkind: Pod\n  c: ${C}\n`,
      [A, B],
    ],
    [
      'of a list in one line',
      `{"items":[{"kind":"Secret","data":{"a":"${A}"}},{"data":{"a":"${B}"},"kind":"Secret"},{"kind":"Secret","data":{"c":"${C}"}}]}`,
      [A, B, C],
    ],
    [
      'of a list in many lines',
      `"items": [\n{\n"data": {\n"a": "${A}"\n},\n"kind": "Secret"\n},\n{\n"data": {\n"a": "${B}"\n},\n"kind": "Secret"\n}]`,
      [A, B],
    ],
    ['not of another kind behind it', `kind: Secret\ndata:\n  a: ${A}\n---\nkind: ConfigMap\ndata:\n  b: ${B}\n`, [A]],
    ['not without data', `kind: Secret\nmetadata:\n  b: ${B}\n`, []],
  ];
  for (const [name, text, expected] of cases)
    it(`are found ${name}`, () => assert.deepEqual(pieces(SECRETS, text), expected));

  it('are found whole where the reach of one manifest ends within a value that the next one has', () => {
    const long = Buffer.from(Array.from({ length: 2250 }, (_, n) => (n * n * 31 + n * 7) % 251)).toString('base64');
    const text = `{"kind":"Secret",${' '.repeat(2000)}{"kind":"Secret","data":{"a":"${long}"}}`;
    assert.ok(pieces(SECRETS, text).includes(long));
  });
});
