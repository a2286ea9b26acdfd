import { setImmediate as yieldNow } from 'node:timers/promises';
import type { Drawing } from '../../../train/figures/measure.js';
import type { LabelledRow } from '../../../train/json-lines.js';
import {
  type Arguments,
  type Command,
  type CommandOutput,
  CommandUsageError,
  optionsOf,
  writeAsked,
} from '../../command.js';
import { readConfigurationFile } from '../../configuration/file.js';
import type { Evaluation, JudgedText } from '../../evaluation/figures.js';
import type { Judge, TextJudgement } from '../../evaluation/judge.js';
import { numberOption, textOption } from '../../options.js';
import { createProgress } from '../../progress.js';

const MAX_DRAWS = 100_000;
const MAX_EXAMPLES = 1000;
/** Texts between looks at the clock. */
const STRIDE = 64;

/** Figures on labelled texts. What judges is loaded when the command runs, so that no other command pays for it. */
export const evaluate: Command = {
  usage: `weir eval DATA --config FILE --policy NAME [--compare OTHER.yaml] [options]
weir eval DATA --detector DETECTOR [--compare DETECTOR] [options]
weir eval --labels --config FILE --policy NAME [--since TIME] [--team ID] [--compare OTHER.yaml] [options]

  --config FILE        the configuration that has the policy
  --policy NAME        name or id of the policy
  --detector DETECTOR  as "detect" has it, such as injection or 'classifier: {label: hate}'
  --compare OTHER      the same policy in another configuration, or another detector, on the same texts
  --label NAME         the label that the texts should be flagged for [the only one in DATA]
  --svg FILE           write the ROC curve and precision over recall
  --examples N         texts of each kind of mistake that are shown, to ${MAX_EXAMPLES} [5]
  --draws N            samples that intervals are drawn from, 100 to ${MAX_DRAWS} [1000]
  --seed N             of the samples; the same seed gives the same intervals [1]
  --json               print JSON
  --labels             in place of DATA the items that people have labelled (POST /api/label), whose content is stored
  --since TIME         with --labels: items that came since: such as 24h, 30d, or a time [365d]
  --team ID            with --labels: items of this team

DATA is a file of JSON lines as weir train reads it, also packed (.gz). Each line has a text, and 0 or 1 for its labels:

  {"text": "Win a free phone now", "labels": {"spam": 1}}

Lines without the label are left out, and counted. Prints precision, recall and F1 with 95 % intervals (bootstrap), and the confusion
table. Detectors with a score (injection, classifier) also have AUROC, AUPRC, the recall at 1 % false positives, and curves.

With --labels a text should be flagged if its label is true_alarm or missed, and not if it is false_alarm. Items of which as many reviewers say the
one as the other are left out. What the policy has flagged is labelled most, so recall is that of labelled items alone.

Wrong data: prints the file and the line, and what was expected. The exit code is 1.`,
  options: optionsOf({
    texts: 'config policy detector compare label svg examples draws seed since team',
    flags: 'json labels',
  }),
  async run(given, output) {
    const [data, ...more] = given.positionals;
    const byLabels = given.values.labels === true;
    if (more.length > 0 || (data === undefined) !== byLabels)
      throw new CommandUsageError(byLabels ? '--labels takes no DATA' : 'expected one file DATA');
    if (byLabels && textOption(given, 'label') !== undefined) throw new CommandUsageError('--labels needs no --label');
    const drawing: Drawing = {
      draws: numberOption(given, 'draws', { default: 1000, min: 100, max: MAX_DRAWS }),
      seed: numberOption(given, 'seed', { default: 1, min: 0, max: 2 ** 32 - 1 }),
    };
    const examples = numberOption(given, 'examples', { default: 5, min: 0, max: MAX_EXAMPLES });
    const judges = await judgesOf(given, output);
    if (!judges) return 1;
    const { label, rows, unlabelled } =
      data === undefined ? await readLabelled(given, output) : await readData(data, textOption(given, 'label'));
    const kept = await judgeAll(judges, { label, rows, output });
    return await report(judges, { ...kept, label, unlabelled, drawing, examples, given, output });
  },
};

/** The one that is asked about, and the one that it is compared with; undefined after printing what is wrong with a file. */
async function judgesOf(given: Arguments, output: CommandOutput): Promise<readonly [Judge, Judge?] | undefined> {
  const [config, policy, detector, compare] = (['config', 'policy', 'detector', 'compare'] as const).map((name) =>
    textOption(given, name),
  );
  if ((policy === undefined) === (detector === undefined))
    throw new CommandUsageError('expected --policy or --detector');
  const { judgeOfDetector, judgeOfPolicy } = await import('../../evaluation/judge.js');
  if (detector !== undefined) {
    if (config !== undefined) throw new CommandUsageError('--detector needs no --config');
    const one = judgeOfDetector(detector, '--detector');
    return compare === undefined ? [one] : [one, judgeOfDetector(compare, '--compare')];
  }
  if (config === undefined)
    throw new CommandUsageError('expected --config FILE, the configuration that has the policy');
  const reads = [config, ...(compare === undefined ? [] : [compare])].map((file) => {
    const read = readConfigurationFile(file, output);
    return read && { file, judge: judgeOfPolicy(read, policy!) };
  });
  const [one, other] = reads;
  if (!one || (compare !== undefined && !other)) return undefined;
  if (!other) return [one.judge];
  return [named(one), named(other)];
}

const named = ({ file, judge }: { file: string; judge: Judge }): Judge => ({
  ...judge,
  name: `${judge.name} (${file})`,
});

type Labelled = LabelledRow & { value: 0 | 1 };

async function readData(
  file: string,
  asked: string | undefined,
): Promise<{ label: string; rows: Labelled[]; unlabelled: number }> {
  const { readJsonLines } = await import('../../../train/json-lines.js');
  const { rows } = readJsonLines(file);
  const names = [...new Set(rows.flatMap(({ labels }) => Object.keys(labels)))].sort();
  const label = asked ?? names[0];
  if (label === undefined) throw new Error(`${file}: expected labels, found none`);
  if (asked === undefined && names.length > 1)
    throw new CommandUsageError(`expected --label, one of ${names.join(', ')}`);
  const labelled = rows.flatMap((row): Labelled[] => {
    if (!Object.hasOwn(row.labels, label)) return [];
    const value = row.labels[label];
    if (value !== 0 && value !== 1) throw new Error(`${row.at}: "labels.${label}": expected 0 or 1`);
    return [{ ...row, value }];
  });
  if (labelled.length === 0)
    throw new Error(`${file}: no line has the label "${label}"; expected one of ${names.join(', ')}`);
  return { label, rows: labelled, unlabelled: rows.length - labelled.length };
}

/** Items that people have labelled, as texts. */
async function readLabelled(given: Arguments, output: CommandOutput): ReturnType<typeof readData> {
  const { labelledTexts, labelQuestionOf, leftOut } = await import('../../labels/texts.js');
  const question = labelQuestionOf(given);
  const found = await labelledTexts(question, question.policy);
  const left = leftOut(found);
  if (left !== '') output.err(`left out of the labels: ${left}`);
  const rows = found.rows.map((row): Labelled => ({ ...row, value: row.labels[question.policy] === 1 ? 1 : 0 }));
  return { label: question.policy, rows, unlabelled: 0 };
}

interface KeptTexts {
  /** texts that all could judge */
  rows: readonly Labelled[];
  /** by judge */
  judged: readonly JudgedText[][];
  /** texts that one could not judge */
  notEvaluated: number;
  /** µs a text, of each */
  microseconds: readonly number[];
}

async function judgeAll(
  judges: readonly [Judge, Judge?],
  { label, rows, output }: { label: string; rows: readonly Labelled[]; output: CommandOutput },
): Promise<KeptTexts> {
  const all = judges.filter((judge) => judge !== undefined);
  const progress = createProgress(output, { what: 'texts' });
  const said: TextJudgement[][] = [];
  const microseconds: number[] = [];
  for (const { judge } of all) {
    const began = performance.now();
    const answers: TextJudgement[] = [];
    for (const [i, { text }] of rows.entries()) {
      answers.push(judge(text));
      if (i % STRIDE === 0 && progress.due()) {
        progress.say(said.length * rows.length + i, rows.length * all.length);
        await yieldNow();
      }
    }
    microseconds.push(((performance.now() - began) * 1000) / rows.length);
    said.push(answers);
  }
  const places = rows.flatMap((_, i) => (said.every((answers) => answers[i] !== undefined) ? [i] : []));
  if (places.length === 0) throw new Error(`none of the ${rows.length} texts with "${label}" could be evaluated`);
  return {
    rows: places.map((place) => rows[place]!),
    judged: said.map((answers) => places.map((place) => ({ value: rows[place]!.value, ...answers[place]! }))),
    notEvaluated: rows.length - places.length,
    microseconds,
  };
}

interface Reporting extends KeptTexts {
  label: string;
  unlabelled: number;
  drawing: Drawing;
  examples: number;
  given: Arguments;
  output: CommandOutput;
}

async function report(judges: readonly [Judge, Judge?], of: Reporting): Promise<number> {
  const { differenceOf, evaluationOf } = await import('../../evaluation/figures.js');
  const { mistakesOf } = await import('../../evaluation/report.js');
  const { rows, judged, label, unlabelled, notEvaluated, drawing, given, output } = of;
  const all = judges.filter((judge) => judge !== undefined);
  const progress = createProgress(output, { what: 'samples' });
  const told = (of: Drawing, before: number): Drawing => ({
    ...of,
    onDraw(draw) {
      if (progress.due()) progress.say(before * of.draws + draw, of.draws * (all.length > 1 ? 3 : 1));
    },
  });
  const evaluated = all.map(({ name }, i) => ({
    name,
    evaluation: evaluationOf(judged[i]!, told(drawing, i)),
    mistakes: mistakesOf(rows, judged[i]!, of.examples),
    microseconds: Number(of.microseconds[i]!.toFixed(2)),
  }));
  const difference = all.length > 1 ? differenceOf(judged[0]!, judged[1]!, told(drawing, 2)) : undefined;
  const positives = judged[0]!.filter(({ value }) => value === 1).length;
  const texts = { texts: rows.length, positives, negatives: rows.length - positives };
  const counts = { label, ...texts, unlabelled, not_evaluated: notEvaluated };
  const svg = textOption(given, 'svg');
  if (svg !== undefined) await writeCurves(svg, evaluated, positives === 0 || positives === rows.length);
  if (given.values.json === true) {
    const results = evaluated.map(({ name, evaluation: { confusion, figures }, mistakes, microseconds }) => {
      return { name, confusion, figures, ...mistakes, microseconds };
    });
    output.out(JSON.stringify({ ...counts, ...drawing, results, ...(difference && { difference }) }));
    return 0;
  }
  await print(evaluated, { counts, difference, output });
  return 0;
}

interface Evaluated {
  name: string;
  evaluation: Evaluation;
  mistakes: import('../../evaluation/report.js').Mistakes;
  microseconds: number;
}

async function print(
  evaluated: readonly Evaluated[],
  {
    counts,
    difference,
    output,
  }: {
    counts: { label: string; texts: number; positives: number; unlabelled: number; not_evaluated: number };
    difference: Evaluation['figures'] | undefined;
    output: CommandOutput;
  },
): Promise<void> {
  const { comparisonLines, confusionLines, figureLines, mistakeLines } = await import('../../evaluation/report.js');
  const { label, texts, positives, unlabelled, not_evaluated } = counts;
  const left = [
    ...(unlabelled > 0 ? [`${unlabelled} without the label`] : []),
    ...(not_evaluated > 0 ? [`${not_evaluated} could not be evaluated`] : []),
  ];
  output.out(`${texts} texts, ${positives} with "${label}"${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}`);
  for (const { name, evaluation, mistakes, microseconds } of evaluated) {
    output.out('');
    output.out(`${name}  ${microseconds.toFixed(1)} µs a text`);
    if (!difference) for (const line of figureLines(evaluation.figures)) output.out(`  ${line}`);
    for (const line of ['', ...confusionLines(evaluation), ...mistakeLines(mistakes)]) output.out(line && `  ${line}`);
  }
  if (!difference) return;
  const [one, other] = evaluated as [Evaluated, Evaluated];
  output.out('');
  const lines = comparisonLines(one.evaluation.figures, other.evaluation.figures, difference);
  for (const line of lines) output.out(line);
  if (lines.some((line) => line.endsWith('*'))) output.out('* the 95 % interval of the difference has no 0');
}

async function writeCurves(file: string, evaluated: readonly Evaluated[], oneSided: boolean): Promise<void> {
  const curves = evaluated.flatMap(({ name, evaluation: { steps } }) => (steps ? [{ name, steps }] : []));
  if (curves.length === 0)
    throw new CommandUsageError('--svg: a policy has no score, and so no curve; expected --detector with one that has');
  if (oneSided) throw new Error('--svg: a curve needs texts with the label and without it');
  const { svgOf } = await import('../../evaluation/curve-svg.js');
  writeAsked(file, svgOf(curves));
}
