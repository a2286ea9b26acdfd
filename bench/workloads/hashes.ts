/**
 * Measures the search of a list of known images by itself, without a stack: each image has eight hashes to look for, one
 * for each turn and mirror. The kinds of images take turns, so that other work of the machine slows all of them alike.
 */
import { buildHashIndex, hashIndex, readHash, words } from '../../shared/pdq/hash-index.js';
import { TRANSFORMS } from '../../shared/pdq/pdq.js';
import { type Latency, latencyHistogram } from '../measurement/histogram.js';
import type { Environment } from '../report/environment.js';
import { table } from '../report/table.js';
import { seeded } from './random.js';

export const LIST_SIZE = 1_000_000;
const WARMUP_ROUNDS = 10;
const IMAGES_A_TURN = 20;

/** The nearest hash is `away` bits away; the search looks within `within` bits. */
const KINDS = [
  { name: 'nothing near, within 31 bits (default)', within: 31, away: Infinity },
  { name: 'nothing near, within 20 bits', within: 20, away: Infinity },
  { name: 'one 20 bits away', within: 31, away: 20 },
  { name: 'one that is there', within: 31, away: 0 },
] as const;

export interface HashFigures {
  size: number;
  buildMs: number;
  hashesMb: number;
  indexMb: number;
  /** milliseconds for each image */
  kinds: { name: string; latency: Latency }[];
}

/** Builds a list of `size` random hashes and searches it for `seconds`. Throws when a search misses what is there. */
export function measureHashes(size: number, seconds: number): HashFigures {
  const random = seeded(20260601);
  const word = (): number => random.next() * 2 ** 32;
  const hashes = words(8 * size, { shared: true });
  for (let i = 0; i < hashes.length; i++) hashes[i] = word();
  const started = performance.now();
  const data = buildHashIndex(hashes, { shared: true });
  const buildMs = performance.now() - started;
  const index = hashIndex(data);
  const image = (away: number): Uint8Array[] => {
    const turned = TRANSFORMS.map(() => readHash(words(8).map(word), 0));
    if (away === Infinity) return turned;
    const known = readHash(hashes, random.between(0, size - 1));
    for (let bit = 0; bit < away; bit++) known[bit]! ^= 1 << random.between(0, 7);
    return turned.with(random.between(0, turned.length - 1), known);
  };
  const kinds = KINDS.map((kind) => ({ ...kind, histogram: latencyHistogram() }));
  const end = performance.now() + seconds * 1000;
  for (let round = 0; round <= WARMUP_ROUNDS || performance.now() < end; round++) {
    for (const { name, within, away, histogram } of kinds) {
      for (let i = 0; i < IMAGES_A_TURN; i++) {
        const turned = image(away);
        const before = performance.now();
        const match = index.nearestOf(turned, within);
        const ms = performance.now() - before;
        if ((match?.distance ?? Infinity) !== away)
          throw new Error(`The search for "${name}" found ${match?.distance}.`);
        if (round >= WARMUP_ROUNDS) histogram.record(ms);
      }
    }
  }
  const megabytes = (parts: readonly Uint32Array[]): number =>
    parts.reduce((sum, part) => sum + part.byteLength, 0) / 1e6;
  return {
    size,
    buildMs,
    hashesMb: megabytes([hashes]),
    indexMb: megabytes([...data.rows, ...data.postings]),
    kinds: kinds.map(({ name, histogram }) => ({ name, latency: histogram.summary() })),
  };
}

export function renderHashes(figures: HashFigures, { commit, dirty, cores, cpu, node }: Environment): string {
  const { size, buildMs, hashesMb, indexMb, kinds } = figures;
  const rows = kinds.map(({ name, latency }) => [
    name,
    ...[latency.p50, latency.p99, latency.max].map((ms) => ms.toFixed(3)),
    latency.count.toLocaleString('en-US'),
  ]);
  return `${table(['Image', 'p50 ms', 'p99 ms', 'Max ms', 'Images'], rows)}

${size.toLocaleString('en-US')} random hashes: ${hashesMb.toFixed(0)} MB, and ${indexMb.toFixed(0)} MB of index, built in ${(buildMs / 1000).toFixed(2)} s.
Commit ${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}, ${cores} × ${cpu}, Node ${node}.
`;
}
