/** Query strings of the look-ups. Unknown parameters are ignored. A known one that is given twice is a 400. */
import { ApiError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { OFFSET_UNITS } from '../../shared/api/offset-units.js';
import { PLAIN_VIEW, type PolicyView } from '../../shared/api/results/explanation.js';
import { idProblem, lengthProblem, type NameProblem } from '../../shared/api/validate/named.js';
import { parseInstant } from '../../shared/instant.js';
import type { Exchange } from './exchange.js';

/** Decoded values of the parameters `names`; '' where absent or empty. Throws 400. */
export function readQuery<N extends string>(query: string, names: readonly N[]): Record<N, string> {
  const values = Object.create(null) as Record<N, string>;
  const seen = new Set<string>();
  for (const name of names) values[name] = '';
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals)) as N | undefined;
    if (name === undefined || !names.includes(name)) continue;
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (value === undefined) throw queryError(name, 'encoding', 'is not valid percent-encoded UTF-8');
    if (seen.has(name)) throw queryError(name, 'repeated', 'expected only once');
    seen.add(name);
    values[name] = value;
  }
  return values;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** A 400 about one parameter. */
export function queryError(path: string, code: string, message: string): ApiError {
  return new ApiError('validation_failed', `${path}: ${message}.`, { param: path, issues: [{ path, code, message }] });
}

const BOOLEANS: readonly string[] = ['', 'true', 'false', '1', '0'];

/** A parameter that is a boolean; false when absent. Python writes them with a capital. Throws 400. */
export function readBoolean(name: string, value: string): boolean {
  const lower = value.toLowerCase();
  if (!BOOLEANS.includes(lower)) throw queryError(name, 'type', 'expected true or false');
  return lower === 'true' || lower === '1';
}

/** A parameter that is a whole number from 1 on. Throws 400. */
export function readNumber(
  name: string,
  text: string,
  { most, otherwise }: { most: number; otherwise: number },
): number {
  if (text === '') return otherwise;
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw queryError(name, 'range', `expected a whole number from 1 to ${most}`);
}

/** What the caller wants to see of policies. `countsText`: offsets count something else, too, so alone they do not ask for evidence. Throws 400. */
export function readView({ route, query }: Pick<Exchange, 'route' | 'query'>, countsText = false): PolicyView {
  if (query === '' || !route.views) return PLAIN_VIEW;
  const { explain, policies, offsets, matched } = readQuery(query, ['explain', 'policies', 'offsets', 'matched']);
  if (policies !== '' && policies !== 'all' && policies !== 'flagged') {
    throw queryError('policies', 'type', 'expected all or flagged');
  }
  const view = { ...evidenceView(explain, offsets, matched, countsText), flaggedOnly: policies === 'flagged' };
  if (!route.redacts) return view;
  return { ...view, ...redactionIn(readQuery(query, ['redact']).redact) };
}

function redactionIn(value: string): Pick<PolicyView, 'redact' | 'reversible'> {
  const lower = value.toLowerCase();
  if (lower === 'reversible') return { redact: true, reversible: true };
  if (!BOOLEANS.includes(lower)) throw queryError('redact', 'type', 'expected true, false or reversible');
  return { redact: readBoolean('redact', value) };
}

/** How evidence is to be shown. Whoever says more than the defaults wants to see it. */
function evidenceView(
  explain: string,
  offsets: string,
  matched: string,
  countsText: boolean,
): Omit<PolicyView, 'flaggedOnly'> {
  const view = { explain: readBoolean('explain', explain), ...unitOf(offsets), ...matchedOf(matched) };
  const asks = view.matched || (view.offsets && !countsText);
  if (view.explain || !asks) return view;
  if (explain !== '') {
    const of = view.matched ? 'matched=true' : `offsets=${view.offsets}`;
    throw queryError('explain', 'type', `expected true or nothing, since ${of} asks for evidence`);
  }
  return { ...view, explain: true };
}

function unitOf(value: string): Pick<PolicyView, 'offsets'> {
  if (value === '' || value === 'utf16') return {};
  const offsets = OFFSET_UNITS.find((unit) => unit === value);
  if (!offsets)
    throw queryError('offsets', 'type', `expected ${OFFSET_UNITS.join(', ').replace(/, (\w+)$/, ' or $1')}`);
  return { offsets };
}

const matchedOf = (value: string): Pick<PolicyView, 'matched'> =>
  readBoolean('matched', value) ? { matched: true } : {};

/** Whether a query asks for what only keys of the scope `content` may see. One that is wrong does not: it becomes a 400. */
export function asksForContent({ route, query }: Pick<Exchange, 'route' | 'query'>): boolean {
  if (query === '' || !route.views) return false;
  try {
    return readBoolean('matched', readQuery(query, ['matched']).matched);
  } catch {
    return false;
  }
}

/** Throws 400 when a required parameter is absent. */
function requireParameter(name: string, value: string): void {
  if (value === '') throw queryError(name, 'required', 'is required as a query parameter');
}

/** Throws 400 when `value` cannot be a run or event id (2.7). */
export function requireId(name: string, value: string): void {
  requireParameter(name, value);
  refuse(name, idProblem(value));
}

/** Throws 400 when `value` is absent or longer than a name may be. */
export function requireName(name: string, value: string): void {
  requireParameter(name, value);
  refuse(name, lengthProblem(value));
}

/** Throws 400 where there is a problem. */
export function refuse(name: string, problem: NameProblem | undefined): void {
  if (problem) throw queryError(name, problem.code, problem.message);
}

const DAY_MS = 86_400_000;

/** The time that `from` and `to` name, in Unix ms: by default the last 24 hours. Throws 400. */
export const timesIn = (query: string, now: number): { from: number; to: number } =>
  timesOf(readQuery(query, ['from', 'to']), now);

/** The same of two texts; '' for none. */
export function timesOf(asked: { from: string; to: string }, now: number): { from: number; to: number } {
  for (const name of ['from', 'to'] as const) {
    refuse(name, lengthProblem(asked[name]));
  }
  const to = asked.to === '' ? now : timeIn('to', asked.to);
  const from = asked.from === '' ? to - DAY_MS : timeIn('from', asked.from);
  if (from >= to) throw queryError('from', 'range', 'expected a time before the end, which is `to`, or now');
  if (to - from > LIMITS.historyDays * DAY_MS)
    throw queryError('from', 'range', `expected at most ${LIMITS.historyDays} days before the end`);
  return { from, to };
}

/** RFC 3339, also a date alone. Times before 1970 are taken for it: there is nothing before. Throws 400. */
function timeIn(name: string, text: string): number {
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i.test(text)
    ? parseInstant(text)
    : Number.NaN;
  if (Number.isNaN(ms))
    throw queryError(
      name,
      'time',
      'expected a time of RFC 3339 that there is, such as 2026-01-31T12:00:00Z, whose "+" is sent as %2B',
    );
  return Math.max(0, ms);
}

/** One of `values`; undefined where there is none. Throws 400. */
export function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T | undefined {
  const value = values.find((one) => one === text);
  if (text !== '' && value === undefined) throw queryError(name, 'type', `expected one of ${values.join(', ')}`);
  return value;
}
