/**
 * What the processes of the stack cost, read from /proc: CPU as user and system ticks, memory as resident set. Without
 * /proc (anything but Linux) there are no figures.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface WatchedProcess {
  /** ingress, worker, redis, clickhouse, generator; several may share a name */
  name: string;
  pid: number;
  /** count its child processes too, also those that come and go */
  withChildren?: boolean;
}

export interface ProcessCost {
  name: string;
  /** of a process of this machine */
  pid?: number;
  /** of one of a running installation: host and port */
  at?: string;
  cpuSeconds: number;
  /** MiB */
  rssMin: number;
  rssMax: number;
  /** MiB a minute, by least squares over the run */
  rssSlope: number;
}

export interface ProcessWatch {
  /** Ends the watch; returns what each process cost since it began. Empty where /proc cannot be read. */
  stop(): ProcessCost[];
}

/** CPU seconds of the process so far; undefined if it is gone or there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat === undefined ? undefined : parseCpuTicks(stat) / ticksPerSecond();
}

/** Ticks of user and system time in a line of /proc/<pid>/stat. */
export function parseCpuTicks(stat: string): number {
  const fields = fieldsOf(stat);
  return Number(fields[11]) + Number(fields[12]);
}

function statOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

/** The fields after the name of the process. The name stands in parentheses and may hold anything. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Resident memory; undefined if the process is gone or there is no /proc. */
function residentMib(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
}

interface TreeProcess {
  pid: number;
  parent: number;
  /** its own, and those of ended children that it has waited for */
  ticks: number;
}

/** `pid` and all its descendants; empty when it is gone, and where there is no /proc. */
function treeOf(pid: number): TreeProcess[] {
  const all = processIds().flatMap((id) => memberOf(id) ?? []);
  const tree = all.filter((member) => member.pid === pid);
  for (const { pid: parent } of tree) tree.push(...all.filter((member) => member.parent === parent));
  return tree;
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function memberOf(pid: number): TreeProcess | undefined {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  const fields = fieldsOf(stat);
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), ticks };
}

function cpuOf({ pid, withChildren }: WatchedProcess): number | undefined {
  if (!withChildren) return cpuSeconds(pid);
  const members = treeOf(pid);
  if (members.length === 0) return undefined;
  return members.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond();
}

function memoryOf({ pid, withChildren }: WatchedProcess): number | undefined {
  if (!withChildren) return residentMib(pid);
  const sizes = treeOf(pid).flatMap((member) => residentMib(member.pid) ?? []);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, mib) => sum + mib, 0);
}

let ticks = 0;
function ticksPerSecond(): number {
  if (ticks === 0) {
    try {
      ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
    } catch {
      // The usual value on Linux.
      ticks = 100;
    }
  }
  return ticks;
}

/** Children may live for less than a second. */
const everyMsOf = (processes: readonly WatchedProcess[]): number =>
  processes.some(({ withChildren }) => withChildren) ? 250 : 1000;

/** Watches `processes` until stopped: CPU from end to end, memory every `everyMs`. */
export function watchProcesses(
  processes: readonly WatchedProcess[],
  everyMs: number = everyMsOf(processes),
): ProcessWatch {
  const watched = processes.map((process) => ({
    process,
    before: cpuOf(process),
    points: [] as [seconds: number, mib: number][],
  }));
  const started = performance.now();
  const sample = (): void => {
    for (const { process, points } of watched) {
      const mib = memoryOf(process);
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
        const after = cpuOf(process);
        if (before === undefined || after === undefined || points.length === 0) return [];
        const sizes = points.map(([, mib]) => mib);
        return {
          name: process.name,
          pid: process.pid,
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
