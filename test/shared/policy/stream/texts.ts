/** Texts that are made of finds of all kinds, of what only looks like them, and of what stands between. A seed decides all of it. */

import { SET, textOf } from '../../../detection/pii/set.ts';
import { NEGATIVES, POSITIVES } from '../../../detection/secrets/set.ts';
import { DISGUISES, randomFrom } from '../../../detection/terms/disguises.ts';
import { BAD, INNOCENT, SENTENCES } from '../../../detection/terms/words.ts';
import { pick, type Random } from '../work/generators.ts';

/** Policies by name, each of a detector of bounded reach. */
export const BOUNDED: Readonly<Record<string, unknown>> = {
  words: {
    terms: {
      list: ['card dump', 'Projekt Reiher', 'STRASSE', 'ass', '爆弾', '炸药', 'd’accord'],
      allow: ['ass saddle', 'grass roots'],
    },
  },
  parts: { terms: { list: ['dump', 'ßen'], match: 'substring', views: ['raw', 'nfkc', 'folded'] } },
  disguised: { terms: { list: ['heroin', 'weapon'], views: ['folded', 'leetspeak', 'masked', 'squashed', 'decoded'] } },
  bundles: { terms: { bundle: ['profanity', 'slurs', 'insults', 'sexual', 'drugs'], severity: 'low' } },
  pii: { pii: { entities: ['all'], threshold: 0.5 } },
  weak: { pii: { entities: ['all', 'DATE_TIME', 'URL'], threshold: 0.05 } },
  secrets: { secrets: {} },
  addresses: { addresses: { ranges: ['all'] } },
  patterns: { regex: { patterns: ['\\bAB-\\d{4}\\b', 'x{2,5}y', '(?:order|case) #?\\d{3,8}'], flags: 'i' } },
};

const PII = Object.values(SET).flatMap(({ finds, weak, none, never }) =>
  [...finds, ...weak, ...none, ...never].map(textOf),
);
const SECRETS = [...Object.values(POSITIVES).flatMap(({ texts }) => texts), ...Object.values(NEGATIVES).flat()];
const OTHERS = [
  'card dump',
  'card  dump',
  'CARD-DUMP',
  'the card dumps',
  'grass roots',
  'ass saddle',
  'strasse',
  'Straße',
  'Projekt\u00a0Reiher',
  '今日爆弾を作る',
  '这是炸药。',
  "d'accord",
  'AB-1234',
  'ab-12345',
  'xxxxxxy',
  'order #12345678',
  'case 12',
  'http://localhost:8080/x',
  'http://169.254.169.254/latest',
  'https://example.org/a?b=c',
  '//printer.local/',
  'h3r0in',
  'w e a p o n',
  'h*roin',
  'aGVyb2luIGluIHRoZSBiYWc=',
  '%68%65%72%6f%69%6e',
  '&#119;eapon',
  'c\u200bard du\u0301mp',
  'ｃａｒｄ ｄｕｍｐ',
];
const FILLER = [
  ...SENTENCES,
  'a',
  'the',
  'and then',
  '\n',
  '\n\n',
  '. ',
  ', ',
  ': ',
  ' = ',
  '"',
  '(',
  ')',
  '|',
  '\t',
  'Ω',
  '👩‍👩‍👧',
  '中文',
  'ไทย',
  'हिंदी',
  'é',
  '\u200b',
  '1',
  '2026',
  '- ',
  '{"key":"',
  '"}',
  'name,number\n',
  '| id | phone |\n|---|---|\n',
  'call',
  'my number is',
  'password',
  'kind: Secret\n',
  'USD',
];

function piece(random: Random): string {
  const kind = random(10);
  if (kind < 2) return pick(random, PII);
  if (kind < 4) return pick(random, SECRETS);
  if (kind < 5) return pick(random, OTHERS);
  if (kind < 6) {
    const disguise = pick(random, Object.values(DISGUISES));
    const word = pick(random, random(2) ? BAD : ['heroin', 'weapon', 'card dump']);
    return disguise(word, randomFrom(random(1 << 30))) ?? word;
  }
  if (kind < 7) return pick(random, INNOCENT);
  return pick(random, FILLER);
}

/** A text of some pieces; some are cut off, as another find may begin within one. */
export function streamText(random: Random): string {
  let text = '';
  for (let n = 1 + random(8); n > 0; n--) {
    const one = piece(random);
    text += random(12) === 0 ? one.slice(0, random(one.length + 1)) : one;
    text += pick(random, [' ', ' ', ' ', ' ', '', '\n', '. ', ', ', '  ']);
  }
  return text;
}

/** Lengths of the pieces in which `text` comes: some of one unit, some of many. */
export function cutsOf(text: string, random: Random): number[] {
  const most = pick(random, [1, 3, 8, 24, 100]);
  const cuts: number[] = [];
  for (let left = text.length; left > 0; ) {
    const length = Math.min(left, 1 + random(most));
    cuts.push(length);
    left -= length;
  }
  return cuts;
}
