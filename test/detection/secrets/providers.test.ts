// Every form of a provider, made up from its pattern; names of services beside random values; and what looks like both.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECRET_RULES } from '#weir/shared/policy/detectors/secrets/rules';
import { evidenceOf } from '../../shared/policy/support.ts';
import { generator } from './generate.ts';
import { sampleOf } from './sample.ts';
import { LOOK_ALIKES, SERVICE_ASSIGNMENTS, SERVICE_LOOK_ALIKES, UNLISTED } from './services.ts';

const { some, fill, below } = generator(61);
const found = (text: string): string[] =>
  evidenceOf({ secrets: {} }, text).map(({ start, end }) => text.slice(start, end));
const HOLDERS = ['~', 'const value = "~";', '{"value": "~"}', 'please try ~ and tell me', 'X-Header: ~\n'];

describe('forms of providers', () => {
  it('are more than 700, of which 97 % and more are found wherever they stand', () => {
    const tokens = SECRET_RULES.filter((rule) => rule.kind === 'token' && rule.group === 'providers');
    const named = SECRET_RULES.filter(({ kind }) => kind === 'named');
    assert.ok(tokens.length + named.length >= 700, `${tokens.length} and ${named.length}`);
    const missed = new Map<string, string>();
    let all = 0;
    for (const rule of tokens) {
      if (rule.kind !== 'token' || rule.check) continue;
      for (const holder of HOLDERS) {
        const text = holder.replace('~', () => sampleOf(rule.pattern, below));
        all++;
        if (found(text).length === 0) missed.set(`${rule.name} ${holder}`, text);
      }
    }
    console.log(`forms of providers: ${all - missed.size} of ${all}`);
    assert.ok(missed.size <= all * 0.03, [...missed].map(([name, text]) => `${name}: ${text}`).join('\n'));
  });

  it('are found where they name themselves and are in no list', () => {
    for (const form of UNLISTED) {
      const key = fill(form);
      for (const holder of HOLDERS) assert.deepEqual(found(holder.replace('~', key)), [key], holder);
    }
  });

  it('are found in at most 2 % of texts that look like them', () => {
    const all = LOOK_ALIKES.flatMap((form) => HOLDERS.slice(1).map((holder) => holder.replace('~', fill(form))));
    const alarms = all.filter((text) => found(text).length > 0);
    console.log(`look-alikes of forms: ${alarms.length} of ${all.length}`);
    assert.ok(alarms.length <= all.length * 0.02, alarms.map((text) => `${text} => ${found(text)}`).join('\n'));
  });
});

describe('names of services', () => {
  const services = SECRET_RULES.find(({ name }) => name === 'service-key');
  const words = services?.kind === 'named' ? services.words : [];
  const VALUES = [() => `${some('hex', 31)}7`, () => `${some('alnum', 37)}4xK`, () => `${some('lower', 30)}3q`];

  it('tell the key beside them in 95 % of the ways to write it', () => {
    const missed: string[] = [];
    let all = 0;
    for (const [n, word] of words.entries()) {
      const form = SERVICE_ASSIGNMENTS[n % SERVICE_ASSIGNMENTS.length]!;
      const value = VALUES[n % VALUES.length]!();
      const text = form
        .replaceAll('@', word)
        .replaceAll('#', word.toUpperCase())
        .replace('~', () => value);
      all++;
      if (!found(text).some((each) => each.includes(value))) missed.push(text);
    }
    console.log(`keys beside the names of services: ${all - missed.length} of ${all}`);
    assert.ok(missed.length <= all * 0.05, missed.join('\n'));
  });

  it('tell nothing of hashes, ids and builds', () => {
    const all = words
      .filter((_, n) => n % 9 === 0)
      .flatMap((word) => SERVICE_LOOK_ALIKES.map((form) => fill(form.replaceAll('@', word))));
    const alarms = all.filter((text) => found(text).length > 0);
    console.log(`look-alikes of keys of services: ${alarms.length} of ${all.length}`);
    assert.ok(alarms.length <= all.length * 0.02, alarms.map((text) => `${text} => ${found(text)}`).join('\n'));
  });
});
