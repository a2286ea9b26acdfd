/** Figures of the models of other languages: of what was held out, of ordinary texts that only measure, and of the audit. */
import { LABELS, type LanguageLabel, readLanguages } from '../../../shared/policy/models/languages/format.js';
import { whichLanguage } from '../../../shared/policy/models/languages/which.js';
import { auroc, intervalOf } from '../figures/measure.js';
import { readAudit, SIDES } from './audit.js';
import { LANGUAGES } from './list.js';
import { distancesOf, pagesOf, withinOf } from './rise.js';
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
  ordinary: { label: LanguageLabel; sentence: Share; message: Share; document: Share; word: Share }[];
  /** false alarms of pages of such texts, and what of the audit is found alone and within such a page */
  pages: { label: LanguageLabel; alarms: Share; alone: Share; within: Share }[];
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

const MADE = new Set(['hate', 'abuse', 'profane', 'innocent', 'order', 'attack', 'request', 'manual']);

export function languageFigures(trained: TrainedLanguages): LanguageFigures[] {
  const model = readLanguages(trained.bytes);
  const { header } = model;
  return LANGUAGES.map(({ code, name, labels }, language) => {
    const known = labels.filter((label) => model.header.languages[language]!.labels[label]);
    const heldOf = (label: LanguageLabel, is: (source: string) => boolean): Scored[] =>
      trained.held[LABELS.indexOf(label)]!.filter((one) => one.language === language && is(one.source)).map(
        ({ distance, value }) => ({ score: distance, value }),
      );
    const audit = readAudit(code);
    const kept = trained.examples.filter((one) => one.language === language && isKept(one));
    const reaches = (label: LanguageLabel, text: string): boolean =>
      distancesOf(model, language, text)[LABELS.indexOf(label)]! >= 0;
    const shareOf = (label: LanguageLabel, texts: readonly string[]): Share => [
      texts.filter((text) => reaches(label, text)).length,
      texts.length,
    ];
    const pages = pagesOf(kept, 'measures', header.seed).map(({ text }) => text);
    const ordinary = (label: LanguageLabel, source: string): Share => {
      const texts = kept.filter((one) => one.source === source).map(({ text }) => text);
      return shareOf(label, texts);
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
          const score = distancesOf(model, language, text)[LABELS.indexOf(label)]!;
          return [{ score, value: found.includes(kind) ? 1 : 0 }];
        });
        return figureOf(label, scored);
      }),
      ordinary: known.map((label) => ({
        label,
        sentence: ordinary(label, 'sentence'),
        message: ordinary(label, 'message'),
        document: ordinary(label, 'document'),
        word: ordinary(label, 'word'),
      })),
      pages: known.map((label) => {
        const sentences = audit.filter(({ kind }) => SIDES[label][0].includes(kind)).map(({ text }) => text);
        return {
          label,
          alarms: shareOf(label, pages),
          alone: shareOf(label, sentences),
          within: shareOf(label, withinOf(sentences, kept, header.seed)),
        };
      }),
      told: [audit.filter(({ text }) => whichLanguage(text, () => model).entry?.code === code).length, audit.length],
    };
  });
}
