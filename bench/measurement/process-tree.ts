/**
 * What a process and its children cost together, read from /proc: the worker decodes in processes that come and go, and
 * that it alone knows.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { residentMib, ticksPerSecond } from './processes.js';

interface Member {
  pid: number;
  parent: number;
  /** its own and those of children it has waited for */
  ticks: number;
}

export interface TreeWatch {
  /** Ends the watch: CPU seconds since it began, most memory at once in MiB. Undefined without /proc. */
  stop(): { cpuSeconds: number; peakMib: number } | undefined;
}

/** Watches the process `pid` and all below it. */
export function watchTree(pid: number, everyMs: number = 250): TreeWatch {
  const before = ticksOf(pid);
  let peakMib = 0;
  const sample = (): void => {
    const sum = treeOf(pid).reduce((total, member) => total + (residentMib(member.pid) ?? 0), 0);
    peakMib = Math.max(peakMib, sum);
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    stop() {
      clearInterval(timer);
      sample();
      const after = ticksOf(pid);
      if (before === undefined || after === undefined) return undefined;
      return { cpuSeconds: (after - before) / ticksPerSecond(), peakMib };
    },
  };
}

function ticksOf(pid: number): number | undefined {
  const members = treeOf(pid);
  return members.length === 0 ? undefined : members.reduce((sum, { ticks }) => sum + ticks, 0);
}

/** `pid` and all that descend from it; empty when it is gone, and where there is no /proc. */
function treeOf(pid: number): Member[] {
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

function memberOf(pid: number): Member | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid, parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}
