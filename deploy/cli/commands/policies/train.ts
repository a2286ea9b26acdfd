import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LANES } from '../../../../shared/policy/models/model.js';
import type { TrainingFigure } from '../../../train/figures/figures.js';
import type { NamedData } from '../../../train/own.js';
import {
  type Arguments,
  type Command,
  type CommandOutput,
  CommandUsageError,
  cannotWrite,
  optionsOf,
  writeAsked,
} from '../../command.js';
import { numberOption } from '../../options.js';

const MAX_FOLDS = 20;
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Trains a classifier. What it needs is loaded when it runs, so that no other command pays for it. */
export const train: Command = {
  usage: `weir train DATA… --label NAME[,NAME…] --out FILE [--seed N] [--folds N]
weir train [DATA…] --labels --policy NAME --label NAME --out FILE [--since TIME] [--team ID] [--seed N] [--folds N]
weir train --builtin [--languages] --data FOLDER --out FILE [--card FILE] [--seed N] [--folds N]
weir train --names --data FOLDER --out FILE [--seed N]

  --label NAME   the labels to learn, 8 at most
  --out FILE     where the weights go; the card goes to FILE.md
  --seed N       a whole number; the same data and seed give the same bytes [1]
  --folds N      parts that are held out in turn to measure, to ${MAX_FOLDS}; 1: a sixth is held out for good [5]
  --builtin      train the models that Weir ships: in a clone of its repository, which has the phrases and words for it
  --languages    those of other languages than English
  --names        train the tagger of names of persons, places and organisations and of addresses, likewise
  --data FOLDER  the labelled data of these models
  --labels       also items that people have labelled (POST /api/label), whose content is stored: 1 for true alarms and missed ones
  --policy NAME  with --labels: the policy that they were labelled for, by id or name; it teaches the one --label
  --since TIME   with --labels: items that came since: such as 24h, 30d, or a time [365d]
  --team ID      with --labels: items of this team
  --card FILE    where their card goes [FILE.md]

DATA is a file of JSON lines, also packed (.gz). Each line has a text, and 0 or 1 for its labels:

  {"text": "Win a free phone now", "labels": {"spam": 1}}

A label that is absent from a line is unknown, and the line teaches nothing about it. A label needs 10 different texts
of each side. Of a file, 512 MiB are read, unpacked; a line has 16 MiB at most.

Prints figures of texts that were held out, at the threshold in the file. Wrong data: prints the file and the line, and what was
expected. The exit code is 1.`,
  options: optionsOf({
    texts: 'label out seed folds data card policy since team',
    flags: 'builtin languages names labels',
  }),
  run(given, output) {
    if (given.values.names === true) return runNames(given, output);
    return given.values.builtin === true ? runBuiltin(given, output) : runOwn(given, output);
  },
};

async function runBuiltin(given: Arguments, output: CommandOutput): Promise<number> {
  const { positionals, values } = given;
  const { data } = values;
  if (positionals.length > 0) throw new CommandUsageError('--builtin takes no DATA; its folder is --data');
  if (typeof data !== 'string') throw new CommandUsageError('expected --data FOLDER');
  if (values.label !== undefined) throw new CommandUsageError('--builtin has labels of its own');
  const out = outOf(values);
  const cardFile = typeof values.card === 'string' ? values.card : `${out}.md`;
  requireWritable([out, cardFile], []);
  const options = { data, seed: seedOf(given), folds: foldsOf(given) };
  const { bytes, card } = await trainShipped(values.languages === true, options, (line) => output.err(line));
  writeAsked(out, bytes);
  writeAsked(cardFile, card());
  output.out(`${out}: ${bytes.length} bytes`);
  return 0;
}

async function trainShipped(
  languages: boolean,
  options: { data: string; seed: number; folds: number },
  report: (line: string) => void,
): Promise<{ bytes: Uint8Array; card: () => string }> {
  if (!languages) return (await import('../../../train/builtin.js')).trainBuiltin(options, report);
  if (options.folds < 2) throw new CommandUsageError('--languages needs 2 folds at least');
  return (await import('../../../train/languages/builtin.js')).trainBuiltinLanguages(options, report);
}

/** Texts that the tagger of names learns from. */
const NAMED_TEXTS = 200_000;

async function runNames(given: Arguments, output: CommandOutput): Promise<number> {
  const { positionals, values } = given;
  const { data } = values;
  if (positionals.length > 0) throw new CommandUsageError('--names takes no DATA; its folder is --data');
  if (typeof data !== 'string') throw new CommandUsageError('expected --data FOLDER');
  const wrong = ['builtin', 'languages', 'label', 'card', 'folds'].find((name) => values[name] !== undefined);
  if (wrong !== undefined) throw new CommandUsageError(`--names goes without --${wrong}`);
  const out = outOf(values);
  requireWritable([out], []);
  const { trainNames } = await import('../../../train/names/train.js');
  const bytes = trainNames({ data, seed: seedOf(given), texts: NAMED_TEXTS }, (line) => output.err(line));
  writeAsked(out, bytes);
  output.out(`${out}: ${bytes.length} bytes`);
  return 0;
}

async function runOwn(given: Arguments, output: CommandOutput): Promise<number> {
  const { positionals: files, values } = given;
  const byLabels = values.labels === true;
  if (files.length === 0 && !byLabels) throw new CommandUsageError('expected DATA, one file at least, or --labels');
  const stray = byLabels ? undefined : ['policy', 'since', 'team'].find((name) => values[name] !== undefined);
  if (stray !== undefined) throw new CommandUsageError(`--${stray} is for --labels`);
  if (values.data !== undefined || values.card !== undefined || values.languages === true)
    throw new CommandUsageError('--data, --card and --languages are for --builtin');
  const labels = labelsOf(values);
  const out = outOf(values);
  const [seed, folds] = [seedOf(given), foldsOf(given)];
  requireWritable([out, `${out}.md`], files);
  if (byLabels && labels.length > 1)
    throw new CommandUsageError('--labels: expected one --label, which the policy teaches');
  const more = byLabels ? [await labelledOf(given, labels[0]!, output)] : [];
  const { trainOwn } = await import('../../../train/own.js');
  const { ownCard, figureLines } = await import('../../../train/own-card.js');
  const name = labels.join('-');
  const { bytes, figures, hashes } = trainOwn({ files, more, labels, name, seed, folds }, (line) => output.err(line));
  for (const line of figureLines(onlyAll(figures))) output.out(line);
  writeAsked(out, bytes);
  writeAsked(`${out}.md`, ownCard({ name, figures, hashes, seed, folds }));
  output.out(`${out}: ${bytes.length} bytes`);
  return 0;
}

/** Items that people have labelled, as the rows of a file. */
async function labelledOf(given: Arguments, label: string, output: CommandOutput): Promise<NamedData> {
  const { labelledTexts, labelQuestionOf, leftOut } = await import('../../labels/texts.js');
  const question = labelQuestionOf(given);
  const found = await labelledTexts(question, label);
  const left = leftOut(found);
  output.err(`${found.rows.length} labelled texts of "${question.policy}"${left === '' ? '' : `; left out: ${left}`}`);
  return { name: `labels of ${question.policy}`, ...found };
}

const onlyAll = (figures: readonly TrainingFigure[]): TrainingFigure[] =>
  figures.filter(({ source }) => source === 'all');

function labelsOf({ label }: Arguments['values']): string[] {
  if (typeof label !== 'string') throw new CommandUsageError('expected --label NAME');
  const labels = [...new Set(label.split(','))];
  const wrong = labels.find((name) => !NAME.test(name));
  if (wrong !== undefined)
    throw new CommandUsageError('--label: expected names of a-z, 0-9 and "_", that begin with a letter, 64 at most');
  if (labels.length > LANES) throw new CommandUsageError(`--label: expected ${LANES} names at most`);
  return labels;
}

function outOf({ out }: Arguments['values']): string {
  if (typeof out !== 'string' || out === '') throw new CommandUsageError('expected --out FILE');
  return out;
}

const seedOf = (given: Arguments): number => numberOption(given, 'seed', { default: 1, min: 0, max: 2 ** 32 - 1 });
const foldsOf = (given: Arguments): number => numberOption(given, 'folds', { default: 5, min: 1, max: MAX_FOLDS });

/** Training takes minutes, so what could not be written is said before. What is written must be none of the data. */
function requireWritable(paths: readonly string[], data: readonly string[]): void {
  for (const path of paths) {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
      accessSync(found ? path : dirname(path), constants.W_OK);
    } catch (error) {
      throw cannotWrite(path, error);
    }
    const over = data.find((file) => isSameFile(file, path));
    if (over !== undefined) throw new CommandUsageError(`--out: ${path} would be written over ${over}, which is DATA`);
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}
