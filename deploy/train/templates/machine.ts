/** Texts that say nothing: keys, hashes, code, logs, numbers, addresses, signs, and a few words out of others. No label holds for them. */
import { type TrainingExample, targetsOf } from '../example.js';
import { createRandom, hashOf, type TrainingRandom } from '../random.js';
import type { TrainingTexts } from '../texts.js';
import { NO_HARM } from './targets.js';

/** Texts of each kind. */
const EACH = 130;
/** Texts that are a few words of others. */
const FRAGMENTS = 5000;
const MOST_WORDS = 4;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';
const MIXED = `${LETTERS.toUpperCase()}${LETTERS}0123456789`;
const BASE64 = `${MIXED}+/`;
const UPPER = `${LETTERS.toUpperCase()}0123456789`;

/** Random numbers that also draw from the lists of `corpus/machine.txt`. */
interface MachineDrawing extends TrainingRandom {
  from(list: string): string;
}
type Words = (list: string) => readonly string[];

const createDrawing = (seed: number, words: Words): MachineDrawing => {
  const random = createRandom(seed);
  return { ...random, from: (list) => random.pick(words(list)) };
};

const of = (letters: string, count: number, random: TrainingRandom): string =>
  Array.from({ length: count }, () => letters[random.below(letters.length)]!).join('');
const some = (count: number, make: () => string, between: string): string =>
  Array.from({ length: count }, make).join(between);
const digits = (count: number, random: TrainingRandom): string => of('0123456789', count, random);

function uuid(random: TrainingRandom): string {
  return [8, 4, 4, 4, 12].map((count) => of(HEX, count, random)).join('-');
}
function stamp(random: TrainingRandom): string {
  return `20${10 + random.below(20)}-${10 + random.below(3)}-${10 + random.below(18)}${random.pick(['T', ' '])}${10 + random.below(13)}:${10 + random.below(49)}:${10 + random.below(49)}`;
}
function host(random: MachineDrawing): string {
  return `${of(LETTERS, 3 + random.below(8), random)}.${random.from('tlds')}`;
}
function path(random: MachineDrawing): string {
  const parts = some(
    2 + random.below(4),
    () => random.pick([random.from('names'), of(LETTERS, 3 + random.below(6), random)]),
    '/',
  );
  return `${random.pick(['/', './', '~/', 'C:/', 'src/'])}${parts}${random.pick(['', '.ts', '.py', '.log', '.json', '.txt', '.png'])}`;
}
const variable = (random: MachineDrawing): string =>
  random.pick([random.from('names'), of(LETTERS, 1 + random.below(7), random)]);

/** By kind: how one is made. */
const KINDS: Record<string, (random: MachineDrawing) => string> = {
  hex: (random) => of(random.pick([HEX, HEX.toUpperCase()]), random.pick([6, 8, 12, 16, 32, 40, 64, 128]), random),
  base64: (random) =>
    of(BASE64, random.pick([12, 20, 32, 44, 64, 88, 200, 320]), random) + random.pick(['', '=', '==']),
  mixed: (random) => of(MIXED, 6 + random.below(50), random),
  upper: (random) =>
    some(1 + random.below(4), () => of(UPPER, 4 + random.below(8), random), random.pick(['-', '', ' '])),
  uuid,
  key: (random) => random.from('prefixes') + of(MIXED, 16 + random.below(40), random),
  labelled: (random) =>
    `${random.from('labels')} ${of(random.pick([MIXED, HEX, UPPER]), 6 + random.below(40), random)}`,
  jwt: (random) =>
    `eyJ${of(MIXED, 30, random)}.eyJ${of(MIXED, 40 + random.below(60), random)}.${of(`${MIXED}-_`, 43, random)}`,
  pem: (random) =>
    `-----BEGIN ${random.pick(['RSA PRIVATE KEY', 'CERTIFICATE', 'PUBLIC KEY'])}-----\n${some(2 + random.below(5), () => of(BASE64, 64, random), '\n')}`,
  ssh: (random) =>
    `${random.pick(['ssh-rsa', 'ssh-ed25519'])} AAAA${of(BASE64, 60 + random.below(80), random)} ${of(LETTERS, 5, random)}@${host(random)}`,
  letters: (random) => some(1 + random.below(3), () => of(LETTERS, 1 + random.below(11), random), ' '),
  letter: (random) =>
    of(random.pick([LETTERS, LETTERS.toUpperCase()]), 1, random) + random.pick(['', '', '.', ')', '?', '!']),
  digits: (random) =>
    some(1 + random.below(6), () => digits(1 + random.below(10), random), random.pick([' ', '-', '.', ', ', '/'])),
  address: (random) =>
    random.pick(['https://', 'http://', 'www.', '', 'ftp://']) +
    host(random) +
    random.pick([
      '',
      '/',
      `/${of(MIXED, 8, random)}?${of(LETTERS, 2, random)}=${of(MIXED, 10, random)}`,
      `/${random.from('names')}/${digits(4, random)}`,
    ]),
  mail: (random) => `${of(LETTERS, 3 + random.below(8), random)}@${host(random)}`,
  network: (random) =>
    some(4, () => String(random.below(256)), '.') + random.pick(['', `:${digits(4, random)}`, '/24']),
  log: (random) =>
    `${stamp(random)} ${random.pick(['INFO', 'WARN', 'ERROR', 'DEBUG', '[info]'])} ${of(LETTERS, 4, random)}-${of(HEX, 6, random)} ${random.from('names')} ${random.from('words')} ${random.pick([uuid(random), path(random), `${digits(3, random)} ms`, host(random)])}`,
  path,
  code: (random) =>
    random.pick([
      `const ${variable(random)} = ${variable(random)}.${variable(random)}(${variable(random)}, ${digits(2, random)});`,
      `def ${variable(random)}(${variable(random)}):\n    return ${variable(random)}[${digits(1, random)}]`,
      `for (let i = 0; i < ${variable(random)}.length; i++) ${variable(random)} += ${variable(random)}[i];`,
      `SELECT ${variable(random)}, ${variable(random)} FROM ${variable(random)} WHERE ${variable(random)} = ${digits(3, random)}`,
      `import { ${variable(random)} } from './${variable(random)}.js';`,
      `<div class="${variable(random)}"><a href="/${variable(random)}">${variable(random)}</a></div>`,
      `.${variable(random)} { color: #${of(HEX, 6, random)}; width: ${digits(2, random)}px }`,
      `if (${variable(random)} === ${variable(random)}) { return ${variable(random)}; }`,
      `git ${random.pick(['log', 'diff', 'show', 'push', 'rebase'])} ${of(HEX, 7, random)} ${path(random)}`,
      `docker run -p ${digits(4, random)}:80 ${of(LETTERS, 6, random)}/${variable(random)}:${digits(1, random)}.${digits(2, random)}`,
    ]),
  json: (random) =>
    JSON.stringify(
      Object.fromEntries(
        Array.from({ length: 1 + random.below(4) }, () => [
          variable(random),
          random.pick([uuid(random), of(MIXED, 10, random), random.from('words')]),
        ]),
      ),
    ),
  setting: (random) =>
    `${random.from('names').toUpperCase()}_${of(UPPER.slice(0, 26), 3 + random.below(4), random)}=${random.pick([of(MIXED, 20, random), digits(4, random), path(random), 'true'])}`,
  trace: (random) =>
    `${random.pick(['TypeError', 'ValueError', 'Error', 'panic'])}: ${variable(random)} is ${random.pick(['undefined', 'null', 'not a function', 'out of range'])}\n    at ${variable(random)} (${path(random)}:${digits(3, random)}:${digits(2, random)})`,
  table: (random) =>
    some(
      2 + random.below(4),
      () => some(4, () => `${random.below(2000) / 10}`, random.pick([' ', ',', '\t', ' | '])),
      '\n',
    ),
  moment: (random) =>
    random.pick([
      stamp(random),
      stamp(random).slice(0, 10),
      stamp(random).slice(11),
      `${digits(1, random)}:${digits(2, random)} ${random.pick(['am', 'pm'])}`,
      `v${digits(1, random)}.${digits(2, random)}.${digits(1, random)}`,
    ]),
  signs: (random) => of('!?.,:;-_()[]{}<>/|~#+*%&=', 1 + random.below(14), random),
  emoji: (random) => some(1 + random.below(4), () => random.from('emoji'), ''),
  greeting: (random) =>
    `${random.from('greetings')}${random.pick(['', '', '!', '.', '?', ` ${random.from('emoji')}`, ` ${random.from('emoji')}${random.from('emoji')}`])}`,
};

export function makeMachineTexts(seed: number, lists: TrainingTexts['machine']): TrainingExample[] {
  const words: Words = (name) => {
    const list = lists.get(name);
    if (!list) throw new Error(`corpus/machine.txt: expected the list "${name}"`);
    return name === 'emoji' ? [...words('animals'), ...list.words] : list.words;
  };
  const made = Object.entries(KINDS).flatMap(([kind, one]) => {
    const random = createDrawing(seed ^ hashOf(kind), words);
    return Array.from({ length: EACH }, () =>
      exampleOf(one(random), `machine:${kind}`, `machine ${kind} ${random.below(4)}`),
    );
  });
  return [...animalsAlone(words('animals')), ...made];
}

/** An animal that stands alone is no insult, however often it stands there. */
const animalsAlone = (animals: readonly string[]): TrainingExample[] =>
  animals.flatMap((animal, n) =>
    [1, 2, 3, 4].map((times) => exampleOf(animal.repeat(times), 'animals', `animals ${n % 8}`)),
  );

/** One to four words out of `texts`, all of them harmless. */
export function makeFragments(seed: number, texts: readonly string[]): TrainingExample[] {
  const random = createRandom(seed ^ 0x77a1);
  if (texts.length === 0) return [];
  return Array.from({ length: FRAGMENTS }, () => {
    const group = random.pick(texts);
    const words = group.split(/\s+/);
    const from = random.below(words.length);
    return exampleOf(words.slice(from, from + 1 + random.below(MOST_WORDS)).join(' '), 'fragment', group);
  });
}

function exampleOf(text: string, source: string, group: string): TrainingExample {
  return { text, targets: targetsOf({ ...NO_HARM, injection: [0, 1] }), source: `template:${source}`, group };
}
