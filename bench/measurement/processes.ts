/**
 * What the processes of the stack cost, read from /proc: CPU as user + system ticks, memory as resident set. Where
 * there is no /proc (anything but Linux) there are no figures, rather than wrong ones.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface WatchedProcess {
  /** ingress, worker, redis, clickhouse, generator; several may share a name */
  name: string;
  pid: number;
}

export interface ProcessCost {
  name: string;
  pid: number;
  cpuSeconds: number;
  /** MiB */
  rssMin: number;
  rssMax: number;
  /** MiB a minute, by least squares over the run */
  rssSlope: number;
}

export interface ProcessWatch {
  /** Ends the watch and tells what each process cost since it began. Empty where /proc cannot be read. */
  stop(): ProcessCost[];
}

/** CPU seconds of the process so far; undefined if it is gone or there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    return parseCpuTicks(readFileSync(`/proc/${pid}/stat`, 'utf8')) / ticksPerSecond();
  } catch {
    return undefined;
  }
}

/** Ticks of user and system time in a line of /proc/<pid>/stat. The name in parentheses may hold anything. */
export function parseCpuTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Resident memory; undefined if the process is gone or there is no /proc. */
export function residentMib(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
}

let ticks = 0;
export function ticksPerSecond(): number {
  if (ticks === 0) {
    try {
      ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
    } catch {
      // 100 on every Linux of the last twenty years.
      ticks = 100;
    }
  }
  return ticks;
}

/** Watches `processes` until stopped: CPU from end to end, memory every `everyMs`. */
export function watchProcesses(processes: readonly WatchedProcess[], everyMs: number = 1000): ProcessWatch {
  const watched = processes.map((process) => ({
    process,
    before: cpuSeconds(process.pid),
    points: [] as [seconds: number, mib: number][],
  }));
  const started = performance.now();
  const sample = (): void => {
    for (const { process, points } of watched) {
      const mib = residentMib(process.pid);
      if (mib !== undefined) points.push([(performance.now() - started) / 1000, mib]);
    }
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return watched.flatMap(({ process, before, points }) => {
        const after = cpuSeconds(process.pid);
        if (before === undefined || after === undefined || points.length === 0) return [];
        const sizes = points.map(([, mib]) => mib);
        return {
          ...process,
          cpuSeconds: after - before,
          rssMin: Math.min(...sizes),
          rssMax: Math.max(...sizes),
          rssSlope: slope(points) * 60,
        };
      });
    },
  };
}

/** Slope of the line through `points` by least squares; 0 where there is none. */
export function slope(points: readonly (readonly [number, number])[]): number {
  const n = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
