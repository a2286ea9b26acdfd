/** Prints an evaluation: figures, the confusion table, and the texts that are judged worst. */
import type { LabelledRow } from '../../train/json-lines.js';
import {
  type Evaluation,
  type EvaluationFigure,
  type EvaluationFigures,
  FIGURE_TITLES,
  type FigureName,
  type JudgedText,
} from './figures.js';

/** Longest part of a text that is shown, in characters. */
const MOST_CHARACTERS = 100;

/** A text that was judged otherwise than its label says. */
export interface Mistake {
  /** file and line */
  at: string;
  score?: number;
  /** the beginning */
  text: string;
}

export interface Mistakes {
  /** of the label and not flagged, the lowest scores first */
  misses: readonly Mistake[];
  /** flagged without the label, the highest scores first */
  false_alarms: readonly Mistake[];
}

/** At most `most` of each kind. */
export function mistakesOf(
  rows: readonly Pick<LabelledRow, 'at' | 'text'>[],
  judged: readonly JudgedText[],
  most: number,
): Mistakes {
  const wrong = (value: 0 | 1, flagged: boolean): Mistake[] => {
    const places = judged.flatMap((each, i) => (each.value === value && each.flagged === flagged ? [i] : []));
    const down = flagged ? 1 : -1;
    places.sort((a, b) => down * ((judged[b]!.score ?? 0) - (judged[a]!.score ?? 0)));
    return places.slice(0, most).map((place) => {
      const { score } = judged[place]!;
      const { at, text } = rows[place]!;
      return { at, ...(score === undefined ? {} : { score }), text: clipped(text) };
    });
  };
  return { misses: wrong(1, false), false_alarms: wrong(0, true) };
}

const clipped = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
};

export function figureLines(figures: EvaluationFigures): string[] {
  return rowsOf(figures).map(([title, figure]) => `${title.padEnd(WIDTH)}  ${shown(figure)}`);
}

/** Two that are compared, and their difference. A difference whose interval has no 0 is marked. */
export function comparisonLines(
  before: EvaluationFigures,
  after: EvaluationFigures,
  difference: EvaluationFigures,
): string[] {
  const cells = rowsOf(difference).map(([title, figure, name]) => {
    const { low, high } = figure;
    const sure = low !== null && high !== null && (low > 0 || high < 0);
    return [title, shown(before[name]!), shown(after[name]!), `${shown(figure, true)}${sure ? ' *' : ''}`];
  });
  const all = [['', 'first', 'second', 'difference'], ...cells];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}

export function confusionLines({ confusion: { tp, fp, tn, fn } }: Evaluation): string[] {
  const width = Math.max(11, ...[tp, fp, tn, fn].map((count) => String(count).length));
  const row = (title: string, cells: readonly (string | number)[]): string =>
    [title.padEnd(13), ...cells.map((cell) => String(cell).padStart(width))].join('  ');
  return [row('', ['flagged', 'not flagged']), row('with label', [tp, fn]), row('without label', [fp, tn])];
}

export function mistakeLines({ misses, false_alarms }: Mistakes): string[] {
  const block = (title: string, mistakes: readonly Mistake[]): string[] =>
    mistakes.length === 0 ? [] : ['', title, ...mistakes.map(mistakeLine)];
  return [...block('missed', misses), ...block('false alarms', false_alarms)];
}

const mistakeLine = ({ at, score, text }: Mistake): string =>
  `  ${at}${score === undefined ? '' : `  ${score.toFixed(3)}`}  ${text}`;

const WIDTH = Math.max(...Object.values(FIGURE_TITLES).map((title) => title.length));

const rowsOf = (figures: EvaluationFigures): [title: string, figure: EvaluationFigure, name: FigureName][] =>
  (Object.entries(figures) as [FigureName, EvaluationFigure][]).map(([name, figure]) => [
    FIGURE_TITLES[name],
    figure,
    name,
  ]);

function shown({ value, low, high }: EvaluationFigure, signed = false): string {
  const digits = (number: number | null): string => {
    if (number === null) return '–';
    return `${signed && number > 0 ? '+' : ''}${number.toFixed(3)}`;
  };
  return value === null ? '–' : `${digits(value)} (${digits(low)} to ${digits(high)})`;
}
