/**
 * What conditions may cost. CEL always ends, but it may take long: `metadata.roles.exists(r, r in metadata.allowed)` takes the product
 * of two lists that a caller sends. So operations whose cost grows with their operands are counted before they run, and none runs
 * beyond the steps of an event. Steps are counted, not time, so the outcome is a function of the event.
 *
 * The evaluator of CEL has no such limit. Each node of its tree has a function `handle`, which takes the values of its operands. The
 * count is put there. A node without `handle`, which another version of the library may make, is refused.
 */
import type { ASTNode } from '@marcbachmann/cel-js';

/** Steps that the conditions of an environment may take together over one event. A step is about 25 ns, so this is 5 ms. */
export const MAX_CONDITION_STEPS = 200_000;

/** Steps that are left to the conditions of an event; below 0: there were too few. */
export interface ConditionSteps {
  left: number;
}

let current: ConditionSteps = { left: 0 };

/** From now on, steps are taken from `steps`. One condition runs at a time. */
export function countOn(steps: ConditionSteps): void {
  current = steps;
}

// One error for all. A quantifier takes an error for an element that fails and goes on, so it may be raised very often.
const EXHAUSTED = new RangeError('the condition takes too many steps');

function spend(count: number): void {
  current.left -= count;
  if (current.left < 0) throw EXHAUSTED;
}

/** Characters that one step compares, copies, or reads one by one. */
const [COMPARED, COPIED, READ] = [256, 16, 4];
/** Steps for an element that a comprehension goes over. An element on which its body fails costs about four times as much. */
const ITERATION = 20;
/** Steps for a key of a map whose keys are counted. */
const KEY = 16;
/** Steps for an operation whose cost does not depend on its operands. */
const PLAIN = 1;
/** Steps to look a time zone up. */
const TIME_ZONE = 2000;

type Handle = (a: unknown, b: unknown, c: unknown, d: unknown) => unknown;
/** A node of the tree as the evaluator has it. The type of the library has only what the parser makes. */
interface ConditionNode {
  op: string;
  args: unknown;
  meta: { alternate?: unknown; macro?: object };
  handle?: Handle;
}

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Makes every node of the tree count its steps. Throws where that is impossible. */
export function countSteps(root: ASTNode): void {
  const seen = new Set<unknown>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) value.forEach(walk);
    else if (isNode(value)) for (const part of partsOf(value)) walk(part);
  };
  walk(root);
}

/** Makes the node itself count, and returns the nodes that it evaluates. */
function partsOf(node: ConditionNode): unknown[] {
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) return [alternate];
  // `has` and `cel.bind` cost nothing themselves, only their operands do.
  if (macro !== undefined) return Object.values(macro);
  const cost = costOf(node);
  if (cost) count(node, cost);
  if (node.op !== 'comprehension') return [node.args];
  stopSoon(node.args as Comprehension);
  return Object.values(node.args as object);
}

interface Comprehension {
  /** asked before each element whether to go on; may be absent where an element that fails ends the comprehension */
  condition?: unknown;
  errorsAreFatal: boolean;
}

/** Makes a quantifier end with the steps. It ignores the error of an element, so it would go on to the last one. */
function stopSoon(comprehension: Comprehension): void {
  const { condition, errorsAreFatal } = comprehension;
  if (errorsAreFatal) return;
  if (typeof condition !== 'function') throw new Error('a quantifier cannot be stopped');
  comprehension.condition = (result: unknown): unknown => {
    spend(0);
    return condition(result);
  };
}

function isNode(value: object): value is ConditionNode {
  return 'op' in value && 'args' in value && 'meta' in value;
}

function count(node: ConditionNode, cost: (a: unknown, b: unknown) => void): void {
  const { handle } = node;
  // This refuses the condition, and with it the configuration.
  if (typeof handle !== 'function') throw new Error(`the steps of "${node.op}" cannot be counted`);
  node.handle = (a, b, c, d) => {
    cost(a, b);
    return handle(a, b, c, d);
  };
}

function costOf({ op, args }: ConditionNode): ((a: unknown, b: unknown) => void) | undefined {
  if (op === 'in') return spendOnMembership;
  if (op === '+') return (a, b) => spend(PLAIN + sizeOf(a, COPIED) + sizeOf(b, COPIED));
  if (COMPARISONS.has(op)) return spendOnComparison;
  if (op === 'comprehension') return (items) => spend(ITERATION * (1 + sizeOf(items, 1)));
  if (op !== 'call' && op !== 'rcall') return undefined;
  const [name] = args as [string];
  return (given) => spend(PLAIN + stepsOfCall(name, given as readonly unknown[]));
}

/** Characters of a string divided by `perStep`, elements of a list, keys of a map. */
function sizeOf(value: unknown, perStep: number): number {
  if (typeof value === 'string') return value.length / perStep;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.length / perStep;
  return value instanceof Map ? value.size : Object.keys(value).length;
}

/** A comparison ends at the first difference, so it costs at most what the smaller operand does. */
function spendOnComparison(a: unknown, b: unknown): void {
  if (typeof a === 'string' && typeof b === 'string') spend(PLAIN + Math.min(a.length, b.length) / COMPARED);
  else if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) spend(PLAIN);
  else spend(weight(a));
}

function spendOnMembership(value: unknown, of: unknown): void {
  if (Array.isArray(of)) spend(of.length * weight(value));
  else spend(PLAIN);
}

/** Steps to walk all of a value. They are spent on the way, since a list may hold one large value a thousand times. */
function weight(value: unknown): number {
  spend(PLAIN);
  if (typeof value !== 'object' || value === null) return PLAIN + sizeOf(value, COMPARED);
  const parts = value instanceof Map ? value.values() : Array.isArray(value) ? value : Object.values(value);
  let sum = PLAIN;
  for (const part of parts) sum += weight(part);
  return sum;
}

function stepsOfCall(name: string, given: readonly unknown[]): number {
  const [first, second] = given;
  const [length, sought] = [sizeOf(first, 1), sizeOf(second, 1)];
  switch (name) {
    // A search for one text in another takes the product of their lengths at worst.
    case 'contains':
    case 'indexOf':
      return length / COMPARED + (length * sought) / 1024;
    case 'lastIndexOf':
      return length / COMPARED + (length * sought) / 32;
    case 'split':
      return length * READ + (length * sought) / 1024;
    case 'startsWith':
    case 'endsWith':
      return sought / COMPARED;
    case 'join':
      return weightOfAll(first, sought / COPIED);
    case 'duration':
      return length * 32;
    case 'size':
      if (Array.isArray(first)) return 0;
      return typeof first === 'string' ? length / READ : length * KEY;
    default:
      if (name.startsWith('get')) return given.length > 1 ? TIME_ZONE : 0;
      return given.reduce<number>((sum, value) => sum + sizeOf(value, READ), 0);
  }
}

function weightOfAll(list: unknown, each: number): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce<number>((sum, part) => sum + PLAIN + each + sizeOf(part, COPIED), 0);
}
