/** How the labelled data count for the labels of the shipped models. Their licences are in the model card. */
import { join } from 'node:path';
import type { ClassName } from '../../shared/policy/models/classes.js';
import { type Targets, type TrainingExample, targetsOf } from './example.js';
import { type LabelledRow, readJsonLines } from './json-lines.js';
import { hashOf } from './random.js';

/** What ordinary text is not. */
const TALK: Targets = { sexual: [0, 1], violence: [0, 1], self_harm: [0, 1], injection: [0, 1] };

/** Of what all texts of a file are not, a third of them teach enough. */
const someOf = (text: string, targets: Targets): Targets => (hashOf(text) % 3 === 0 ? targets : {});

/** By file: what a row counts for; undefined: it is left out. */
const SOURCES: Record<string, (row: LabelledRow) => Targets | undefined> = {
  davidson: ({ text, labels }) => ({
    hate: [labels.hate === 1, labels.hate === 1 || labels.offensive === 0 ? 1 : 0.3],
    toxicity: [labels.hate === 1 || labels.offensive === 1, 0.5],
    ...someOf(text, { injection: [0, 0.8], self_harm: [0, 0.8] }),
  }),
  edos: ({ text, labels, category }) => ({
    sexism: [labels.sexism === 1, 1],
    ...(labels.sexism === 0 && { hate: [0, 0.25] }),
    ...(/^[12]/.test(category ?? '') && { hate: [1, 0.5] }),
    ...someOf(text, { injection: [0, 0.8], self_harm: [0, 0.8] }),
  }),
  hatemojibuild: ({ labels }) => ({ hate: [labels.hate === 1, 0.4] }),
  mlma_en: ({ labels }) => ({
    ...((labels.hate === 1 || labels.normal === 1) &&
      labels.hate !== labels.normal && { hate: [labels.hate === 1, 0.3] }),
    ...(labels.offensive !== labels.normal && { toxicity: [labels.offensive === 1, 0.3] }),
  }),
  bias_madlibs: ({ text, labels }) =>
    hashOf(text) % 3 !== 0
      ? undefined
      : {
          toxicity: [labels.toxic === 1, 1],
          ...(labels.toxic === 0 && { hate: [0, 0.6], sexual: [0, 0.6], sexism: [0, 0.4] }),
        },
  jailbreak_inthewild: () => ({ injection: [1, 1] }),
  talk_pages: ({ text, labels }) => ({
    toxicity: [labels.toxicity === 1, 1],
    ...(labels.toxicity === 0 && { hate: [0, 0.5], ...TALK, ...someOf(text, { sexism: [0, 0.4] }) }),
  }),
  toxic_comments: ({ text }) => ({ toxicity: [1, 0.7], ...someOf(text, { injection: [0, 0.8] }) }),
  toxic_pairs: ({ labels }) => ({
    // Their toxicity is that of a word that was left out: learned, it made others no better.
    injection: [0, 0.5],
    self_harm: [0, 0.5],
    ...(labels.toxicity === 0 && { hate: [0, 0.3], violence: [0, 0.5], sexual: [0, 0.5] }),
  }),
  toxigen_statements: ({ labels }) => ({ hate: [labels.hate === 1, 1] }),
};

/** Reads the data of the folder `from`. Throws an `Error` with file and line where a row is not as expected. */
export function readSources(from: string): {
  examples: TrainingExample[];
  terms: Term[];
  hashes: Record<string, string>;
} {
  const hashes: Record<string, string> = {};
  const examples: TrainingExample[] = [];
  for (const [source, read] of Object.entries(SOURCES)) {
    const { rows, sha256 } = readJsonLines(join(from, `${source}.jsonl.gz`));
    hashes[source] = sha256;
    for (const row of rows) {
      const targets = read(row);
      if (targets) {
        const text = unescaped(row.text);
        examples.push({ text, targets: targetsOf(targets), source, group: text });
      }
    }
  }
  const { rows, sha256 } = readJsonLines(join(from, 'surge_profanity.jsonl.gz'));
  hashes.surge_profanity = sha256;
  const terms = rows.flatMap(termOf);
  for (const term of terms) examples.push(exampleOfTerm(term));
  return { examples, terms, hashes };
}

/** A term of the list of profanity. */
export interface Term {
  text: string;
  class: ClassName;
  severity: number;
}

const ABOUT_WOMEN = /b[i1!]+[ao]?t?ch|biatch|slut|wh[o0]re|hoe|skank|cunt/i;

function termOf({ text, labels, category = '' }: LabelledRow): Term[] {
  if (text.includes('@') || text.length < 3) return [];
  const severity = labels.severity ?? 0;
  const of = (name: ClassName): Term[] => [{ text, class: name, severity }];
  if (category.startsWith('racial')) return severity >= 2.2 ? of('slur') : [];
  if (category.startsWith('sexual orientation')) {
    if (ABOUT_WOMEN.test(text)) return of('femaleSlur');
    return severity >= 2 ? of('slur') : [];
  }
  if (category.startsWith('sexual anatomy')) return severity >= 1.6 ? of('sexual') : [];
  if (category.startsWith('mental')) return of('insult');
  if (category.startsWith('other')) return of('insult');
  return severity >= 1.4 ? of('profanity') : [];
}

function exampleOfTerm({ text, class: name, severity }: Term): TrainingExample {
  const targets: Targets = {
    toxicity: [1, severity >= 1.6 ? 1 : 0.3],
    ...(name === 'slur' && { hate: [1, 1] }),
    ...(name === 'sexual' && { sexual: [1, 1] }),
  };
  return { text, targets: targetsOf(targets), source: 'surge_profanity', group: text };
}

/** Undoes entities of HTML, and writes mentions and links of all sources in one form. */
function unescaped(text: string): string {
  return text
    .replaceAll('[USER]', '@user')
    .replaceAll('[URL]', 'http://link')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#\d+;/g, ' ');
}
