/** Turns the bytes of a body into what dispatch needs, or into what is wrong with it. Runs on the loop and on threads. */
import { isAscii, isUtf8 } from 'node:buffer';
import { readEvent, readEvents } from '../../shared/api/read/events.js';
import type { Issue } from '../../shared/api/types.js';
import { validateAppeal } from '../../shared/api/validate/appeal.js';
import { validateModerations } from '../../shared/api/validate/dialects/moderations.js';
import { validatePerspective } from '../../shared/api/validate/dialects/perspective.js';
import { validateAnalyze, validateAnonymize } from '../../shared/api/validate/dialects/presidio.js';
import { GATEWAY_VALIDATORS, readsText } from '../../shared/api/validate/gateway/kinds.js';
import {
  validateGuardrail,
  validateNewestGuardrail,
  validateWholeGuardrail,
} from '../../shared/api/validate/guardrail.js';
import { validateLabel } from '../../shared/api/validate/label.js';
import { validateProtect } from '../../shared/api/validate/protect.js';
import { repeatedNames } from '../../shared/api/validate/repeated.js';
import { validateReplay } from '../../shared/api/validate/replay.js';
import { validateRestore } from '../../shared/api/validate/restore.js';
import { validateStream } from '../../shared/api/validate/stream.js';
import { validateTry } from '../../shared/api/validate/try.js';
import { validateBacktest, validatePolicyTests } from '../../shared/api/validate/try-many.js';
import {
  issuesOfEvent,
  issuesOfEvents,
  type TextLimits,
  type Validation,
  validateArtifact,
  validateSession,
} from '../../shared/api/validate/validate.js';
import { skimmedArtifact } from './skimmed-artifact.js';

/** `invalid`: why it is not JSON, without quoting the body. `unexplained`: it was refused, and nothing was found to be wrong with it. */
export type ParseResult = (Validation & { unexplained?: true }) | { ok: null; invalid: string };

const VALIDATORS = {
  guardrail: validateGuardrail,
  newestGuardrail: validateNewestGuardrail,
  wholeGuardrail: validateWholeGuardrail,
  session: validateSession,
  protect: validateProtect,
  artifact: validateArtifact,
  stream: validateStream,
  moderations: validateModerations,
  perspective: validatePerspective,
  analyze: validateAnalyze,
  anonymize: validateAnonymize,
  restore: validateRestore,
  label: validateLabel,
  appeal: validateAppeal,
  try: validateTry,
  backtest: validateBacktest,
  policyTests: validatePolicyTests,
  replay: validateReplay,
  ...GATEWAY_VALIDATORS,
};

/** Bodies that are read in one walk, and what explains those that are refused. */
const READERS = {
  events: { read: readEvents, explain: issuesOfEvents },
  event: { read: readEvent, explain: issuesOfEvent },
};

type ReadKind = keyof typeof READERS;

/** How a body is read: as a kind of check, or as an adapter's request that becomes one. */
export type BodyKind = keyof typeof VALIDATORS | ReadKind;

const isRead = (kind: BodyKind): kind is ReadKind => kind in READERS;

/**
 * V8's message quotes the body, which may contain `position 4` itself. Only the position is taken, and only from the end of the
 * message, where nothing is quoted.
 */
const POSITION = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/;

export function parseBody(kind: BodyKind, body: Buffer, limits?: TextLimits): ParseResult {
  const ascii = isAscii(body);
  if (!ascii && !isUtf8(body)) return { ok: null, invalid: 'The body is not valid UTF-8.' };
  if (isRead(kind)) {
    const value = READERS[kind].read(body);
    if (value) return { ok: true, value };
  }
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
    if (readsText(kind)) {
      // ASCII in UTF-16 or UTF-32: whoever reads it so has other words before him.
      if (text.includes('\0')) return { ok: null, invalid: 'The body is no text in UTF-8.' };
      const json = JSON.stringify(text);
      return validated(kind, text, { body: Buffer.from(json), bytes: body.length, json, limits });
    }
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

/** A body that its reader refused and that has nothing wrong with it would be a defect. It is refused all the same, and counted. */
const UNEXPLAINED: Issue = { path: '', code: 'type', message: 'does not have the expected shape' };

function validated(kind: BodyKind, value: unknown, { body, bytes, json, limits }: SentBody): ParseResult {
  const repeated = repeatedNames(body, json);
  if (repeated.length > 0) return { ok: false, issues: repeated };
  if (!isRead(kind)) return VALIDATORS[kind](value, bytes, json, limits);
  const issues = READERS[kind].explain(value, bytes, json);
  return issues.length > 0 ? { ok: false, issues } : { ok: false, issues: [UNEXPLAINED], unexplained: true };
}
