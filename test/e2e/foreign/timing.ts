/**
 * How long look-ups of another team's ids take beside those of nobody's, in turn, hot and cold. Prints medians and how
 * far apart the two distributions are, next to how far apart two halves of the same one are:
 * `node --import tsx test/e2e/foreign/timing.ts [rounds]`.
 */
import { type System, startSystem } from '../system.ts';
import { ASKING, LOOKUPS, nobodys, type Theirs, theirs } from './look-ups.ts';

const ROUNDS = Number(process.argv[2] ?? 400);
const METADATA_BYTES = 20_000;

async function compare(system: System, label: string, ids: Theirs): Promise<void> {
  const absent = nobodys(ids);
  for (const [name, path] of Object.entries(LOOKUPS)) {
    const times: Record<'foreign' | 'absent', number[]> = { foreign: [], absent: [] };
    for (let i = 0; i < ROUNDS; i++) {
      // Which of both comes first changes, so that neither profits from the other.
      for (const kind of i % 2 === 0 ? (['foreign', 'absent'] as const) : (['absent', 'foreign'] as const)) {
        const started = performance.now();
        await system.get(path(kind === 'foreign' ? ids : absent), ASKING);
        times[kind].push(performance.now() - started);
      }
    }
    const half = (list: number[], parity: number): number[] => list.filter((_, i) => i % 2 === parity);
    const own = Math.max(
      distance(half(times.foreign, 0), half(times.foreign, 1)),
      distance(half(times.absent, 0), half(times.absent, 1)),
    );
    const apart = distance(times.foreign, times.absent);
    const row = [median(times.foreign), median(times.absent)].map((ms) => `${ms.toFixed(3)} ms`);
    console.log(
      `${label} ${name}: foreign ${row[0]}, absent ${row[1]}, distance ${apart.toFixed(3)} (own halves ${own.toFixed(3)})`,
    );
  }
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Kolmogorov and Smirnov's: the largest difference of the two cumulative distributions, 0 to 1. */
function distance(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [[...a].sort((p, q) => p - q), [...b].sort((p, q) => p - q)];
  let most = 0;
  for (let i = 0, j = 0; i < x.length && j < y.length; ) {
    if (x[i]! <= y[j]!) i++;
    else j++;
    most = Math.max(most, Math.abs(i / x.length - j / y.length));
  }
  return most;
}

const system = await startSystem({ env: { WEIR_HOT_SECONDS: '3600' } });
try {
  await compare(system, 'hot', await theirs(system, METADATA_BYTES));
} finally {
  await system.close();
}
const second = await startSystem({ env: { WEIR_HOT_SECONDS: '1' } });
try {
  const ids = await theirs(second, METADATA_BYTES);
  await second.cold(ids.event);
  await second.cold(ids.session);
  await compare(second, 'cold', ids);
} finally {
  await second.close();
}
