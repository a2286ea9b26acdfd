/** Validates what is to be restored (decisions, Evidence, masks, labels). */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { RestoreRequest } from '../types.js';
import { bareInput, createIssues, type Issues, type Validation } from './issues.js';
import { hasShape } from './shape.js';

const RESTORE = { is: createIs<RestoreRequest>(), explain: createValidate<RestoreRequest>() };

export function validateRestore(body: unknown): Validation {
  const issues = createIssues();
  if (isTooMany(issues, body)) return { ok: false, issues: issues.list };
  if (hasShape(issues, body, RESTORE)) {
    const { text, sealed } = body;
    const texts = listOf(text);
    const seals = listOf(sealed);
    checkSizes(issues, texts, seals);
    if (issues.list.length === 0) {
      const lists = { text: Array.isArray(text), sealed: Array.isArray(sealed) };
      return { ok: true, value: { ...bareInput(), eventIds: [], restore: { texts, seals, lists } } };
    }
  }
  return { ok: false, issues: issues.list };
}

/** Lists are not read beyond their limit. */
function isTooMany(issues: Issues, body: unknown): boolean {
  const { text, sealed } = (body ?? {}) as { text?: unknown; sealed?: unknown };
  if (Array.isArray(text) && text.length > LIMITS.restoreTexts) {
    issues.add('text', 'too_many', `expected at most ${LIMITS.restoreTexts} texts`);
  }
  if (Array.isArray(sealed) && sealed.length > LIMITS.restoreSeals) {
    issues.add('sealed', 'too_many', `expected at most ${LIMITS.restoreSeals} seals`);
  }
  return issues.list.length > 0;
}

function checkSizes(issues: Issues, texts: readonly string[], seals: readonly string[]): void {
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > LIMITS.restoreTextBytes) {
    issues.add('text', 'content_too_large', `expected at most ${LIMITS.restoreTextBytes} bytes`);
  }
  const most = Math.max(0, ...seals.map(({ length }) => length));
  if (most > LIMITS.sealBytes) {
    issues.add('sealed', 'content_too_large', `expected at most ${LIMITS.sealBytes} bytes in a seal`);
  }
  if (seals.reduce((sum, { length }) => sum + length, 0) > LIMITS.restoreSealBytes) {
    issues.add(
      'sealed',
      'content_too_large',
      `expected at most ${LIMITS.restoreSealBytes} bytes in all seals together`,
    );
  }
}

const listOf = (value: string | string[]): string[] => (typeof value === 'string' ? [value] : value);
