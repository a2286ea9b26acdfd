/**
 * What an expression of a file must be beyond what can be evaluated: a condition gives true or false, and `event` has the fields that
 * events have. Versions that are stored are not held to it. Each problem says where in the expression it is, and what to do.
 */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { clip, suggestion } from '../configuration/read/fields.js';
import { EVENT_FIELDS, isNode, parseCondition } from './conditions.js';

interface SourceRange {
  start: number;
  end: number;
}

/** As errors of the library have it. */
interface ExpressionError {
  code?: string;
  summary?: string;
  message: string;
  range?: SourceRange;
  node?: ASTNode;
}

let made: Environment | undefined;

/** Knows the types of what `event` has. It only checks: what runs takes everything as dynamic. */
function typed(): Environment {
  made ??= new Environment({ unlistedVariablesAreDyn: false, limits: { maxAstNodes: 1000, maxDepth: 64 } })
    .registerVariable('metadata', 'dyn')
    .registerVariable({ name: 'event', schema: { type: 'string', role: 'string', name: 'string' } });
  return made;
}

/** Why `source` is no condition; undefined: it is one. */
export function conditionProblem(source: string): string | undefined {
  const read = readExpression(source);
  if ('problem' in read) return read.problem;
  const { valid, error, type } = read.check();
  if (!valid) return typeProblem(source, error as ExpressionError);
  const given = String(type);
  if (given !== 'bool' && given !== 'dyn') return notBoolean(source, read.ast.range, given);
  const parsed = parseCondition(source);
  return parsed.ok ? undefined : parsed.message;
}

/** Why `source` does not parse, or what it reads of `event` that no event has; undefined: neither. */
export function expressionProblem(source: string): string | undefined {
  const read = readExpression(source);
  return 'problem' in read ? read.problem : undefined;
}

type ReadExpression = ReturnType<Environment['parse']>;

function readExpression(source: string): ReadExpression | { problem: string } {
  let read: ReadExpression;
  try {
    read = typed().parse(source);
  } catch (error) {
    return { problem: syntaxProblem(source, error as ExpressionError) };
  }
  const field = unknownField(read.ast);
  if (!field) return read;
  const known = [...EVENT_FIELDS];
  const what = `event has no "${clip(field.name)}"${suggestion(field.name, known)}; it has ${known.join(', ')}`;
  return { problem: `${at(source, field.range)}: ${what}` };
}

/** `at character 4 ("x == 1")` */
function at(source: string, { start, end }: SourceRange): string {
  const text = source.slice(start, end).trim();
  return `at character ${start + 1}${text === '' ? '' : ` (${clip(text)})`}`;
}

const WORDS = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['AND', '&&'],
  ['OR', '||'],
]);

function syntaxProblem(source: string, { summary, message, range }: ExpressionError): string {
  const said = (summary ?? message).split('\n')[0]!;
  if (!range) return said;
  const rest = source.slice(range.start);
  const where = `at character ${range.start + 1}`;
  if (/^=(?!=)/.test(rest)) return `${where}: found =; use == to compare`;
  const word = /^\w+/.exec(rest)?.[0] ?? '';
  const operator = WORDS.get(word);
  if (operator) return `${where}: found ${word}; use ${operator}`;
  const not = /\bnot\s+$/i.exec(source.slice(0, range.start));
  if (not) return `at character ${not.index + 1}: found ${not[0].trim()}; use !`;
  if (rest.trim() === '') return `${where}: it ends too early: ${said}`;
  return `${where} (${clip(rest)}): ${said}`;
}

/** The first field of `event` that no event has. */
function unknownField(node: ASTNode): { name: string; range: SourceRange } | undefined {
  if (node.op === '.' || node.op === '.?') {
    const [target, name] = node.args;
    if (isEvent(target) && !EVENT_FIELDS.has(name)) return { name, range: node.range };
  }
  if (node.op === '[]' || node.op === '[?]') {
    const [target, field] = node.args;
    const name = field.op === 'value' && typeof field.args === 'string' ? field.args : undefined;
    if (isEvent(target) && name !== undefined && !EVENT_FIELDS.has(name)) return { name, range: node.range };
  }
  return unknownIn(node.args);
}

function unknownIn(args: unknown): ReturnType<typeof unknownField> {
  if (isNode(args)) return unknownField(args);
  if (!Array.isArray(args)) return undefined;
  for (const each of args) {
    const found = unknownIn(each);
    if (found) return found;
  }
  return undefined;
}

const isEvent = (node: ASTNode): boolean => node.op === 'id' && node.args === 'event';

function typeProblem(source: string, error: ExpressionError): string {
  const { code, node, range = { start: 0, end: source.length } } = error;
  const said = (error.summary ?? error.message).split('\n')[0]!;
  if (code === 'unknown_variable') {
    const name = source.slice(range.start, range.end);
    return `${at(source, range)}: there is no such variable${suggestion(name, ['metadata', 'event'])}; there are metadata and event`;
  }
  if (node && (node.op === '&&' || node.op === '||')) {
    const wrong = node.args
      .map((operand) => [operand, typeOf(source, operand)] as const)
      .find(([, type]) => notBool(type));
    if (wrong) return notBoolean(source, wrong[0].range, wrong[1]!);
  }
  if (node?.op === '!_') {
    const type = typeOf(source, node.args);
    if (notBool(type)) return notBoolean(source, node.args.range, type!);
  }
  const [, left, operator, right] = /^no such overload: (\S+) (==|!=) (\S+)$/.exec(said) ?? [];
  if (operator) return `${at(source, range)}: ${plain(left!)} is never equal to ${plain(right!)}`;
  return `${at(source, range)}: ${said}`;
}

const notBool = (type: string | undefined): boolean => type !== undefined && type !== 'bool' && type !== 'dyn';

/** The type of a part; undefined where it cannot be told by itself, as within a comprehension. */
function typeOf(source: string, { range: { start, end } }: ASTNode): string | undefined {
  try {
    const { valid, type } = typed().parse(source.slice(start, end)).check();
    return valid ? String(type) : undefined;
  } catch {
    return undefined;
  }
}

const EXAMPLES = new Map([
  ['event.type', '"message"'],
  ['event.role', '"user"'],
  ['event.name', '"search"'],
]);

function notBoolean(source: string, range: SourceRange, type: string): string {
  const text = source.slice(range.start, range.end).trim();
  const value = EXAMPLES.get(text) ?? (type === 'string' ? '"…"' : '…');
  const example = /^[\w.]+$/.test(text) && text !== 'event' ? `, such as ${clip(text)} == ${value}` : '';
  const instead = type === '$event' ? 'use event.type, event.role or event.name' : `use == to compare it${example}`;
  return `${at(source, range)}: it is ${plain(type)}, and not true or false; ${instead}`;
}

/** `a string`, `an int`, `the event` */
function plain(type: string): string {
  if (type === '$event') return 'the event';
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
