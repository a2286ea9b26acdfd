/** Figures of the models of other languages: of what was held out, of ordinary texts that only measure, and of the audit. */
import {
  LABELS,
  type LanguageLabel,
  type LanguagesModel,
  readLanguages,
} from '../../../shared/policy/models/languages/format.js';
import { scoreLanguage } from '../../../shared/policy/models/languages/score.js';
import { whichLanguage } from '../../../shared/policy/models/languages/which.js';
import { auroc, intervalOf } from '../figures/measure.js';
import { readAudit, SIDES } from './audit.js';
import { LANGUAGES } from './list.js';
import { isKept, type TrainedLanguages } from './train.js';

export type Share = readonly [hits: number, of: number];

/** Of texts of a kind: how well they are told apart, and those that reach the default threshold. */
export interface LanguageFigure {
  label: LanguageLabel;
  /** absent: one side has too few */
  auroc?: readonly [value: number, low: number, high: number];
  found: Share;
  alarms: Share;
}

export interface LanguageFigures {
  code: string;
  name: string;
  comments: LanguageFigure[];
  phrases: LanguageFigure[];
  audit: LanguageFigure[];
  /** false alarms of ordinary texts that nothing was learned from, by label and kind */
  ordinary: { label: LanguageLabel; sentence: Share; message: Share; word: Share }[];
  /** sentences of the audit whose language is told */
  told: Share;
}

interface Scored {
  score: number;
  value: 0 | 1;
}

/** Texts of a side that a rank needs, and that an interval is drawn from at most. */
const LEAST = 10;
const MOST_DRAWN = 1000;

function figureOf(label: LanguageLabel, scored: readonly Scored[]): LanguageFigure {
  const [positive, negative] = [1, 0].map((side) => scored.filter(({ value }) => value === side)) as [
    Scored[],
    Scored[],
  ];
  const reached = (texts: readonly Scored[]): Share => [texts.filter(({ score }) => score >= 0).length, texts.length];
  const sample =
    scored.length <= MOST_DRAWN ? scored : scored.filter((_, i) => i % Math.ceil(scored.length / MOST_DRAWN) === 0);
  const both = positive.length >= LEAST && negative.length >= LEAST;
  return {
    label,
    ...(both && { auroc: [auroc(scored), ...intervalOf(sample, (drawn) => auroc(drawn))] as const }),
    found: reached(positive),
    alarms: reached(negative),
  };
}

const MADE = new Set(['hate', 'abuse', 'profane', 'innocent', 'attack', 'request']);

export function languageFigures(trained: TrainedLanguages): LanguageFigures[] {
  const model = readLanguages(trained.bytes);
  return LANGUAGES.map(({ code, name, labels }, language) => {
    const known = labels.filter((label) => model.header.languages[language]!.labels[label]);
    const heldOf = (label: LanguageLabel, is: (source: string) => boolean): Scored[] =>
      trained.held[LABELS.indexOf(label)]!.filter((one) => one.language === language && is(one.source)).map(
        ({ distance, value }) => ({ score: distance, value }),
      );
    const audit = readAudit(code);
    const ordinary = (label: LanguageLabel, source: string): Share => {
      const texts = trained.examples.filter((one) => one.language === language && one.source === source && isKept(one));
      return [texts.filter(({ text }) => distanceOf(model, code, label, text) >= 0).length, texts.length];
    };
    return {
      code,
      name,
      comments: known.map((label) =>
        figureOf(
          label,
          heldOf(label, (source) => source === 'comment'),
        ),
      ),
      phrases: known.map((label) =>
        figureOf(
          label,
          heldOf(label, (source) => MADE.has(source)),
        ),
      ),
      audit: known.map((label) => {
        const [found, quiet] = SIDES[label];
        const scored = audit.flatMap(({ kind, text }): Scored[] => {
          if (!found.includes(kind) && !quiet.includes(kind)) return [];
          const score = distanceOf(model, code, label, text);
          return [{ score, value: found.includes(kind) ? 1 : 0 }];
        });
        return figureOf(label, scored);
      }),
      ordinary: known.map((label) => ({
        label,
        sentence: ordinary(label, 'sentence'),
        message: ordinary(label, 'message'),
        word: ordinary(label, 'word'),
      })),
      told: [audit.filter(({ text }) => whichLanguage(text, () => model).entry?.code === code).length, audit.length],
    };
  });
}

/** The distance of a text to the default threshold by the model of the language. */
function distanceOf(model: LanguagesModel, code: string, label: LanguageLabel, text: string): number {
  const entry = model.header.languages.find((each) => each.code === code)!;
  const steps = scoreLanguage(model, entry, text);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value[LABELS.indexOf(label)]!;
}
