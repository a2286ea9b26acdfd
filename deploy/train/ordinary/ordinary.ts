/**
 * Ordinary texts, in which no detector is to find anything, by kind and class of length. Half of their sources are trained on, and the
 * others measure: packages, texts and words are each on one side.
 */
import { join } from 'node:path';
import { type LabelledRow, readJsonLines } from '../json-lines.js';
import { createRandom, hashOf, shuffle, type TrainingRandom } from '../random.js';
import { excerptOf, LENGTHS, type LengthClass, lengthClassOf } from './lengths.js';
import { type PackageFile, packageFiles, textOfPackage } from './packages.js';

export interface OrdinaryText {
  text: string;
  kind: string;
  length: LengthClass;
  /** texts of one source are on one side */
  source: string;
}

/** Half of the sources is learned from, a quarter sets thresholds and is then learned from, too, and a quarter only measures. */
export type Side = 'trained' | 'tuned' | 'kept';
const SIDES = ['trained', 'tuned', 'trained', 'kept'] as const;

export const sideOf = (source: string): Side => SIDES[hashOf(`${source} side`) % SIDES.length]!;

/** Excerpts of a kind and class at most, and those of a package. */
const MOST = 1200;
const MOST_OF_PACKAGE = 24;
/** Words that frequent ones are, and texts that have a word at least. */
const WORDS = 6000;
const LEAST_USES = 4;

/** Excerpts of the files of packages. `each`: of a kind and class at most. */
export function packageTexts(side: Side, seed: number, each = MOST): OrdinaryText[] {
  const byKind = new Map<string, PackageFile[]>();
  for (const file of packageFiles()) {
    if (sideOf(file.package) === side) byKind.set(file.kind, [...(byKind.get(file.kind) ?? []), file]);
  }
  return [...byKind].flatMap(([kind, files]) => {
    const random = createRandom(seed ^ hashOf(kind));
    return excerptsOf(shuffle(files, random), { kind, random, each });
  });
}

interface Wanted {
  kind: string;
  random: TrainingRandom;
  each: number;
}

/** Rounds over the files, each of which gives an excerpt of every class, until there are enough. */
function excerptsOf(files: readonly PackageFile[], { kind, random, each }: Wanted): OrdinaryText[] {
  const found = new Map<string, OrdinaryText>();
  const counts = new Map<LengthClass, number>(LENGTHS.map((length) => [length, 0]));
  const ofPackage = new Map<string, number>();
  for (let round = 0; round < 6; round++) {
    for (const file of files) {
      if ([...counts.values()].every((count) => count >= each)) return [...found.values()];
      const whole = textOfPackage(file);
      for (const length of LENGTHS) {
        const own = `${file.package} ${length}`;
        const given = ofPackage.get(own) ?? 0;
        if (counts.get(length)! >= each || given >= MOST_OF_PACKAGE) continue;
        const text = excerptOf(whole, length, random);
        if (text === undefined || found.has(text)) continue;
        ofPackage.set(own, given + 1);
        found.set(text, { text, kind, length, source: file.package });
        counts.set(length, counts.get(length)! + 1);
      }
    }
  }
  return [...found.values()];
}

/** By file of the data: the kind of its texts. */
const DATA: Record<string, (row: LabelledRow) => string | undefined> = {
  ordinary: ({ kind = 'request' }) => kind,
  ordinary_languages: ({ language = '' }) => `language ${language}`,
  bipia: ({ category = '', labels }) => (labels.injection === 0 ? `context ${category}` : undefined),
  self_instruct: () => 'request of a model',
  task_dialogues: () => 'support',
  talk_pages: ({ labels }) => (labels.toxicity === 0 ? 'talk' : undefined),
};

/** Texts of the folder `from` of labelled data, and longer ones of several of a kind. */
export function dataTexts(from: string, side: Side, seed: number): OrdinaryText[] {
  return Object.entries(DATA).flatMap(([file, kindOf]) => {
    const byKind = new Map<string, string[]>();
    for (const row of readJsonLines(join(from, `${file}.jsonl.gz`), undefined, false).rows) {
      const kind = kindOf(row);
      if (kind === undefined || sideOf(row.text) !== side) continue;
      const known = byKind.get(kind);
      if (known) known.push(row.text);
      else byKind.set(kind, [row.text]);
    }
    return [...byKind].flatMap(([kind, texts]) => {
      const random = createRandom(seed ^ hashOf(kind));
      return partsOf(texts).flatMap((part, i) => {
        const source = `${kind} ${i}`;
        const alone = part.map((text) => ({ text, kind, length: lengthClassOf(text), source }));
        return [...alone, ...joinedOf(part, { kind, source, random })];
      });
    });
  });
}

/** Parts of a kind: texts are joined within one, which is held out as a whole. */
const PARTS = 4;
/** Joined texts of a part and class. */
const JOINED = 24;

function partsOf(texts: readonly string[]): string[][] {
  const parts = Array.from({ length: PARTS }, (): string[] => []);
  for (const text of texts) parts[hashOf(text) % PARTS]!.push(text);
  return parts.filter(({ length }) => length > 0);
}

/** By name of a file of the data: its SHA-256. */
export const hashesOfData = (from: string): Record<string, string> =>
  Object.fromEntries(
    Object.keys(DATA).map((file) => [file, readJsonLines(join(from, `${file}.jsonl.gz`), undefined, false).sha256]),
  );

/** Texts in a row, as in a chat or on a page, of the longer classes. */
function joinedOf(
  texts: readonly string[],
  { kind, source, random }: { kind: string; source: string; random: TrainingRandom },
): OrdinaryText[] {
  return LENGTHS.slice(1).flatMap((length) =>
    Array.from({ length: Math.min(JOINED, texts.length >> 3) }, () => {
      const size = length / 4 + random.below((length * 3) / 4);
      const between = random.pick(['\n', ' ', '\n\n']);
      const first = random.below(texts.length);
      let text = texts[first]!;
      for (let i = 1; text.length < size && i < texts.length; i++) text += between + texts[(first + i) % texts.length]!;
      text = text.slice(0, length);
      return { text, kind, length: lengthClassOf(text), source };
    }),
  );
}

/** Words are learned but for a quarter of them. */
const wordSideOf = (word: string): Side => (sideOf(word) === 'kept' ? 'kept' : 'trained');

/** Words that stand alone, the most frequent of `texts` first, without those that `leaveOut` names. */
export function frequentWords(
  texts: readonly string[],
  side: Side,
  leaveOut: (word: string) => boolean,
): OrdinaryText[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(text.match(/\p{L}[\p{L}\p{M}'’-]*/gu))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .filter(([word, count]) => count >= LEAST_USES && !leaveOut(word.toLowerCase()))
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, WORDS)
    .filter(([word]) => wordSideOf(word.toLowerCase()) === side)
    .map(([text]) => ({ text, kind: 'word', length: 80, source: text.toLowerCase() }));
}
