/** What callers and operators are told of an erasure. */
import type { ErasureReceipt } from './api/types.js';
import type { ErasedExport, Erasure, HeldBy } from './streams/erasures.js';

/** In the order in which they are told. */
const HELD: Readonly<Record<HeldBy | 'clickhouse_parts' | 'backups', string>> = {
  redis:
    'files that Redis writes, until it writes them anew: at its next snapshot, or as the service that runs it does',
  redis_replicas: 'files of replicas of Redis, until each writes its own anew',
  clickhouse_replicas: 'replaced parts on other replicas of ClickHouse, some minutes longer',
  clickhouse_parts: 'replaced parts on the disk of ClickHouse, for some minutes',
  backups: 'copies of the stores and exports that were made before, as long as you keep them',
};

export function receiptOf(erasure: Erasure): ErasureReceipt {
  const { id, subject, state, waits, requested, erased, complete, removed } = erasure;
  return {
    erasure_id: id,
    subject,
    state,
    waiting_for: waits === '' ? null : waits,
    requested_at: new Date(requested).toISOString(),
    erased_at: timeOf(erased),
    complete_at: timeOf(complete),
    removed: {
      items: removed.items,
      dead_letters: removed.deadLetters,
      refused_entries: removed.refusedEntries,
      deliveries: removed.deliveries,
      streams: removed.streams,
      context_texts: removed.contexts,
    },
    ...(erasure.exports?.length ? { exports: erasure.exports.map(exportOf) } : {}),
    held_by: heldBy(erasure).map((store) => ({ store, what: HELD[store] })),
  };
}

const exportOf = ({
  id,
  begun,
  since,
  until,
  format,
}: ErasedExport): NonNullable<ErasureReceipt['exports']>[number] => ({
  export_id: id,
  begun_at: new Date(begun).toISOString(),
  from: new Date(since).toISOString(),
  to: new Date(until).toISOString(),
  format,
});

const timeOf = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

/** Before it is erased everything has it. */
function heldBy({ state, held }: Erasure): (keyof typeof HELD)[] {
  if (state === 'complete') return [...held, 'backups'];
  return state === 'erased' ? ['redis', 'clickhouse_parts', 'backups'] : [];
}
