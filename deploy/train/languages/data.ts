/** Real texts of the languages: labelled comments, ordinary sentences, messages of a compiler, and words alone. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTextAtMost } from '../../../shared/files.js';
import { packageRoot } from '../../../shared/paths.js';
import { type LabelledRow, readJsonLines } from '../json-lines.js';
import { hashOf } from '../random.js';
import { documentsHash, documentsOf } from './documents.js';
import { LANGUAGES, type LanguagePlan } from './list.js';
import { type LanguageExample, type LanguageTargets, ORDINARY, type Target, WORD } from './targets.js';

export interface LanguageData {
  examples: LanguageExample[];
  /** by name of a file: its SHA-256 */
  hashes: Record<string, string>;
}

/** Reads the folder `from`. Throws an `Error` with file and line where a row is not as expected. */
export function readLanguageData(from: string): LanguageData {
  const toxic = readJsonLines(join(from, 'toxic_languages.jsonl.gz'));
  const ordinary = readJsonLines(join(from, 'ordinary_languages.jsonl.gz'), undefined, false);
  const hashes: Record<string, string> = { toxic_languages: toxic.sha256, ordinary_languages: ordinary.sha256 };
  const examples = [...toxic.rows.flatMap(commentOf), ...ordinary.rows.flatMap(sentenceOf)];
  for (const [language, plan] of LANGUAGES.entries()) {
    const texts = messagesOf(plan);
    for (const text of texts) examples.push(ordinaryOf(language, text, 'message'));
    for (const text of documentsOf(plan)) examples.push(ordinaryOf(language, text, 'document'));
    for (const text of plainOf(plan)) examples.push(ordinaryOf(language, text, 'plain'));
    if (texts.length > 0)
      hashes[`messages of ${plan.code}`] = createHash('sha256').update(texts.join('\n')).digest('hex');
  }
  hashes.documents = documentsHash();
  return { examples, hashes };
}

const placeOf = (name: string | undefined): number => LANGUAGES.findIndex((each) => each.name === name);

function commentOf(row: LabelledRow): LanguageExample[] {
  const { text, language: name } = row;
  return [{ language: placeOf(name), text, targets: targetsOf(row), source: 'comment', group: text }];
}

/** How much comments count of languages whose annotators agree little. */
const WEIGHTS: Readonly<Record<string, number>> = { French: 0.3, Arabic: 0.5 };

function targetsOf({ text, language = '', labels, category = '' }: LabelledRow): LanguageTargets {
  const toxic = labels.toxicity === 1;
  return [
    [toxic ? 1 : 0, WEIGHTS[language] ?? 1],
    hateOf(toxic, { language, labels, category }),
    hashOf(text) % 3 === 0 ? [0, 0.5] : undefined,
  ];
}

/** Whose annotators did not ask for hate, but for groups or kinds of offence, say less of it. */
function hateOf(
  toxic: boolean,
  { language, labels, category }: Required<Pick<LabelledRow, 'labels' | 'category'>> & Pick<LabelledRow, 'language'>,
): Target {
  if (labels.hate !== undefined) return [labels.hate === 1 ? 1 : 0, 0.3];
  if (language === 'Chinese') return [toxic ? 1 : 0, 0.15];
  if (!toxic) return [0, 0.3];
  return category === 'hateful' ? [1, 0.2] : undefined;
}

function sentenceOf({ text, language: name }: LabelledRow): LanguageExample[] {
  const language = placeOf(name);
  return language < 0 ? [] : [ordinaryOf(language, text, 'sentence')];
}

const ordinaryOf = (language: number, text: string, source: string): LanguageExample => ({
  language,
  text,
  targets: ORDINARY,
  source,
  group: text,
});

/** What the compiler of TypeScript says, which is in the packages that the lockfile pins. */
function messagesOf({ messages }: LanguagePlan): string[] {
  if (messages === undefined) return [];
  const path = join(packageRoot, 'node_modules/typescript/lib', messages, 'diagnosticMessages.generated.json');
  if (!existsSync(path)) throw new Error(`${path}: there is no such file; run npm install`);
  return [...new Set(Object.values(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>))];
}

/** Ordinary sentences that were written for it, most of them of software and its documents: one a line. */
const plainOf = ({ code }: LanguagePlan): string[] =>
  readTextAtMost(join(packageRoot, 'deploy/train/corpus/languages/plain', `${code}.txt`), MOST_BYTES)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
const MOST_BYTES = 1024 * 1024;

/** Words that have so many texts at least, and that are taken at most. */
const LEAST_USES = 3;
const MOST_WORDS = 2500;

/** The frequent words of ordinary texts alone, one a text. `isRude`: it is in none that is left. */
export function wordsOf(
  examples: readonly LanguageExample[],
  isRude: (language: number, word: string) => boolean,
): LanguageExample[] {
  return LANGUAGES.flatMap(({ reading, code }, language) => {
    const counts = new Map<string, number>();
    const segment = new Intl.Segmenter(code, { granularity: 'word' });
    for (const { text, language: own, source } of examples) {
      if (own !== language || !/^(sentence|message|document|plain|innocent|request)$/.test(source)) continue;
      const words = reading.words
        ? (text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [])
        : Array.from(segment.segment(text)).flatMap(({ segment: word, isWordLike }) => (isWordLike ? [word] : []));
      for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const frequent = [...counts].filter(
      ([word, uses]) => uses >= LEAST_USES && !/\d/.test(word) && !isRude(language, word),
    );
    frequent.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return frequent.slice(0, MOST_WORDS).map(([word]) => ({ ...ordinaryOf(language, word, 'word'), targets: WORD }));
  });
}
