/** `detect` compiled: any, all and not over detectors, three-valued. */
import type { Detect } from './configuration-types.js';

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
