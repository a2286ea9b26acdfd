/** Texts that may be slow, as recipes: a few parts, each a unit that is repeated and may change each time. A recipe decides its text. */
import { HOSTILE, pick, type Random, seeded } from '../work/generators.ts';

/** How what a part says is written. */
export const WRAPS = ['plain', 'base64', 'hex', 'percent', 'escapes', 'json', 'rot13', 'zero width', 'wide'] as const;
export type Wrap = (typeof WRAPS)[number];

export interface Part {
  unit: string;
  /** so often in a row */
  times: number;
  /** Of a hundred characters so many become another one of their class. */
  vary: number;
  wrap: Wrap;
}

export interface Recipe {
  seed: number;
  parts: Part[];
}

/** Characters that detectors take for each other. */
const CLASSES: readonly string[] = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  '*#@$%&!?^~-_.+=',
  ' \t\n',
  '|(<{[+)}]>',
  '.,:;/\\-–·•',
  '"\'`',
  'абвгдежзиклмнопрстуфхцчшщыэюя',
  'αβγδεζηθικλμνξοπρστυφχψω',
  '字学生日本語中文',
  'ابتثجحخدذرزسشص',
  'कखगघचछजझ\u093e\u093f\u094d\u0902',
  '\u0300\u0301\u0316\u0323\u0327',
  '\u200b\u200c\u200d\u2060\ufeff',
  '가나다라마바사',
  'éèêëàáâäöüß',
  'ａｂｃｄ１２３４',
  '\ufdfa\ufdfb㍿㌖ﬁﬃ',
];
const CLASS_OF = new Map(CLASSES.flatMap((all) => Array.from(all, (each) => [each, Array.from(all)] as const)));

/** Pieces of units beside those that are known to be hostile. */
const PIECES: readonly string[] = [
  ...[
    'f*ck ',
    'f**k ',
    'f*** ',
    's#it ',
    'f.u.c.k ',
    'f u c k ',
    'fuuuck ',
    'sh1t ',
    'a$$ ',
    's****r ',
    'c*m',
    'b!+ch ',
  ],
  ...['fuck ', 'ass', 'kill ', 'the ', 'and you ', 'moby d*ck ', 'shiitake ', 'b o m b ', 'ki11 '],
  ...[
    '4111 1111 1111 1111 ',
    '+49 30 1234567 ',
    'DE89 3704 0044 ',
    '536-22-8726 ',
    '10.20.30.40 ',
    '2024-01-31 ',
    '12:34 ',
  ],
  ...['a@b.co ', 'https://a.bc/d?e=f ', 'api_key = "', 'password: ', 'AKIA', 'ghp_', 'sk-', '-----BEGIN '],
  ...[
    '{"a":',
    '[1,',
    '\\u0041',
    '\\n',
    '\\\\',
    '"}',
    ']',
    '| ',
    '+-',
    '|--',
    '1\t',
    '0 1 ',
    '== ',
    '# ',
    '- ',
    '```\n',
  ],
];

const piece = (random: Random): string => {
  const kind = random(4);
  if (kind === 0) return pick(random, HOSTILE);
  if (kind === 1) return pick(random, PIECES);
  const all = Array.from(pick(random, CLASSES));
  return Array.from({ length: 1 + random(kind === 2 ? 2 : 8) }, () => pick(random, all)).join('');
};

function newPart(random: Random): Part {
  const unit = Array.from({ length: 1 + random(3) }, () => piece(random)).join('');
  const wrap = random(4) === 0 ? pick(random, WRAPS) : 'plain';
  return { unit, times: pick(random, [1, 1, 2, 8, 40, 1000]), vary: pick(random, [0, 0, 20, 50, 100]), wrap };
}

export function newRecipe(random: Random): Recipe {
  return { seed: random(2 ** 31), parts: Array.from({ length: 1 + random(2) }, () => newPart(random)) };
}

/** A recipe that differs a little. `other`: one to take a part from. */
export function changed(random: Random, { seed, parts }: Recipe, other: Recipe): Recipe {
  const all = parts.map((part) => ({ ...part }));
  const at = random(all.length);
  const part = all[at]!;
  const letters = Array.from(part.unit);
  const place = random(letters.length + 1);
  switch (random(9)) {
    case 0:
      part.unit = [...letters.slice(0, place), piece(random), ...letters.slice(place)].join('').slice(0, 120);
      break;
    case 1:
      if (letters.length > 1) part.unit = letters.filter((_, n) => n !== place % letters.length).join('');
      break;
    case 2:
      part.unit = letters.map((letter, n) => (n === place ? otherOf(random, letter) : letter)).join('');
      break;
    case 3:
      part.times = pick(random, [1, 2, 3, 8, 40, 200, 1000]);
      break;
    case 4:
      part.vary = pick(random, [0, 5, 20, 50, 100]);
      break;
    case 5:
      part.wrap = pick(random, WRAPS);
      break;
    case 6:
      if (all.length < 4) all.push(newPart(random));
      break;
    case 7:
      if (all.length > 1) all.splice(at, 1);
      break;
    default:
      all[at] = { ...pick(random, other.parts) };
  }
  return { seed, parts: all };
}

const otherOf = (random: Random, letter: string): string => pick(random, CLASS_OF.get(letter) ?? [letter]);

/** The text of a recipe, of `length` units. */
export function textOf({ seed, parts }: Recipe, length: number): string {
  const random = seeded(seed);
  let text = '';
  while (text.length < length) {
    for (const part of parts) {
      if (text.length >= length) break;
      text += written(saying(random, part, length - text.length), part.wrap);
    }
  }
  return text.slice(0, length);
}

function saying(random: Random, { unit, times, vary }: Part, room: number): string {
  const most = Math.min(times, Math.ceil(room / unit.length));
  if (vary === 0) return unit.repeat(most);
  let said = '';
  for (let n = 0; n < most; n++) {
    for (const letter of unit) said += random(100) < vary ? otherOf(random, letter) : letter;
  }
  return said;
}

const hex = (code: number, size: number): string => code.toString(16).padStart(size, '0');
const byte = (text: string, before: string): string =>
  Array.from(Buffer.from(text), (code) => before + hex(code, 2)).join('');

function written(text: string, wrap: Wrap): string {
  switch (wrap) {
    case 'base64':
      return `${Buffer.from(text).toString('base64')} `;
    case 'hex':
      return `${byte(text, '')} `;
    case 'percent':
      return byte(text, '%');
    case 'escapes':
      return Array.from({ length: text.length }, (_, n) => `\\u${hex(text.charCodeAt(n), 4)}`).join('');
    case 'json':
      return JSON.stringify({ a: JSON.stringify([text]) });
    case 'rot13':
      return text.replace(/[a-z]/gi, (letter) => {
        const code = letter.charCodeAt(0);
        return String.fromCharCode((code & 96) + 1 + (((code & 31) + 12) % 26));
      });
    case 'zero width':
      return Array.from(text).join('\u200b');
    case 'wide':
      return text.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0));
    default:
      return text;
  }
}

const WORDS = (
  'the be to of and a in that have it for not on with he as you do at this but his by from they we say her she or an will my one all ' +
  'would there their what so up out if about who get which go me when make can like time no just him know take people into year your ' +
  'good some could them see other than then now look only come its over think also back after use two how our work first well way even ' +
  'order arrived lamp question answer weather team report system service please thanks tomorrow morning kitchen garden language'
).split(' ');

/** English, which other texts are held against. */
export function english(length: number, seed = 1): string {
  const random = seeded(seed);
  let text = '';
  while (text.length < length) {
    const words = Array.from({ length: 5 + random(12) }, () => pick(random, WORDS)).join(' ');
    text += `${words[0]!.toUpperCase()}${words.slice(1)}${pick(random, ['. ', '. ', ', ', '?\n'])}`;
  }
  return text.slice(0, length);
}
