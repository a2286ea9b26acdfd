/**
 * Whether the replica that is asked may lack what has left Redis. A block is stored once a quorum of replicas has it, and its results
 * stay in Redis for a while after that. So a replica that is behind by less has all that Redis has not, and any other must not be asked:
 * it would answer that there is nothing.
 *
 * Sequential consistency of ClickHouse (`select_sequential_consistency`) would say so for each query. It needs
 * `insert_quorum_parallel = 0`, with which one insert into a table runs at a time in all of a cluster, and archivers refuse each other.
 */
import { ClickHouseError } from '@clickhouse/client';
import type { Asker } from './asker.js';

/** The tables of the database that are replicated. */
export interface ReplicaState {
  replicated: number;
  /** s by which the one that is furthest behind is behind */
  delay: number;
  /** those that have no connection to the others, so that they do not know how far they are behind */
  severed: number;
}

/** Errors with which ClickHouse says that it will not say: ACCESS_DENIED, UNKNOWN_IDENTIFIER, UNKNOWN_TABLE. Others pass. */
const NOT_SAID = new Set(['497', '47', '60']);
/** How long it counts that no table is replicated, or that ClickHouse does not say. */
const PLAIN_MS = 60_000;
const LONGEST_MS = 5000;

const QUERY = `SELECT toUInt32(count()) AS replicated, toFloat64(max(absolute_delay)) AS delay,
  toUInt32(countIf(is_readonly OR is_session_expired)) AS severed FROM system.replicas WHERE database = currentDatabase()`;

/** Whether rows of results that stay in Redis for `hotMs` may be missing. Half of that time is for what happens between two looks. */
export const mayLack = ({ delay, severed }: ReplicaState, hotMs: number): boolean =>
  severed > 0 || delay * 1000 > hotMs / 2;

/** Returns a function that throws when the replica may lack rows. It asks every few seconds, and every minute where tables are plain. */
export function createReplicaCheck(client: Asker, hotMs: number): (signal: AbortSignal) => Promise<void> {
  let known: { state: Promise<ReplicaState>; until: number } | undefined;

  async function read(signal: AbortSignal): Promise<ReplicaState> {
    try {
      const result = await client.query({ query: QUERY, format: 'JSONEachRow', abort_signal: signal });
      return (await result.json<ReplicaState>())[0]!;
    } catch (error) {
      // A user without the right to ask is no reason to answer nobody.
      if (error instanceof ClickHouseError && NOT_SAID.has(error.code)) return { replicated: 0, delay: 0, severed: 0 };
      throw error;
    }
  }

  return async (signal) => {
    if (known === undefined || performance.now() > known.until) {
      const asked = { state: read(signal), until: performance.now() + Math.min(LONGEST_MS, hotMs / 4) };
      known = asked;
      asked.state.then(
        ({ replicated }) => {
          if (replicated === 0) asked.until = performance.now() + PLAIN_MS;
        },
        () => {
          if (known === asked) known = undefined;
        },
      );
    }
    const state = await known.state;
    if (mayLack(state, hotMs)) {
      const why = state.severed > 0 ? 'is severed from the others' : `is ${state.delay} s behind`;
      throw new Error(`the replica of ClickHouse ${why} and may lack rows`);
    }
  };
}
