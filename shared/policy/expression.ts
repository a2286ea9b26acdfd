/** `detect` compiled: any, all and not over detectors, three-valued. */
import type { Detect } from '../configuration/types.js';
import type { Source } from './types.js';

export const NO = 0;
export const YES = 1;
/** could not run */
export const UNKNOWN = 2;
export type Truth = typeof NO | typeof YES | typeof UNKNOWN;

export type Expression =
  | { kind: 'detector'; detector: number }
  | { kind: 'any' | 'all'; of: readonly Expression[] }
  | { kind: 'not'; of: Expression };

/** A leaf of `detect`. */
export type DetectorParameters = Exclude<Detect, { any: Detect[] } | { all: Detect[] } | { not: Detect }>;

type KeyOf<T> = T extends unknown ? keyof T : never;
/** Word of a detector in `detect`. */
export type DetectorKind = KeyOf<DetectorParameters>;

/** What each detector can look at. What `image_text` holds looks at the text that is read, which is of the image. */
export const DETECTOR_SOURCES: Readonly<Record<DetectorKind, Source>> = {
  terms: 'text',
  regex: 'text',
  pii: 'text',
  secrets: 'text',
  image_hash: 'image',
  image_properties: 'image',
  image_text: 'image',
  onnx: 'image',
};

export function sourceOf(parameters: DetectorParameters): Source {
  return DETECTOR_SOURCES[Object.keys(parameters)[0] as DetectorKind];
}

/** `number` gives a detector its number; equal detectors may share one. */
export function compileExpression(detect: Detect, number: (parameters: DetectorParameters) => number): Expression {
  if ('any' in detect) return { kind: 'any', of: detect.any.map((each) => compileExpression(each, number)) };
  if ('all' in detect) return { kind: 'all', of: detect.all.map((each) => compileExpression(each, number)) };
  if ('not' in detect) return { kind: 'not', of: compileExpression(detect.not, number) };
  return { kind: 'detector', detector: number(detect) };
}

/** Kleene's logic: what could not run decides nothing where the rest already does. */
export function evaluateExpression(expression: Expression, truth: (detector: number) => Truth): Truth {
  switch (expression.kind) {
    case 'detector':
      return truth(expression.detector);
    case 'not': {
      const inner = evaluateExpression(expression.of, truth);
      return inner === UNKNOWN ? UNKNOWN : inner === YES ? NO : YES;
    }
    default: {
      const decisive = expression.kind === 'any' ? YES : NO;
      let result: Truth = decisive === YES ? NO : YES;
      for (const each of expression.of) {
        const value = evaluateExpression(each, truth);
        if (value === decisive) return decisive;
        if (value === UNKNOWN) result = UNKNOWN;
      }
      return result;
    }
  }
}

/** What is decided of every item of a source by its being of that source, whatever is in it. */
type Foregone = 'never' | 'always';

/**
 * What is left of `expression` where only the detectors can look that `looks` names; undefined: nothing, so that there is no
 * verdict. A detector that cannot look never fires. What is foregone by that says nothing of the item: `any` leaves such
 * branches out, and so does `all` with those that always hold (an exclusion such as `not: {image_hash: …}` on a text). But `all`
 * with a branch that never holds asks for what no item of this source can have.
 */
export function narrowed(expression: Expression, looks: (detector: number) => boolean): Expression | undefined {
  const rest = narrow(expression, looks);
  return typeof rest === 'string' ? undefined : rest;
}

/** Whether a policy of this `detect` can look at items of `source`. */
export function canLook(detect: Detect, source: Source): boolean {
  const { expression, sources } = numbered(detect);
  return narrowed(expression, (detector) => sources[detector] === source) !== undefined;
}

/** Whether some detector of it can, whatever comes of its connectives. */
export function hasDetectorFor(detect: Detect, source: Source): boolean {
  return numbered(detect).sources.includes(source);
}

function numbered(detect: Detect): { expression: Expression; sources: Source[] } {
  const sources: Source[] = [];
  const expression = compileExpression(detect, (parameters) => sources.push(sourceOf(parameters)) - 1);
  return { expression, sources };
}

function narrow(expression: Expression, looks: (detector: number) => boolean): Expression | Foregone {
  if (expression.kind === 'detector') return looks(expression.detector) ? expression : 'never';
  if (expression.kind === 'not') {
    const inner = narrow(expression.of, looks);
    if (typeof inner === 'string') return inner === 'never' ? 'always' : 'never';
    return { kind: 'not', of: inner };
  }
  const { kind } = expression;
  const branches = expression.of.map((each) => narrow(each, looks));
  const left = branches.filter((each) => typeof each !== 'string');
  if (kind === 'all' && branches.includes('never')) return 'never';
  if (left.length > 0) return { kind, of: left };
  return branches.includes('always') ? 'always' : 'never';
}

/** Numbers of the detectors in `expression`, each once. */
export function detectorsOf(expression: Expression): number[] {
  const seen = new Set<number>();
  const walk = (each: Expression): void => {
    if (each.kind === 'detector') seen.add(each.detector);
    else if (each.kind === 'not') walk(each.of);
    else each.of.forEach(walk);
  };
  walk(expression);
  return [...seen];
}

/** Largest `context` of the detectors in `detect`. */
export function contextOf(detect: Detect): number {
  if ('any' in detect) return Math.max(0, ...detect.any.map(contextOf));
  if ('all' in detect) return Math.max(0, ...detect.all.map(contextOf));
  if ('not' in detect) return contextOf(detect.not);
  if ('terms' in detect) return detect.terms.context;
  if ('regex' in detect) return detect.regex.context;
  if ('pii' in detect) return detect.pii.context;
  // An image has no earlier texts.
  return 'secrets' in detect ? detect.secrets.context : 0;
}
