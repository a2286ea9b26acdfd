import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createDecoder } from '#weir/workers/images/decode/pool';
import type { Rendition } from '#weir/workers/images/decode/types';
import { hostileImages } from '../../../support/images/hostile-images.ts';
import { until } from '../../../support/wait.ts';

const RENDITIONS: Rendition[] = [{ width: 64, height: 64, kind: 'gray', fit: 'fill' }];
const MIB = 1024 * 1024;
const MEMORY_BYTES = 400 * MIB;

/** The peak memory of a process in bytes; 0 if the system does not tell. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // gone already
  }
}

describe('hostile images', () => {
  it('each end in a documented outcome, within the memory limit, and leave nothing behind', async (t) => {
    const corpus = await hostileImages();
    assert.ok(corpus.length >= 200, `${corpus.length} files`);
    const decoder = createDecoder({
      workers: 2,
      memoryBytes: MEMORY_BYTES,
      cpuMs: 20_000,
      limitMs: 20_000,
      waiting: { images: 2000, bytes: 2 ** 31 },
    });
    t.after(() => decoder.close());
    const seen = new Set<number>();
    let peak = 0;
    const watch = setInterval(() => {
      for (const pid of decoder.pids()) {
        seen.add(pid);
        peak = Math.max(peak, peakOf(pid));
      }
    }, 20);
    t.after(() => clearInterval(watch));
    const wrong: string[] = [];
    const counted: Record<string, number> = {};
    await Promise.all(
      corpus.map(async ({ name, bytes, outcomes }) => {
        const result = await decoder.decode(bytes, { renditions: RENDITIONS });
        const outcome = result.ok ? 'decoded' : result.reason;
        counted[outcome] = (counted[outcome] ?? 0) + 1;
        if (!outcomes.includes(outcome)) wrong.push(`${name}: ${outcome}, expected ${outcomes.join(' or ')}`);
        if (result.ok) assert.equal(result.pixels[0]!.data.length, 64 * 64);
      }),
    );
    assert.deepEqual(wrong, []);
    // Between two checks (10 ms) a decode may take some more.
    assert.ok(peak < MEMORY_BYTES + 200 * MIB, `peak ${Math.round(peak / MIB)} MiB`);
    assert.deepEqual(decoder.counts(), { workers: decoder.counts().workers, busy: 0, waiting: 0, waitingBytes: 0 });
    await decoder.close();
    await until('all processes are gone', () =>
      [...seen].every((pid) => {
        try {
          process.kill(pid, 0);
          return false;
        } catch {
          return true;
        }
      }),
    );
    t.diagnostic(`${corpus.length} files, peak ${Math.round(peak / MIB)} MiB, ${JSON.stringify(counted)}`);
  });
});
