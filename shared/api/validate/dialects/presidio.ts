/** Validates calls of Presidio (decisions, Adapters). Session checks are made of what is to be analysed, one of each text. */
import { createIs, createValidate } from 'typia';
import type {
  PresidioAnalyzeRequest,
  PresidioAnonymizeRequest,
  PresidioOperator,
  PresidioSpan,
} from '../../dialects/presidio.js';
import { LIMITS } from '../../limits.js';
import { bareInput, type CheckInput, createIssues, type Issues, type Validation } from '../issues.js';
import { charactersExceed, textExceeds } from '../measure.js';
import { hasShape } from '../shape.js';
import { DEFAULT_LIMITS, type TextLimits } from '../validate.js';

const ANALYZE = { is: createIs<PresidioAnalyzeRequest>(), explain: createValidate<PresidioAnalyzeRequest>() };
const ANONYMIZE = {
  is: createIs<PresidioAnonymizeRequest>(),
  explain: createValidate<PresidioAnonymizeRequest>(),
  // typia writes `anonymizers.NAME.type`, or `anonymizers["a name"].type`.
  told: (path: string): string =>
    path.replace(/^anonymizers(?:\.([\w$]+)|\["((?:[^"\\]|\\.)*)"\])/, (_, plain?: string, quoted?: string) =>
      operatorPath(plain ?? quoted ?? ''),
    ),
};

const LANGUAGE = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}$/;

/** Lists are not read beyond their limit. */
function checkLengths(issues: Issues, body: unknown, most: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(most)) {
    const value = ((body ?? {}) as Record<string, unknown>)[name];
    if (typeof value !== 'object' || value === null) continue;
    const length = Array.isArray(value) ? value.length : Object.keys(value).length;
    if (length > count) issues.add(name, 'too_many', `expected at most ${count} elements`);
  }
}

/** Validates the body of `POST /analyze`. Which entities there are depends on the deployment. */
export function validateAnalyze(
  body: unknown,
  _bytes?: number,
  _json?: string,
  { messageBytes }: TextLimits = DEFAULT_LIMITS,
): Validation {
  const issues = createIssues();
  const { presidioTexts: text, presidioEntities: entities, presidioAllowed: allow_list } = LIMITS;
  checkLengths(issues, body, { text, entities, allow_list });
  if (issues.list.length === 0 && hasShape(issues, body, ANALYZE)) {
    checkAnalyze(issues, body, messageBytes);
    if (issues.list.length === 0) return { ok: true, value: checksOf(body, messageBytes) };
  }
  return { ok: false, issues: issues.list };
}

function checkAnalyze(issues: Issues, body: PresidioAnalyzeRequest, messageBytes: number): void {
  const { text, language, allow_list: allowed, allow_list_match: match } = body;
  if (text.length === 0) issues.add('text', 'required', 'No text provided');
  for (const [i, one] of (typeof text === 'string' ? [text] : text).entries()) {
    if (!textExceeds(one, messageBytes)) continue;
    const path = typeof text === 'string' ? 'text' : `text[${i}]`;
    issues.add(path, 'content_too_large', `expected at most ${messageBytes} bytes`);
  }
  if (language === '') issues.add('language', 'required', 'No language provided');
  else if (!LANGUAGE.test(language)) issues.add('language', 'type', 'expected a code of a language, such as en');
  if (allowed && allowed.length > 0 && match != null && match !== 'exact') {
    issues.add('allow_list_match', 'unsupported', 'expected exact, since other lists are not supported');
  }
  if (!isEmpty(body.ad_hoc_recognizers)) {
    issues.add('ad_hoc_recognizers', 'unsupported', 'is not supported: what is looked for is up to the policies');
  }
  if (!isEmpty(body.context)) {
    issues.add('context', 'unsupported', 'is not supported: which words speak for a find is up to the policies');
  }
  for (const [i, name] of (body.entities ?? []).entries()) checkName(issues, `entities[${i}]`, name);
  if (charactersExceed(body.correlation_id ?? '', LIMITS.nameCharacters)) {
    issues.add('correlation_id', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
}

function checkName(issues: Issues, path: string, name: string): void {
  if (name === '') issues.add(path, 'required', 'expected the name of an entity');
  else if (charactersExceed(name, LIMITS.nameCharacters)) {
    issues.add(path, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
}

/** What clients send that have nothing to say. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function checksOf(body: PresidioAnalyzeRequest, messageBytes: number): CheckInput {
  const { text, entities, score_threshold: threshold, correlation_id: id, allow_list: allowed } = body;
  const texts = typeof text === 'string' ? [text] : text;
  const metadata = id ? { correlation_id: id } : {};
  return {
    ...bareInput(),
    ...(messageBytes === LIMITS.messageTextBytes ? {} : { messageBytes }),
    asked: {
      of: 'analyze',
      texts,
      list: typeof text !== 'string',
      entities: entities ?? [],
      threshold: threshold ?? 0,
      allowed: allowed ?? [],
      explained: body.return_decision_process === true,
    },
    batch: texts.map((content) => JSON.stringify({ messages: [{ role: 'user', content }], metadata })),
  };
}

/** Validates the body of `POST /anonymize`. Nothing is checked of it. */
export function validateAnonymize(body: unknown): Validation {
  const issues = createIssues();
  const { presidioSpans: analyzer_results, presidioOperators: anonymizers } = LIMITS;
  checkLengths(issues, body, { analyzer_results, anonymizers });
  if (issues.list.length === 0 && hasShape(issues, body, ANONYMIZE)) {
    const { text, analyzer_results: spans, anonymizers: operators } = body;
    if (textExceeds(text, LIMITS.restoreTextBytes)) {
      issues.add('text', 'content_too_large', `expected at most ${LIMITS.restoreTextBytes} bytes`);
    }
    const length = charactersOf(text);
    for (const [i, span] of spans.entries()) checkSpan(issues, `analyzer_results[${i}]`, span, length);
    for (const [name, operator] of Object.entries(operators ?? {})) checkOperator(issues, name, operator);
    if (issues.list.length === 0) {
      const asked = { of: 'anonymize', text, spans, operators: operators ?? {} } as const;
      return { ok: true, value: { ...bareInput(), eventIds: [], asked } };
    }
  }
  return { ok: false, issues: issues.list };
}

function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkSpan(
  issues: Issues,
  path: string,
  { start, end, entity_type: name }: PresidioSpan,
  length: number,
): void {
  if (issues.full()) return;
  for (const [field, at] of [
    ['start', start],
    ['end', end],
  ] as const) {
    if (!Number.isInteger(at) || at < 0 || at > length) {
      issues.add(`${path}.${field}`, 'range', 'expected a place in the text, in characters');
    }
  }
  if (start > end) issues.add(`${path}.start`, 'range', 'expected at most end');
  checkName(issues, `${path}.entity_type`, name);
}

/** Names of entities are not told again unless they look like one. */
const operatorPath = (name: string): string => (/^[A-Z0-9_]{1,64}$/.test(name) ? `anonymizers.${name}` : 'anonymizers');

const LEAST_SALT = 16;

function checkOperator(issues: Issues, name: string, operator: PresidioOperator): void {
  const path = operatorPath(name);
  checkName(issues, path, name);
  switch (operator.type) {
    case 'replace':
    case 'redact':
    case 'keep':
      return;
    case 'mask': {
      const { masking_char: character, chars_to_mask: count, from_end: last } = operator;
      if (typeof character !== 'string' || charactersExceed(character, 1)) {
        issues.add(`${path}.masking_char`, 'type', 'expected one character');
      }
      if (!Number.isInteger(count)) issues.add(`${path}.chars_to_mask`, 'type', 'expected a whole number');
      if (typeof last !== 'boolean') issues.add(`${path}.from_end`, 'type', 'expected true or false');
      return;
    }
    case 'hash': {
      const { hash_type: type, salt } = operator;
      if (type != null && type !== 'sha256' && type !== 'sha512') {
        issues.add(`${path}.hash_type`, 'type', 'expected sha256 or sha512');
      }
      if (salt != null && Buffer.byteLength(salt) < LEAST_SALT) {
        issues.add(`${path}.salt`, 'too_short', `expected at least ${LEAST_SALT} bytes, or none`);
      }
      return;
    }
    default:
      issues.add(`${path}.type`, 'unsupported', 'expected replace, redact, mask, hash or keep');
  }
}
