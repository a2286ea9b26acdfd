/**
 * A text with its finds replaced, as Presidio's anonymizer does it. Offsets are code points.
 *
 *     finds ──overlapping ones of an entity are one──> ──those within others go──> ──neighbours of an entity are one──> replaced, last first
 */
import { createHash, randomBytes } from 'node:crypto';
import type {
  PresidioAnonymized,
  PresidioOperator,
  PresidioReplacement,
  PresidioSpan,
} from '../../shared/api/types.js';

export interface Anonymizing {
  text: string;
  spans: readonly PresidioSpan[];
  /** by entity; `DEFAULT`: of the others */
  operators: Readonly<Record<string, PresidioOperator>>;
}

/** Undefined where what is replaced, or the new text, has more than `mostBytes`: finds may overlap, and new texts may be long. */
export function anonymized({ text, spans, operators }: Anonymizing, mostBytes: number): PresidioAnonymized | undefined {
  const points = pointsOf(text);
  const chosen = joined(points, outermost(merged(spans)));
  const last = sorted(chosen).reverse();
  const parts: string[] = [];
  const items: PresidioReplacement[] = [];
  let [bytes, read, behind, at] = [0, 0, 0, points.length];
  const put = (part: string): void => {
    parts.push(part);
    bytes += Buffer.byteLength(part);
    behind += lengthOf(part);
  };
  for (const { start, end, entity_type } of last) {
    read += end - start;
    if (read > mostBytes || bytes > mostBytes) return undefined;
    put(points.slice(Math.min(end, at), at));
    const operator = operatorFor(entity_type, operators);
    const made = OPERATORS[operator.type as OperatorName](points.slice(start, end), operator, entity_type);
    put(made);
    items.push({ start: behind, end: lengthOf(made), entity_type, text: made, operator: operator.type });
    at = start;
  }
  put(points.slice(0, at));
  if (bytes > mostBytes) return undefined;
  // How far an item is from the end is known from the beginning.
  for (const item of items) {
    item.start = behind - item.start;
    item.end += item.start;
  }
  return { text: parts.reverse().join(''), items };
}

/** A text by code points. Most have no others than UTF-16 units. */
function pointsOf(text: string): { length: number; slice(start: number, end: number): string } {
  const length = lengthOf(text);
  if (length === text.length) return { length, slice: (start, end) => text.slice(start, end) };
  const units = new Uint32Array(length + 1);
  let unit = 0;
  for (let i = 0; i < length; i++) {
    units[i] = unit;
    unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
  }
  units[length] = unit;
  return { length, slice: (start, end) => text.slice(units[start], units[end]) };
}

function lengthOf(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.codePointAt(i)! > 0xffff) i++;
    length++;
  }
  return length;
}

const sorted = (spans: readonly PresidioSpan[]): PresidioSpan[] =>
  spans.toSorted((a, b) => a.start - b.start || a.end - b.end);

/** Those of an entity that share a character are one, which stands where the last of them stood. */
function merged(spans: readonly PresidioSpan[]): PresidioSpan[] {
  const open = new Map<string, { span: PresidioSpan; place: number }>();
  const all: (PresidioSpan | undefined)[] = [];
  for (const span of sorted(spans)) {
    const { start, end, entity_type, score } = span;
    const known = open.get(entity_type);
    const shared = known !== undefined && Math.min(known.span.end, end) > start;
    if (!shared) {
      // What has no character shares none, and leaves what is open as it is.
      if (!known || start < end) open.set(entity_type, { span, place: all.length });
      all.push(span);
      continue;
    }
    const { span: before, place } = known;
    all[place] = undefined;
    const one = {
      entity_type,
      start: before.start,
      end: Math.max(before.end, end),
      score: Math.max(before.score, score),
    };
    open.set(entity_type, { span: one, place: all.length });
    all.push(one);
  }
  return all.filter((span) => span !== undefined);
}

/** Without those within others. Of several at the same place the surest stays, of equal ones the last. */
function outermost(spans: readonly PresidioSpan[]): PresidioSpan[] {
  const best = new Map<string, PresidioSpan>();
  const placeOf = ({ start, end }: PresidioSpan): string => `${start} ${end}`;
  for (const span of spans) {
    const known = best.get(placeOf(span));
    if (!known || span.score >= known.score) best.set(placeOf(span), span);
  }
  const kept = new Set<PresidioSpan>();
  let furthest = -1;
  for (const span of [...best.values()].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.end > furthest) kept.add(span);
    furthest = Math.max(furthest, span.end);
  }
  return spans.filter((span) => kept.has(span));
}

/** Presidio's pattern: spaces, and perhaps the end of the line. */
const BETWEEN = /^ +\n?$/;

/** Those of an entity with nothing but spaces between are one. */
function joined(points: ReturnType<typeof pointsOf>, spans: readonly PresidioSpan[]): PresidioSpan[] {
  const all: PresidioSpan[] = [];
  for (const span of spans) {
    const before = all.at(-1);
    const isNext =
      before?.entity_type === span.entity_type &&
      before.end < span.start &&
      BETWEEN.test(points.slice(before.end, span.start));
    if (isNext) all.pop();
    all.push(isNext ? { ...span, start: before.start } : span);
  }
  return all;
}

const REPLACE: PresidioOperator = { type: 'replace' };

const ownOf = (operators: Anonymizing['operators'], name: string): PresidioOperator | undefined =>
  Object.hasOwn(operators, name) ? operators[name] : undefined;

const operatorFor = (entity: string, operators: Anonymizing['operators']): PresidioOperator =>
  ownOf(operators, entity) ?? ownOf(operators, 'DEFAULT') ?? REPLACE;

type OperatorName = 'replace' | 'redact' | 'keep' | 'mask' | 'hash';

const OPERATORS: Readonly<Record<OperatorName, (text: string, how: PresidioOperator, entity: string) => string>> = {
  replace: (_, { new_value }, entity) => new_value || `<${entity}>`,
  redact: () => '',
  keep: (text) => text,
  mask(text, { masking_char, chars_to_mask, from_end }) {
    const points = pointsOf(text);
    const { length } = points;
    const count = Math.max(0, Math.min(length, chars_to_mask!));
    const mask = masking_char!.repeat(count);
    return from_end ? points.slice(0, length - count) + mask : mask + points.slice(count, length);
  },
  hash: (text, { hash_type, salt }) =>
    createHash(hash_type ?? 'sha256')
      .update(text)
      .update(salt ?? randomBytes(32))
      .digest('hex'),
};
