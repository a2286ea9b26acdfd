/**
 * What conditions may cost. CEL ends by itself, but not soon: `metadata.roles.exists(r, r in metadata.allowed)` takes the product
 * of two lists that a caller sends. So each operation that takes longer the more it is given is counted before it is done, and none
 * is done beyond the steps of an event. Counting steps, not time, keeps the outcome a function of the event.
 *
 * The evaluator of CEL has no such limit. Each node of its tree has a function `handle`, which is given the values of its operands:
 * that is where this counts. A node without one, as another version of the library may make it, is refused.
 */
import type { ASTNode } from '@marcbachmann/cel-js';

/** Steps that the conditions of an environment may take together over one event; some 25 ns each, so 5 ms. */
export const MAX_CONDITION_STEPS = 200_000;

/** Steps that are left to the conditions of an event; below 0: they were not enough. */
export interface Steps {
  left: number;
}

let current: Steps = { left: 0 };

/** Says from where the steps are taken from now on. One condition runs at a time. */
export function countOn(steps: Steps): void {
  current = steps;
}

// Not a new one each time: a quantifier takes an error for an element that fails, and goes on to the next.
const EXHAUSTED = new RangeError('the condition takes too many steps');

function spend(count: number): void {
  current.left -= count;
  if (current.left < 0) throw EXHAUSTED;
}

/** Characters that are compared, copied, read one by one or made objects of, in a step. */
const [COMPARED, COPIED, READ] = [256, 16, 4];
/** An element of a list or map that a comprehension goes over; one on which its body fails costs about four times as much. */
const ITERATION = 20;
/** A key of a map whose keys are counted. */
const KEY = 16;
/** Of an operation whose operands do not matter. */
const PLAIN = 1;
/** Looking a time zone up. */
const TIME_ZONE = 2000;

type Handle = (a: unknown, b: unknown, c: unknown, d: unknown) => unknown;
/** A node of the tree as the evaluator knows it; its own type tells only what the parser makes. */
interface Node {
  op: string;
  args: unknown;
  meta: { alternate?: unknown; macro?: object };
  handle?: Handle;
}

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Has every node of the tree count its steps. Throws where one cannot be made to. */
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

/** Has the node itself count, and returns what it evaluates. */
function partsOf(node: Node): unknown[] {
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) return [alternate];
  // `has` and `cel.bind` do nothing beside their operands.
  if (macro !== undefined) return Object.values(macro);
  const cost = costOf(node);
  if (cost) count(node, cost);
  if (node.op !== 'comprehension') return [node.args];
  stopSoon(node.args as Comprehension);
  return Object.values(node.args as object);
}

interface Comprehension {
  /** asked before each element whether to go on; where an element that fails ends it all, there may be none */
  condition?: unknown;
  errorsAreFatal: boolean;
}

/** Has a quantifier end with the steps: it takes an error of an element for one that does not count, and would go on to the last. */
function stopSoon(comprehension: Comprehension): void {
  const { condition, errorsAreFatal } = comprehension;
  if (errorsAreFatal) return;
  if (typeof condition !== 'function') throw new Error('a quantifier cannot be stopped');
  comprehension.condition = (result: unknown): unknown => {
    spend(0);
    return condition(result);
  };
}

function isNode(value: object): value is Node {
  return 'op' in value && 'args' in value && 'meta' in value;
}

function count(node: Node, cost: (a: unknown, b: unknown) => void): void {
  const { handle } = node;
  // As a condition it is refused, and so is the configuration.
  if (typeof handle !== 'function') throw new Error(`the steps of "${node.op}" cannot be counted`);
  node.handle = (a, b, c, d) => {
    cost(a, b);
    return handle(a, b, c, d);
  };
}

function costOf({ op, args }: Node): ((a: unknown, b: unknown) => void) | undefined {
  if (op === 'in') return spendOnMembership;
  if (op === '+') return (a, b) => spend(PLAIN + sizeOf(a, COPIED) + sizeOf(b, COPIED));
  if (COMPARISONS.has(op)) return spendOnComparison;
  if (op === 'comprehension') return (items) => spend(ITERATION * (1 + sizeOf(items, 1)));
  if (op !== 'call' && op !== 'rcall') return undefined;
  const [name] = args as [string];
  return (given) => spend(PLAIN + stepsOfCall(name, given as readonly unknown[]));
}

/** A string's characters over `perStep`; elements of a list, keys of a map. */
function sizeOf(value: unknown, perStep: number): number {
  if (typeof value === 'string') return value.length / perStep;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.length / perStep;
  return value instanceof Map ? value.size : Object.keys(value).length;
}

/** As far as one equals the other, so at most as far as the smaller goes. */
function spendOnComparison(a: unknown, b: unknown): void {
  if (typeof a === 'string' && typeof b === 'string') spend(PLAIN + Math.min(a.length, b.length) / COMPARED);
  else if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) spend(PLAIN);
  else spend(weight(a));
}

function spendOnMembership(value: unknown, of: unknown): void {
  if (Array.isArray(of)) spend(of.length * weight(value));
  else spend(PLAIN);
}

/** Steps to go through all of a value. They are spent as it is gone through: a list may name one large value a thousand times. */
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
    // What looks for one text in another takes the product at worst.
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
