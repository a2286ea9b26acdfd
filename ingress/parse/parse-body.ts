/** Turns the bytes of a body into what dispatch needs, or into what is wrong with it. Runs on the loop and on threads. */
import { isAscii, isUtf8 } from 'node:buffer';
import { readEvent, readEvents } from '../../shared/api/read/events.js';
import {
  validateGuardrail,
  validateNewestGuardrail,
  validateWholeGuardrail,
} from '../../shared/api/validate/guardrail.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import { repeatedNames } from '../../shared/api/validate/repeated.js';
import {
  type TextLimits,
  type Validation,
  validateArtifact,
  validateEvent,
  validateEvents,
  validateSession,
} from '../../shared/api/validate/validate.js';
import { skimmedArtifact } from './skimmed-artifact.js';

/** `invalid`: why it is not JSON, without quoting the body. */
export type ParseResult = Validation | { ok: null; invalid: string };

const VALIDATORS = {
  guardrail: validateGuardrail,
  newestGuardrail: validateNewestGuardrail,
  wholeGuardrail: validateWholeGuardrail,
  events: validateEvents,
  event: validateEvent,
  session: validateSession,
  artifact: validateArtifact,
};

/** Those of most requests. What they leave is validated. */
const READERS: Partial<Record<BodyKind, (body: Buffer) => CheckInput | undefined>> = {
  events: readEvents,
  event: readEvent,
};

/** How a body is read: as a kind of check, or as an adapter's request that becomes one. */
export type BodyKind = keyof typeof VALIDATORS;

/**
 * V8's message quotes the body, which may contain `position 4` itself. Only the position is taken, and only from the end of the
 * message, where nothing is quoted.
 */
const POSITION = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/;

export function parseBody(kind: BodyKind, body: Buffer, limits?: TextLimits): ParseResult {
  const ascii = isAscii(body);
  if (!ascii && !isUtf8(body)) return { ok: null, invalid: 'The body is not valid UTF-8.' };
  const read = READERS[kind]?.(body);
  if (read) return { ok: true, value: read };
  const skimmed = kind === 'artifact' ? skimmedArtifact(body) : undefined;
  if (skimmed)
    return validated(kind, skimmed.value, {
      body: Buffer.from(skimmed.json),
      bytes: body.length,
      json: skimmed.json,
      limits,
    });
  const text = body.toString(ascii ? 'latin1' : 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = POSITION.exec((error as Error).message)?.[1];
    const where = position === undefined ? '' : `, at character ${position}`;
    return { ok: null, invalid: body.length === 0 ? 'The body is empty.' : `The body is not valid JSON${where}.` };
  }
  return validated(kind, value, { body, bytes: body.length, json: text, limits });
}

/** A body as it is read: without its image, where that was skimmed. `bytes`: its length as sent. */
interface SentBody {
  body: Buffer;
  bytes: number;
  json: string;
  limits: TextLimits | undefined;
}

function validated(kind: BodyKind, value: unknown, { body, bytes, json, limits }: SentBody): Validation {
  const issues = repeatedNames(body, json);
  return issues.length > 0 ? { ok: false, issues } : VALIDATORS[kind](value, bytes, json, limits);
}
