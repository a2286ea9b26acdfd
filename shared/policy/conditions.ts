/**
 * Conditions: CEL over `metadata` and `event`. A condition matches only if it is exactly `true`. A missing key, a wrong type or any
 * other failure is no match. A condition that takes too many steps could not be evaluated. Metrics compute values in the same way.
 */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { type ConditionSteps, countOn, countSteps, MAX_CONDITION_STEPS } from './condition-steps.js';

/** What a condition may read besides `metadata`. */
export interface ConditionEvent {
  type: string;
  role: string;
  name: string;
}

/** What the outcome of a condition depends on. */
export interface Dependence {
  metadata: boolean;
  /** on `event.name`, or on `event` as a whole */
  name: boolean;
}

export interface Condition {
  depends: Dependence;
  /** sentences about what is in it and can be evaluated of no event */
  doubts: readonly string[];
  /** null: it needs more steps than are left to the conditions of the event */
  matches(metadata: Record<string, unknown>, event: ConditionEvent, steps?: ConditionSteps): boolean | null;
}

export type ParsedCondition = { ok: true; condition: Condition } | { ok: false; message: string };

const MAX_DEPTH = 64;

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  limits: { maxAstNodes: 1000, maxDepth: MAX_DEPTH },
})
  .registerVariable('metadata', 'dyn')
  .registerVariable('event', 'dyn');

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'bind']);

export function parseCondition(source: string): ParsedCondition {
  const parsed = parse(source);
  if (!parsed.ok) return parsed;
  const { run, seen } = parsed;
  const needed = neededPaths(run.ast);
  return {
    ok: true,
    condition: {
      depends: { metadata: seen.metadata, name: seen.name },
      doubts: doubtsOf(seen),
      matches(metadata, event, steps = { left: MAX_CONDITION_STEPS }) {
        for (let i = 0; i < needed.length; i++) if (isMissing(metadata, needed[i]!)) return false;
        const outcome = outcomeOf(run, metadata, event, steps);
        return outcome === FAILED ? false : outcome === EXHAUSTED ? null : outcome === true;
      },
    },
  };
}

/** An expression that gives a number or a string. */
export interface ValueExpression {
  /** as those of a condition */
  doubts: readonly string[];
  /** The value, or why there is none. The reason quotes the expression alone, and nothing that a caller sent. */
  evaluate(
    metadata: Record<string, unknown>,
    event: ConditionEvent,
  ): { ok: true; value: number | string } | { ok: false; reason: string };
}

export type ParsedValue = { ok: true; expression: ValueExpression } | { ok: false; message: string };

const VALUE_TYPES = new Set(['dyn', 'int', 'uint', 'double', 'string']);

export function parseValue(source: string): ParsedValue {
  const parsed = parse(source);
  if (!parsed.ok) return parsed;
  const { run, seen, type } = parsed;
  if (!VALUE_TYPES.has(type)) return { ok: false, message: `it gives a ${type}, expected a number or a string` };
  const needed: string[][] = [];
  collectPaths(run.ast, needed);
  return {
    ok: true,
    expression: {
      doubts: doubtsOf(seen),
      evaluate(metadata, event) {
        const missing = needed.find((path) => isMissing(metadata, path));
        if (missing) return { ok: false, reason: `${['metadata', ...missing].join('.')} is absent` };
        const outcome = outcomeOf(run, metadata, event, { left: MAX_CONDITION_STEPS });
        if (outcome === FAILED) return { ok: false, reason: 'the expression has no value for this item' };
        if (outcome === EXHAUSTED) return { ok: false, reason: 'the expression takes too many steps' };
        const value = isInteger(outcome) ? Number(outcome) : outcome;
        if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)))
          return { ok: true, value };
        return { ok: false, reason: 'the expression gave neither a number nor a string' };
      },
    },
  };
}

/** Whether `value` is an int, or a uint: an object of the library around an int. */
const isInteger = (value: unknown): boolean => typeof (value as object | null)?.valueOf() === 'bigint';

type ConditionRun = ReturnType<typeof environment.parse>;
type Parsed = { ok: true; run: ConditionRun; seen: ConditionTraits; type: string } | { ok: false; message: string };

function parse(source: string): Parsed {
  try {
    const run = environment.parse(source);
    const checked = run.check();
    if (!checked.valid) return { ok: false, message: firstLine(checked.error) };
    const seen: ConditionTraits = {
      metadata: false,
      name: false,
      nested: 0,
      matches: false,
      unknownFields: new Set(),
      mixed: new Set(),
    };
    look(run.ast, 0, seen);
    if (seen.matches) {
      return { ok: false, message: 'matches() is not offered; use startsWith, endsWith, contains or a list' };
    }
    if (seen.nested > 1) return { ok: false, message: 'comprehensions cannot be nested' };
    countSteps(run.ast);
    return { ok: true, run, seen, type: String(checked.type) };
  } catch (error) {
    return { ok: false, message: firstLine(error) };
  }
}

const FAILED = Symbol('failed');
const EXHAUSTED = Symbol('exhausted');

/** Shared: one condition runs at a time, and allocates nothing. */
const context: { metadata: unknown; event: unknown } = { metadata: null, event: null };

/** What the expression gives; {@link FAILED}, or {@link EXHAUSTED} where it needs more than `steps`. */
function outcomeOf(
  run: ConditionRun,
  metadata: Record<string, unknown>,
  event: ConditionEvent,
  steps: ConditionSteps,
): unknown {
  const outcome = runOnce(run, metadata, event, steps);
  if (outcome !== FAILED) return outcome;
  const maps = withMaps(metadata);
  return maps === metadata ? FAILED : runOnce(run, maps, event, steps);
}

function runOnce(run: ConditionRun, metadata: unknown, event: ConditionEvent, steps: ConditionSteps): unknown {
  context.metadata = metadata;
  context.event = event;
  countOn(steps);
  // A missing key is the usual "no match". Capturing the stack of its error would cost more than the rest of the event.
  const frames = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run(context);
  } catch {
    return steps.left < 0 ? EXHAUSTED : FAILED;
  } finally {
    Error.stackTraceLimit = frames;
    context.metadata = null;
  }
}

const mapped = new WeakMap<object, unknown>();

/**
 * CEL tells types by `constructor`, and fails on an object that has a key of this name. Callers may name a key so, and then objects
 * become maps. Returns the metadata itself where no object has such a key.
 */
function withMaps(metadata: Record<string, unknown>): unknown {
  let known = mapped.get(metadata);
  if (known === undefined) {
    known = hasConstructor(metadata) ? mapsIn(metadata) : metadata;
    mapped.set(metadata, known);
  }
  return known;
}

function hasConstructor(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasConstructor);
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructor);
}

function mapsIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mapsIn);
  return new Map(Object.entries(value).map(([key, part]) => [key, mapsIn(part)]));
}

interface ConditionTraits extends Dependence {
  /** deepest nesting of comprehensions */
  nested: number;
  /** it calls `matches`, which runs a backtracking pattern over the caller's metadata */
  matches: boolean;
  /** fields of `event` that no event has */
  unknownFields: Set<string>;
  /** operators between something in `metadata` and a whole number */
  mixed: Set<string>;
}

function doubtsOf({ unknownFields, mixed }: ConditionTraits): string[] {
  const fields = [...unknownFields].map(
    (field) => `no event has event.${field}; there are event.type, event.role and event.name`,
  );
  const operators = [...mixed].map((operator) => {
    const instead = operator === '%' ? 'put int(…) around it' : 'write 1.0 instead of 1, or put int(…) around it';
    return `a number in metadata is a double, and CEL has no double ${operator} int: ${instead}`;
  });
  return [...fields, ...operators];
}

const ARITHMETIC = new Set(['+', '-', '*', '/', '%']);

const isWholeNumber = ({ op, args }: ASTNode): boolean => op === 'value' && isInteger(args);

/** Whether `node` is something in `metadata`. */
function isInMetadata(node: ASTNode): boolean {
  if (node.op === 'id') return node.args === 'metadata';
  return (node.op === '.' || node.op === '[]') && isInMetadata(node.args[0]);
}

export const EVENT_FIELDS: ReadonlySet<string> = new Set(['type', 'role', 'name']);

export function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Walks the expression for what it depends on, and for what would cost too much on hostile metadata. */
function look(node: ASTNode, nesting: number, seen: ConditionTraits): void {
  let depth = nesting;
  if (node.op === 'id') {
    if (node.args === 'metadata') seen.metadata = true;
    if (node.args === 'event') seen.name = true;
    return;
  }
  if (node.op === '.') {
    const [target, field] = node.args;
    if (target.op === 'id' && target.args === 'event') {
      if (!EVENT_FIELDS.has(field)) seen.unknownFields.add(field);
      if (field !== 'name') return;
    }
  }
  if (node.op === '[]') {
    const [target, field] = node.args;
    const given = field.op === 'value' && typeof field.args === 'string' ? field.args : undefined;
    if (target.op === 'id' && target.args === 'event' && given !== undefined && !EVENT_FIELDS.has(given)) {
      seen.unknownFields.add(given);
    }
  }
  if (node.op === 'call' || node.op === 'rcall') {
    const name = node.args[0];
    if (name === 'matches') seen.matches = true;
    if (node.op === 'rcall' && MACROS.has(name)) {
      depth += 1;
      seen.nested = Math.max(seen.nested, depth);
    }
  }
  if (ARITHMETIC.has(node.op)) {
    const [left, right] = node.args as [ASTNode, ASTNode];
    if ((isInMetadata(left) && isWholeNumber(right)) || (isWholeNumber(left) && isInMetadata(right))) {
      seen.mixed.add(node.op);
    }
  }
  visit(node.args, depth, seen);
}

function visit(args: unknown, nesting: number, seen: ConditionTraits): void {
  if (isNode(args)) look(args, nesting, seen);
  else if (Array.isArray(args)) for (const item of args) visit(item, nesting, seen);
}

/**
 * Paths into `metadata` without which the expression cannot be true. A missing key is the usual reason not to match. An error that CEL
 * raises for it costs twenty times the rest of an evaluation, so these are looked up first.
 */
function neededPaths(node: ASTNode): string[][] {
  if (node.op === '&&') return node.args.flatMap(neededPaths);
  const paths: string[][] = [];
  collectPaths(node, paths);
  return paths;
}

/** Paths that are read in any case. Operands that may be skipped, or whose error may be ignored, are left out. */
function collectPaths(node: ASTNode, paths: string[][]): void {
  if (node.op === '&&' || node.op === '||' || node.op === '?:') return;
  if (node.op === 'call' && node.args[0] === 'has') return;
  if (node.op === 'rcall' && MACROS.has(node.args[0])) {
    collectPaths(node.args[1], paths);
    return;
  }
  const path = pathOf(node);
  if (path) {
    if (path.length > 0) paths.push(path);
    return;
  }
  const walk = (args: unknown): void => {
    if (isNode(args)) collectPaths(args, paths);
    else if (Array.isArray(args)) args.forEach(walk);
  };
  walk(node.args);
}

/** `["user", "tier"]` of `metadata.user.tier`; undefined for anything else. */
function pathOf(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return node.args === 'metadata' ? [] : undefined;
  if (node.op !== '.') return undefined;
  const path = pathOf(node.args[0]);
  return path ? [...path, node.args[1]] : undefined;
}

function isMissing(metadata: unknown, path: readonly string[]): boolean {
  let value = metadata;
  for (let i = 0; i < path.length; i++) {
    if (typeof value !== 'object' || value === null) return true;
    if (!Object.hasOwn(value, path[i]!)) return true;
    value = (value as Record<string, unknown>)[path[i]!];
  }
  return false;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
