// Credentials beside their name, without an operator; and the harmless texts that look like them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../shared/policy/support.ts';
import { BESIDE, NOT_BESIDE } from './beside.ts';
import { generator } from './generate.ts';

const { some } = generator(38);
const PASSWORDS = [
  () => `${some('letters', 4)}${some('digits', 2)}${some('letters', 3)}${some('digits', 1)}`,
  () => `${some('letters', 5)}${some('digits', 2)}!`,
  () => `${some('letters', 3)}#${some('digits', 2)}${some('letters', 4)}`,
];

interface FilledText {
  text: string;
  secrets: string[];
}

const HOLDERS = ['~', 'Note from today:\n- ~\n- and more to do', '2026-03-01 10:15 INFO ~ | done'];

/** Each text with made-up values, by itself, in a list and in a line of a log. */
const filled = (texts: readonly string[], holders: readonly string[] = HOLDERS): FilledText[] =>
  texts.flatMap((form) =>
    holders.map((holder, n) => {
      const secrets: string[] = [];
      const text = holder
        .replace('~', () => form)
        .replace(/\$(?![{\d])|@(?![a-z])|#/g, (sign) => {
          const made =
            sign === '$'
              ? PASSWORDS[n % PASSWORDS.length]!()
              : sign === '@'
                ? `${some('alnum', 31)}7a`
                : `${some('hex', 38)}4e`;
          secrets.push(made);
          return made;
        });
      return { text, secrets };
    }),
  );

const found = (text: string): string[] =>
  evidenceOf({ secrets: {} }, text).map(({ start, end }) => text.slice(start, end));

describe('secrets beside their name', () => {
  it('are found in at least 90 % of 200 texts and more, and are what is spanned', () => {
    const all = filled(BESIDE, ['~', '~', '~']);
    const missed = all.filter(({ text, secrets }) => !found(text).some((span) => secrets.includes(span)));
    assert.ok(all.length >= 200, `${all.length}`);
    console.log(`secrets beside their name: ${all.length - missed.length} of ${all.length}`);
    assert.ok(missed.length <= all.length * 0.1, missed.map(({ text }) => `${text} => ${found(text)}`).join('\n'));
  });

  it('are found where a well-known form is encoded', () => {
    for (const key of [`AKIA${some('base32', 15)}Q`, `ghp_${some('alnum', 36)}`, `hf_${some('letters', 34)}`])
      for (const encoding of ['base64', 'hex'] as const) {
        const encoded = Buffer.from(key).toString(encoding);
        assert.deepEqual(found(`data: ${encoded} end`), [encoded]);
        assert.deepEqual(found(`data: x${encoded} end`), []);
      }
  });

  it('are found in at most 2 % of 300 texts that look like these', () => {
    const all = filled(NOT_BESIDE);
    const alarms = all.filter(({ text }) => found(text).length > 0);
    assert.ok(all.length >= 300, `${all.length}`);
    console.log(`false alarms: ${alarms.length} of ${all.length}`);
    assert.ok(alarms.length <= all.length * 0.02, alarms.map(({ text }) => `${text} => ${found(text)}`).join('\n'));
  });
});
