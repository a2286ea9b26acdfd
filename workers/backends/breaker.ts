/**
 * Keeps calls from a backend that fails:
 *
 *     closed ──5 failures in a row──> open ──10 s──> one call is let through
 *       ^                              ^                │       │
 *       └──────────────────────────────┼─── it is answered      │
 *                                      └──────────────── it fails
 *
 * An answer that cannot be used is no failure of the backend: a content that brings it about must not keep others from being judged.
 */
export interface BackendBreaker {
  /** Whether no call would be let through now. */
  refuses(): boolean;
  /** Lets a call through, unless it refuses: tell how it ends. */
  admits(): boolean;
  /** `undefined`: the call ended for reasons of its own, and says nothing of the backend. */
  ended(well: boolean | undefined): void;
  isOpen(): boolean;
}

const MOST_FAILURES = 5;
const OPEN_MS = 10_000;

export function createBreaker(now: () => number = () => performance.now()): BackendBreaker {
  let failures = 0;
  let openUntil = 0;
  let trying = false;
  const isOpen = (): boolean => failures >= MOST_FAILURES;
  const refuses = (): boolean => isOpen() && (trying || now() < openUntil);
  return {
    isOpen,
    refuses,
    admits() {
      if (refuses()) return false;
      trying = isOpen();
      return true;
    },
    ended(well) {
      trying = false;
      if (well === true) failures = 0;
      if (well !== false) return;
      failures++;
      if (isOpen()) openUntil = now() + OPEN_MS;
    },
  };
}
