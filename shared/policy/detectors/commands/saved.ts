/** Files that a script fetches or writes, and whether it then runs them. */
import { saidBy } from './input.js';
import { CODE, SHELLS } from './names.js';
import { optionsOf } from './options.js';
import { FETCHES, type ShellCommand, type Word } from './words.js';

/** More files of one script are not remembered. */
const MOST_SAVED = 64;
/** So much of a file that is written is known. */
const LONGEST_SCRIPT = 4096;
/** A file that may be a script. */
const SCRIPT = /^[^&\d/-]|^\/[^d]|^\/d(?!ev\/)|^\/dev\/shm\//;

/** Options of programs that fetch, whose value is the next word. */
const VALUED = 'o output O output-document d data H header X request u user A user-agent b e x P'.split(' ');
/** wget calls a file as its address does, and curl where it is asked to. */
const BY_ADDRESS = new Set(['wget', 'aria2c', 'fetch']);

/** Remembers the names of the files in which a command saves what it fetches. */
export function rememberSaved(
  saved: Map<string, string | undefined>,
  name: string,
  args: readonly Word[],
  command: ShellCommand,
): void {
  if (saved.size >= MOST_SAVED) return;
  const written = command.redirects.find(({ op, target }) => op === '>' && SCRIPT.test(target.text))?.target.text;
  const file = written ?? (name === 'tee' ? args.find(({ text }) => !text.startsWith('-'))?.text : undefined);
  const said = file === undefined ? undefined : saidBy(command).text;
  if (said !== undefined) saved.set(baseOf(file!), said.slice(0, LONGEST_SCRIPT));
  if (!(FETCHES.has(name) || FETCHES_IN_WINDOWS.has(name))) return;
  for (const file of FETCHES_IN_WINDOWS.has(name) ? savedInWindows(name, args) : savedBy(name, args, command)) {
    const base = baseOf(file);
    if (base !== '' && base !== '-') saved.set(base, undefined);
  }
}

function savedBy(name: string, args: readonly Word[], { redirects }: ShellCommand): string[] {
  const written = redirects.filter(({ op }) => op === '>' || op === '>>').map(({ target }) => target.text);
  const at = args.findIndex(({ text }) => /^-out(?:f\w*)?$/i.test(text));
  if (at >= 0) return [...written, args[at + 1]?.text ?? ''];
  // The `-O` of curl has no value.
  const options = optionsOf(args, name === 'curl' ? VALUED.filter((option) => option !== 'O') : VALUED);
  const given = options.value('o', 'output', 'output-document', ...(name === 'curl' ? [] : ['O']));
  if (given !== undefined) return [...written, given];
  const isNamed = BY_ADDRESS.has(name) || (name === 'curl' && options.has('O', 'remote-name'));
  return isNamed ? [...written, ...options.operands.map((address) => address.replace(/[?#].*$/, ''))] : written;
}

const FETCHES_IN_WINDOWS = new Set(['start-bitstransfer', 'bitsadmin', 'certutil']);

function savedInWindows(name: string, args: readonly Word[]): string[] {
  const said = args.map(({ text }) => text);
  if (name === 'start-bitstransfer') return [said[said.findIndex((arg) => /^-d\w*$/i.test(arg)) + 1] ?? ''];
  const fetches = said.some((arg) => /^[-/](?:transfer|addfile|urlcache|decode|decodehex)$/i.test(arg));
  return fetches ? said.slice(-1) : [];
}

const RUNS = new Set([
  'start-process',
  'start',
  'saps',
  'source',
  '.',
  'powershell',
  'pwsh',
  ...SHELLS,
  ...CODE.keys(),
]);

/** A file that is run, and what was written into it; undefined: nothing is known of that. */
interface SavedScript {
  said: string | undefined;
}

/** Which of them a command runs: by its path, or as the script of a shell or language. */
export function savedRun(
  saved: ReadonlyMap<string, string | undefined>,
  path: string,
  name: string,
  args: readonly Word[],
): SavedScript | undefined {
  if (saved.size === 0) return undefined;
  if ((/[/\\]/.test(path) || PROGRAM_OF_WINDOWS.test(path)) && saved.has(baseOf(path)))
    return { said: saved.get(baseOf(path)) };
  if (!RUNS.has(name)) return undefined;
  const script = args.find(({ text }, i) => !text.startsWith('-') && args[i - 1]?.text !== '-o');
  if (script === undefined || !saved.has(baseOf(script.text))) return undefined;
  return { said: saved.get(baseOf(script.text)) };
}

const PROGRAM_OF_WINDOWS = /\.(?:exe|bat|cmd|scr|com)$/i;

const baseOf = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1, path.length).slice(0, 128);
