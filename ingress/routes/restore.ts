/** Puts back what marks of checks with `redact=reversible` stand for (decisions, Evidence, masks, labels). Needs neither a worker nor a store. */
import { validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import type { RestoreResult } from '../../shared/api/types.js';
import type { CheckInput, RestoreInput } from '../../shared/api/validate/issues.js';
import { bearerOf } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { restoredTexts } from '../seals/restore.js';
import { openSeal } from '../seals/seal.js';
import { answering } from './body.js';

function restored(edge: Edge, exchange: Exchange, { restore: input }: CheckInput): string {
  if (!input) throw new Error('a restoring was not read as one');
  const texts = restoredTexts(input.texts, openedMarks(edge, exchange, input), LIMITS.restoredBytes);
  if (!texts) {
    const message = `expected texts that have at most ${LIMITS.restoredBytes} bytes once they are restored`;
    throw validationError([{ path: 'text', code: 'content_too_large', message }]);
  }
  const text = input.lists.text ? texts : texts[0]!;
  return JSON.stringify({ text } satisfies RestoreResult);
}

const NOT_OPENED =
  'cannot be opened: it was made for another API key or by another release, or it is not as it was answered';
const CONFLICT = 'has another value for a mark than a seal before it. Restore their texts one by one';

/** The values of all seals, by mark. Throws 400, which says of none of them what it has. */
function openedMarks(
  { metrics }: Edge,
  { key, headers }: Exchange,
  { seals, lists }: RestoreInput,
): Map<string, string> {
  const owner = { token: bearerOf(headers) ?? '', team: key.team, key: key.id };
  const marks = new Map<string, string>();
  for (const [i, sealed] of seals.entries()) {
    const path = lists.sealed ? `sealed[${i}]` : 'sealed';
    const opened = openSeal(owner, sealed);
    metrics.seals(opened ? 'opened' : 'refused', 1);
    if (!opened) throw validationError([{ path, code: 'sealed', message: NOT_OPENED }]);
    for (const [mark, value] of opened) {
      if ((marks.get(mark) ?? value) !== value) throw validationError([{ path, code: 'conflict', message: CONFLICT }]);
      marks.set(mark, value);
    }
  }
  return marks;
}

export const restoreRoutes = { restore: answering('restore', restored) } satisfies RouteHandlers;
