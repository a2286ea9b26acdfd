/** Curves of classifiers as SVG: the ROC curve and precision over recall, side by side. */
import type { ThresholdStep } from '../../train/figures/measure.js';

export interface Curve {
  name: string;
  steps: readonly ThresholdStep[];
}

/** Pixels of a square of a curve, and between squares. */
const SIDE = 320;
const GAP = 70;
const TOP = 40;
/** Points of a curve that are drawn at most; more cannot be seen. */
const MOST_POINTS = 500;
const COLOURS = ['#1f5fa8', '#c2571a'];

type Point = readonly [x: number, y: number];

/** All values of an axis are from 0 to 1. */
interface Square {
  title: string;
  x: string;
  y: string;
  points(steps: readonly ThresholdStep[]): Point[];
}

const SQUARES: readonly Square[] = [
  { title: 'ROC', x: 'false positives', y: 'recall', points: rocPoints },
  { title: 'Precision over recall', x: 'recall', y: 'precision', points: precisionPoints },
];

function rocPoints(steps: readonly ThresholdStep[]): Point[] {
  const { tp, fp } = steps.at(-1)!;
  return [[0, 0], ...steps.map((step): Point => [step.fp / fp, step.tp / tp])];
}

function precisionPoints(steps: readonly ThresholdStep[]): Point[] {
  const { tp } = steps.at(-1)!;
  return steps.map((step): Point => [step.tp / tp, step.tp / (step.tp + step.fp)]);
}

/** `curves`: one, or two that are compared; each of texts of both sides. */
export function svgOf(curves: readonly Curve[]): string {
  const width = GAP + SQUARES.length * (SIDE + GAP);
  const height = TOP + SIDE + GAP + 20 * curves.length;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
  ];
  for (const [i, square] of SQUARES.entries()) lines.push(...squareLines(square, GAP + i * (SIDE + GAP), curves));
  for (const [i, { name }] of curves.entries()) {
    const y = TOP + SIDE + 60 + 20 * i;
    lines.push(`<rect x="${GAP}" y="${y - 9}" width="18" height="9" fill="${COLOURS[i]}"/>`);
    lines.push(`<text x="${GAP + 26}" y="${y}">${escaped(name)}</text>`);
  }
  return [...lines, '</svg>', ''].join('\n');
}

function squareLines({ title, x, y, points }: Square, left: number, curves: readonly Curve[]): string[] {
  const at = ([across, up]: Point): string =>
    `${(left + across * SIDE).toFixed(1)},${(TOP + (1 - up) * SIDE).toFixed(1)}`;
  const middle = left + SIDE / 2;
  const lines = [
    `<text x="${middle}" y="${TOP - 14}" text-anchor="middle" font-weight="bold">${title}</text>`,
    `<rect x="${left}" y="${TOP}" width="${SIDE}" height="${SIDE}" fill="none" stroke="#888"/>`,
    `<text x="${middle}" y="${TOP + SIDE + 34}" text-anchor="middle">${x}</text>`,
    `<text transform="translate(${left - 36} ${TOP + SIDE / 2}) rotate(-90)" text-anchor="middle">${y}</text>`,
  ];
  for (const tick of [0, 0.5, 1]) {
    lines.push(`<text x="${left + tick * SIDE}" y="${TOP + SIDE + 16}" text-anchor="middle">${tick}</text>`);
    lines.push(`<text x="${left - 8}" y="${TOP + (1 - tick) * SIDE + 4}" text-anchor="end">${tick}</text>`);
  }
  for (const [i, { steps }] of curves.entries()) {
    const line = thinned(points(steps)).map(at).join(' ');
    lines.push(`<polyline points="${line}" fill="none" stroke="${COLOURS[i]}" stroke-width="1.5"/>`);
  }
  return lines;
}

/** The first, the last, and points between them at even steps. */
function thinned(points: readonly Point[]): Point[] {
  const step = Math.max(1, points.length / MOST_POINTS);
  const kept: Point[] = [];
  for (let i = 0; i < points.length - 1; i += step) kept.push(points[Math.floor(i)]!);
  return [...kept, ...points.slice(-1)];
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
