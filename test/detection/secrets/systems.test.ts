// Credentials in connection strings, headers, commands and files of systems, with made-up values; and what looks like them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../shared/policy/support.ts';
import { generator } from './generate.ts';
import { NOT_OF_SYSTEMS, SYSTEMS } from './systems.ts';

const { some, fill } = generator(77);
const TIMES = 3;
const password = (): string => `${some('alnum', 4)}7${some('letters', 4)}${some('digits', 2)}Q`;
const filled = (form: string): string =>
  fill(
    form
      .replaceAll('{b64pair}', () => Buffer.from(`bob:${password()}`).toString('base64'))
      .replaceAll('{hexu:', '{upper:')
      .replaceAll('{pw}', password),
  );
const found = (text: string): string[] =>
  evidenceOf({ secrets: {} }, text).map(({ start, end }) => text.slice(start, end));
const made = (forms: readonly string[]): string[] =>
  forms.flatMap((form) => Array.from({ length: TIMES }, () => filled(form)));

describe('credentials where systems have them', () => {
  it('are found in at least 97 % of them', () => {
    const all = made(SYSTEMS);
    const missed = all.filter((text) => found(text).length === 0);
    console.log(`credentials of systems: ${all.length - missed.length} of ${all.length}`);
    assert.ok(all.length >= 550, `${all.length}`);
    assert.ok(missed.length <= all.length * 0.03, missed.join('\n'));
  });

  it('are what the evidence spans', () => {
    for (const [text, secret] of [
      ['Cookie: lang=en; sessionid=rj58h8debz9r8z0eju0a0sw0im3m9w2j', 'rj58h8debz9r8z0eju0a0sw0im3m9w2j'],
      ['WIFI:T:WPA;S:home;P:kQ7hgte21x;;', 'kQ7hgte21x'],
      ['[smtp.test]:587 bob@x.test:kQ7hgte21x', 'kQ7hgte21x'],
      ['echo kQ7hgte21x | docker login -u bob --password-stdin', 'kQ7hgte21x'],
      ["echo 'bob:kQ7hgte21x' | chpasswd", 'kQ7hgte21x'],
      ['| user | password |\n|---|---|\n| ann | kQ7hgte21x |', 'kQ7hgte21x'],
      ['jdbc:oracle:thin:scott/kQ7hgte21x@db.test:1521:orcl', 'kQ7hgte21x'],
    ] as const)
      assert.deepEqual(found(text), [secret], text);
  });

  it('are found in at most 2 % of texts that look like these', () => {
    const all = made(NOT_OF_SYSTEMS);
    const alarms = all.filter((text) => found(text).length > 0);
    console.log(`look-alikes of credentials of systems: ${alarms.length} of ${all.length}`);
    assert.ok(alarms.length <= all.length * 0.02, alarms.map((text) => `${text} => ${found(text)}`).join('\n'));
  });
});
