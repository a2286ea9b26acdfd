/** The header Prefer (RFC 7240): how long a caller wants to wait for the answer of a check. */

const WAIT = /^\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;|$)/i;

/**
 * Whole seconds from 1 to the deadline that `prefer` asks for; 0 where it asks for none, or for what cannot be had. Of two
 * the first counts; a preference that is not known is ignored.
 */
export function waitOf(prefer: string, deadlineMs: number): number {
  if (prefer === '') return 0;
  for (const preference of prefer.split(',')) {
    const found = WAIT.exec(preference);
    if (!found) continue;
    const seconds = Number(found[1] ?? found[2]);
    return seconds * 1000 <= deadlineMs ? seconds : 0;
  }
  return 0;
}
