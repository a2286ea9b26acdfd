/** Long texts of everything that is looked for, and plans that scan them at once or in sections. */
import type { Evidence, Verdict } from '#weir/shared/policy/types';
import { pick, type Random } from '../work/generators.ts';

/** In so many units nothing is cut. */
export const AT_ONCE = { longest: 1e9, section: 1, before: 1, behind: 1 };
/** Sections so short that many are tried, with the surroundings that all have. */
export const inSections = (section: number) => ({ longest: 4096, section, before: 8192, behind: 24_576 });

export const EVERYTHING: readonly object[] = [
  { terms: { list: ['zebra crossing', 'привет', 'straße'], views: ['raw', 'nfkc', 'folded', 'leetspeak', 'masked', 'squashed', 'decoded'] } },
  { terms: { bundle: ['profanity', 'insults'] } },
  { pii: { entities: 'all', threshold: 0.3 } },
  { secrets: {} },
  { invisible_text: {} },
  { commands: {} },
  { addresses: {} },
  { regex: { patterns: ['foo\\d+bar', '[a-z]{3}-\\d{4}', '^start', 'end$', 'q+z'] } },
  { injection: { threshold: 0.3 } },
]; // biome-ignore format: a line each

const WORDS =
  'the of and to in is that for it was on with as be by at this are from or have which one you had not'.split(' ');
const some = (random: Random, from: string, count: number): string =>
  Array.from({ length: count }, () => from[random(from.length)]).join('');
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = (random: Random, count: number): string => some(random, '0123456789', count);
const base64 = (random: Random, count: number): string => some(random, `${LETTERS}0123456789+/`, count);
export const encoded = (text: string): string => Buffer.from(text).toString('base64');
export const tagged = (text: string): string =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');

export const pem = (random: Random, lines: number): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${Array.from({ length: lines }, () => base64(random, 64)).join('\n')}\n-----END RSA PRIVATE KEY-----\n`;
const manifest = (random: Random): string => `kind: Secret\ndata:\n  key: ${encoded(base64(random, 20))}\n---\n`;

const NUMBERS = ['4111 1111 1111 1111', '5500-0000-0000-0004', 'DE89 3704 0044 0532 0130 00', 'call +49 30 901820', '078-05-1120', '4111１１１１11111111']; // biome-ignore format: a line
const NAMED = ['a.b@example.org', '10.1.2.3', '12.03.2021', 'https://x.example.com/a?b=c'];
const DISGUISED = ['zebra  crossing', 'z3bra cr0ssing', 'ｚｅｂｒａ crossing', 'f*ck', 'f u c k', 'fuuuck', 'sh1t', 'id\u0456ot', 'приве\u0301т', 'STRASSE']; // biome-ignore format: a line
const SCRIPTS = ['мир', 'данные,', '日本語のテキスト', '한국어', 'שלום', 'é̂àñ', '\ud83d\ude00\ud83d\udd25'];

const PIECES: readonly ((random: Random) => string)[] = [
  (random) => pick(random, SCRIPTS),
  (random) => digits(random, 1 + random(20)),
  (random) => digits(random, 200 + random(3000)),
  (random) => pick(random, NUMBERS),
  (random) => pick(random, NAMED),
  (random) => pick(random, DISGUISED),
  (random) => `password = "${base64(random, 12)}"`,
  (random) => `ghp_${some(random, LETTERS, 36)}`,
  (random) => `\n${pem(random, 3 + random(20))}`,
  (random) => `\n${manifest(random)}`,
  (random) => encoded(pick(random, ['zebra crossing here', 'you idiot, this is text'])),
  (random) => tagged(pick(random, ['a zebra crossing', 'the mail of a.b@example.org'])),
  () => 'a\u200bb c\u200dd',
  () => '\n\n',
  (random) => pick(random, [`foo${digits(random, 1 + random(30))}bar`, 'abc-1234', 'start', 'end', 'qqqz']),
  (random) => pick(random, ['****', '----', '....']).repeat(1 + random(20)),
  (random) => '\u0301'.repeat(random(20)),
];

/** Words, and some of the pieces: a text of a few kinds says more than one of all. */
export function longText(random: Random, length: number): string {
  const kinds = Array.from({ length: 1 + random(5) }, () => pick(random, PIECES));
  let text = '';
  while (text.length < length) {
    text += `${pick(random, WORDS)} `;
    if (random(4) === 0) text += `${pick(random, kinds)(random)} `;
  }
  return text;
}

const asText = ({ detector, view, start, end, score = 1 }: Evidence): string =>
  `${detector} ${view} ${start}-${end} ${score}`;

/** What a verdict says, without the order of evidence. Where there is more than is kept, that is how much is kept. */
export function saidIn({ policies, notEvaluated, violations, redaction }: Verdict): object {
  const found = violations.map(({ id, evidence }) => [
    id,
    evidence.length < 8 ? evidence.map(asText).sort() : evidence.length,
  ]);
  return { policies, notEvaluated, found, redaction };
}
