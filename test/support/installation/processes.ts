/** Processes as Linux lists them; elsewhere there are none to be seen. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Whether processes can be looked at here. */
export const SEEN = existsSync('/proc/self/status');

/** Children of `pid` whose command line names `program`. */
export function childrenOf(pid: number, program: string): number[] {
  if (!SEEN) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid && read(name, 'cmdline').includes(program))
    .map(Number);
}

/** Whether a process is still there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process runs. One that has ended and was not waited for does not. */
export const runs = (pid: number): boolean => lives(pid) && !(SEEN && /^[ZX]$/.test(statOf(String(pid))[0]!));

/** The most resident bytes that a process ever held; 0 once it is gone. */
export const peakOf = (pid: number): number => kilobytes(pid, 'VmHWM') * 1024;

/** The resident bytes that a process holds; 0 once it is gone. */
export const residentOf = (pid: number): number => kilobytes(pid, 'VmRSS') * 1024;

const kilobytes = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(read(String(pid), 'status'))?.[1] ?? 0);

/** The session that a process is in. */
export const sessionOf = (pid: number): number => Number(statOf(String(pid))[3]);

const parentOf = (pid: string): number => Number(statOf(pid)[1]);

// proc_pid_stat(5), from its third field on. The name of the program, in parentheses, may hold anything.
const statOf = (pid: string): string[] => read(pid, 'stat').split(') ').at(-1)!.split(' ');

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone already
  }
}
