/**
 * Tells the audit log what is done for callers. Resolves once Redis has the entry, so that nothing is done that is not told.
 *
 *     idle ──an entry──> adding all entries that wait ──> adding those that came meanwhile, if any; else idle
 *
 * Only what people do is told: no check asks Redis for it.
 */
import { ApiError } from '../../shared/api/errors.js';
import type { Logger } from '../../shared/log.js';
import { type AuditedAct, type AuditLogRow, addAudit, auditRowNow } from '../../shared/streams/audit.js';
import type { Redis } from '../../shared/streams/client.js';

export interface AuditTrail {
  /** Rejects with 503 where the entries cannot be taken. */
  tell(acts: readonly AuditedAct[]): Promise<void>;
}

/** Entries that are added at once, and that wait at most; of one team half as many. */
const MOST_AT_ONCE = 500;
const MOST_WAITING = 4096;

interface WaitingEntry {
  row: AuditLogRow;
  resolve(): void;
  reject(error: Error): void;
}

export function createAuditTrail(redis: Redis, logger: Logger): AuditTrail {
  const waiting: WaitingEntry[] = [];
  let adding = false;
  /** the failure that was logged last, so that an outage is one line */
  let told = '';

  function say(problem: string): void {
    if (problem !== '' && problem !== told) {
      logger.warn({ problem }, 'the audit log takes no entries; what it is to tell is refused');
    }
    told = problem;
  }

  async function add(some: readonly WaitingEntry[]): Promise<void> {
    const taken = await addAudit(
      redis,
      some.map(({ row }) => row),
    );
    say(taken.includes(false) ? 'There is no room until ClickHouse takes entries.' : '');
    for (const [i, { resolve, reject }] of some.entries()) {
      if (taken[i]) resolve();
      else reject(unavailable());
    }
  }

  async function work(): Promise<void> {
    adding = true;
    while (waiting.length > 0) {
      const some = waiting.splice(0, MOST_AT_ONCE);
      await add(some).catch((error: unknown) => {
        say(String(error));
        for (const { reject } of some) reject(unavailable());
      });
    }
    adding = false;
  }

  return {
    async tell(acts) {
      const team = acts[0]?.team;
      const ofTeam = waiting.filter(({ row }) => row.team === team).length;
      if (waiting.length + acts.length > MOST_WAITING || ofTeam + acts.length > MOST_WAITING / 2) throw unavailable();
      const added = acts.map(
        (act) => new Promise<void>((resolve, reject) => waiting.push({ row: auditRowNow(act), resolve, reject })),
      );
      if (!adding) void work();
      await Promise.all(added);
    },
  };
}

const unavailable = (): ApiError =>
  new ApiError('unavailable', 'The audit log cannot be written at the moment. Try again.');
