/** Files that a script fetches, and whether it then runs them. */
import { CODE, SHELLS } from './names.js';
import { optionsOf } from './options.js';
import { FETCHES, type ShellCommand, type Word } from './words.js';

/** More files of one script are not remembered. */
const MOST_SAVED = 64;

/** Options of programs that fetch, whose value is the next word. */
const VALUED = 'o output O output-document d data H header X request u user A user-agent b e x P'.split(' ');
/** wget calls a file as its address does, and curl where it is asked to. */
const BY_ADDRESS = new Set(['wget', 'aria2c', 'fetch']);

/** Remembers the names of the files in which a command saves what it fetches. */
export function rememberSaved(saved: Set<string>, name: string, args: readonly Word[], command: ShellCommand): void {
  if (!FETCHES.has(name) || saved.size >= MOST_SAVED) return;
  for (const file of savedBy(name, args, command)) {
    const base = baseOf(file);
    if (base !== '' && base !== '-') saved.add(base);
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

const RUNS = new Set(['source', '.', 'powershell', 'pwsh', ...SHELLS, ...CODE.keys()]);

/** Whether a command runs one of them: by its path, or as the script of a shell or language. */
export function runsSaved(saved: ReadonlySet<string>, path: string, name: string, args: readonly Word[]): boolean {
  if (saved.size === 0) return false;
  if (/[/\\]/.test(path) && saved.has(baseOf(path))) return true;
  if (!RUNS.has(name)) return false;
  const script = args.find(({ text }, i) => !text.startsWith('-') && args[i - 1]?.text !== '-o');
  return script !== undefined && saved.has(baseOf(script.text));
}

const baseOf = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1, path.length).slice(0, 128);
