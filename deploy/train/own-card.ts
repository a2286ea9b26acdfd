/** The card of a model of one's own, and its figures in lines. */
import type { TrainingFigure } from './figures/figures.js';

export interface OwnCard {
  name: string;
  figures: readonly TrainingFigure[];
  hashes: Record<string, string>;
  seed: number;
  folds: number;
}

export function ownCard({ name, figures, hashes, seed, folds }: OwnCard): string {
  return [
    `# Model card: ${name}`,
    '',
    `Trained by \`weir train\` with the seed ${seed}. Figures are of texts that were held out (${heldOut(folds)}), at the threshold in the file. Brackets`,
    'have 95 % intervals.',
    '',
    '| Label | Texts | With / without | AUROC | Macro-F1 | Recall | False positives |',
    '|---|---|---|---|---|---|---|',
    ...figures.map((figure) => `| ${cellsOf(figure).join(' | ')} |`),
    '',
    '| Data | SHA-256 |',
    '|---|---|',
    ...Object.entries(hashes).map(([file, sha256]) => `| ${file} | \`${sha256}\` |`),
    '',
  ].join('\n');
}

/** What was held out to measure. */
export const heldOut = (folds: number): string => (folds === 1 ? 'a sixth was held out' : `${folds} folds`);

/** One line a figure, for a terminal. */
export function figureLines(figures: readonly TrainingFigure[]): string[] {
  return figures.map((figure) => {
    const [label, , counts, auroc, f1, recall, falsePositives] = cellsOf(figure);
    return `${label}: ${counts} texts, AUROC ${auroc}, macro-F1 ${f1}, recall ${recall}, false positives ${falsePositives}`;
  });
}

/** The cells of a row of figures. */
export function cellsOf({
  label,
  source,
  positives,
  negatives,
  auroc,
  macroF1,
  recall,
  falsePositives,
}: TrainingFigure): string[] {
  const interval = (figure: TrainingFigure['auroc']): string =>
    figure ? `${figure[0].toFixed(3)} (${figure[1].toFixed(3)}–${figure[2].toFixed(3)})` : '–';
  const percent = (share: number | undefined): string => (share === undefined ? '–' : `${(share * 100).toFixed(1)} %`);
  return [
    label,
    source,
    `${positives} / ${negatives}`,
    interval(auroc),
    interval(macroF1),
    percent(recall),
    percent(falsePositives),
  ];
}
