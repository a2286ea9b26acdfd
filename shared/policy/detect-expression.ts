/** `detect`: any, all, not and escalate over detectors. Compiled, the detectors are numbers, and the logic is three-valued. */

export type DetectTree<Leaf> =
  | { any: DetectTree<Leaf>[] }
  | { all: DetectTree<Leaf>[] }
  | { not: DetectTree<Leaf> }
  | { escalate: Escalation<Leaf> }
  | Leaf;

/** A cheap detector decides what it is sure of, and leaves the rest to another one. */
export interface Escalation<Leaf> {
  /** gives scores; has no threshold of its own */
  from: Leaf;
  /** it fires by itself from this score on */
  below: number;
  /** with a smaller score it does not fire, and the other is not asked */
  above: number;
  to: Leaf;
}

export const NO = 0;
export const YES = 1;
/** could not run */
export const UNKNOWN = 2;
export type Truth = typeof NO | typeof YES | typeof UNKNOWN;

export type Expression =
  | { kind: 'detector'; detector: number }
  | { kind: 'any' | 'all'; of: readonly Expression[] }
  | { kind: 'not'; of: Expression };

/**
 * Compiles `tree`. `number` gives a leaf its number; equal leaves may share one. Connectives are told from leaves by their key, and no
 * detector has the name of one.
 */
export function compileExpression<Leaf extends object>(
  tree: DetectTree<Leaf>,
  number: (leaf: Leaf) => number,
): Expression {
  const { any, all, not, escalate } = tree as {
    any?: DetectTree<Leaf>[];
    all?: DetectTree<Leaf>[];
    not?: DetectTree<Leaf>;
    escalate?: Escalation<Leaf>;
  };
  const compile = (each: DetectTree<Leaf>): Expression => compileExpression(each, number);
  if (any) return { kind: 'any', of: any.map(compile) };
  if (all) return { kind: 'all', of: all.map(compile) };
  if (not) return { kind: 'not', of: compile(not) };
  if (escalate) return compile(bandOf(escalate));
  return { kind: 'detector', detector: number(tree as Leaf) };
}

/** A score band is a composition of what there is: both thresholds of one detector share its look. */
function bandOf<Leaf extends object>({ from, below, above, to }: Escalation<Leaf>): DetectTree<Leaf> {
  const [[name, parameters]] = Object.entries(from) as [[string, object]];
  const at = (threshold: number): Leaf => ({ [name]: { ...parameters, threshold } }) as Leaf;
  return { any: [at(below), { all: [at(above), to] }] };
}

/** The leaves of `tree`, in order; the numbers of their expression are their places. */
export function leavesOf<Leaf extends object>(tree: DetectTree<Leaf>): { expression: Expression; leaves: Leaf[] } {
  const leaves: Leaf[] = [];
  const expression = compileExpression(tree, (leaf: Leaf) => leaves.push(leaf) - 1);
  return { expression, leaves };
}

/** Largest `context` of the detectors in `tree`; 0 for those that have none, as an image has no earlier texts. */
export function contextOf(tree: DetectTree<object>): number {
  const contexts = leavesOf(tree).leaves.map((leaf) => {
    const [parameters] = Object.values(leaf) as { context?: number }[];
    return parameters?.context ?? 0;
  });
  return Math.max(0, ...contexts);
}

/** Kleene's logic: a detector that could not run leaves the result open, unless the others decide it. */
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

/** Numbers of detectors, among those that `may`, whose answer may still decide `expression`, which is unknown; in order, each once. */
export function openIn(
  expression: Expression,
  truth: (detector: number) => Truth,
  may: (detector: number) => boolean,
): number[] {
  const best = (wanted: typeof YES | typeof NO): Truth => atBest(expression, wanted, truth, may);
  if (best(YES) !== YES && best(NO) !== NO) return [];
  const open = new Set<number>();
  const walk = (each: Expression): void => {
    // What is decided stays so, whatever is answered.
    if (evaluateExpression(each, truth) !== UNKNOWN) return;
    if (each.kind === 'not') walk(each.of);
    else if (each.kind !== 'detector') each.of.forEach(walk);
    else if (may(each.detector)) open.add(each.detector);
  };
  walk(expression);
  return [...open];
}

/** The value of `expression` where each answer that may come is the one that helps it to be `wanted`. */
function atBest(
  expression: Expression,
  wanted: typeof YES | typeof NO,
  truth: (detector: number) => Truth,
  may: (detector: number) => boolean,
): Truth {
  const { kind } = expression;
  if (kind === 'detector') {
    const known = truth(expression.detector);
    return known === UNKNOWN && may(expression.detector) ? wanted : known;
  }
  const other = wanted === YES ? NO : YES;
  const inner = (each: Expression): Truth => atBest(each, kind === 'not' ? other : wanted, truth, may);
  if (kind === 'not') {
    const value = inner(expression.of);
    return value === UNKNOWN ? UNKNOWN : value === YES ? NO : YES;
  }
  const values = expression.of.map(inner);
  const decisive = kind === 'any' ? YES : NO;
  if (values.includes(decisive)) return decisive;
  return values.includes(UNKNOWN) ? UNKNOWN : decisive === YES ? NO : YES;
}

/** What the source of an item decides already, whatever is in the item. */
type Foregone = 'never' | 'always';

/**
 * What is left of `expression` where only the detectors can look that `looks` names; undefined: nothing, so there is no verdict.
 *
 * A detector that cannot look never fires. Branches that this decides say nothing of the item, and are left out: of `any` all of
 * them, of `all` those that always hold, such as `not` over a detector of images, on a text. An `all` with a branch that never holds is
 * left out itself: no item of this source can fulfil it.
 */
export function narrowed(expression: Expression, looks: (detector: number) => boolean): Expression | undefined {
  const rest = narrow(expression, looks);
  return typeof rest === 'string' ? undefined : rest;
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
