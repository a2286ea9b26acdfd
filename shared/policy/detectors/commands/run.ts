/** Judges each command of a script: takes off what runs another (`sudo`, `xargs`), and asks the rules of the program. */
import type { LookSteps } from '../../engine/steps.js';
import { POSIX_RULES } from './names.js';
import { nameOf, optionsOf } from './options.js';
import { runProgram } from './programs.js';
import type { Call, CommandKind } from './rule.js';
import { writesDisk } from './rules/files.js';
import { opensSocket } from './rules/network.js';
import { writesGate } from './rules/rights.js';
import { WINDOWS_RULES } from './rules/windows.js';
import { rememberSaved, runsSaved } from './saved.js';
import { FORK_BOMB, readScript } from './shell.js';
import { isWindowsPath, resolved } from './targets.js';
import { type Dialect, FETCHED, type ShellCommand, SOMETHING, UNKNOWN, type Word } from './words.js';
import { behindOptions, WRAPPERS } from './wrappers.js';

/** A longer way of `cd` is not followed. */
const LONGEST_FOLDER = 64;
/** Scripts within each other. */
const DEEPEST = 6;

export interface Run {
  ahead: LookSteps;
  depth: number;
  dialect: Dialect;
  /** of a text that may be prose */
  lax: boolean;
  /** of the folder that `cd` led to */
  folder: string;
  variables: Map<string, string>;
  /** names of files that it fetched */
  saved: Set<string>;
  tell(kind: CommandKind, start: number, end: number): void;
}

/** Reads a part of a text as a script. */
export function runScript(text: string, from: number, to: number, run: Run): void {
  const { dialect, variables, ahead } = run;
  readScript({ text, from, to, dialect, variables, ahead }, (command) => judge(command, run));
}

/** A script within a command: what it does is done where the command stands. */
function runInner(text: string, of: ShellCommand, run: Run, dialect: Dialect = run.dialect): void {
  if (run.depth >= DEEPEST || text === '') return;
  const inner: Run = {
    ...run,
    lax: false,
    depth: run.depth + 1,
    dialect,
    tell: (kind) => run.tell(kind, of.start, of.end),
  };
  runScript(text, 0, text.length, inner);
}

type Tell = (kind: CommandKind | undefined) => void;

function judge(command: ShellCommand, run: Run): void {
  const { words } = command;
  const tell: Tell = (kind) => {
    if (kind) run.tell(kind, command.start, command.end);
  };
  if (writesDisk(command)) tell('destructive');
  if (writesGate(command)) tell('privilege');
  const [first] = words;
  tell(opensSocket(command, nameOf(first?.text ?? '')));
  if (!first) return;
  if (first.text === FORK_BOMB) tell('destructive');
  call(words, command, run, tell, false);
}

/** Programs that run another one, within each other. */
const MOST_WRAPPERS = 16;

function call(all: readonly Word[], command: ShellCommand, run: Run, tell: Tell, fed: boolean): void {
  let words = all;
  let isFed = fed;
  for (let n = 0; n < MOST_WRAPPERS; n++) {
    const [first] = words;
    if (!first || first.text === '') return;
    if (first.text.startsWith(FETCHED)) {
      tell('remote_code');
      return;
    }
    const name = nameOf(run.dialect.posix ? first.text.replaceAll(UNKNOWN, '') : first.text.replace(/^\{+|\}+$/g, ''));
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    const script = wrapper ? scriptOf(name, words) : undefined;
    if (script !== undefined) {
      runInner(script, command, run);
      return;
    }
    if (!wrapper) {
      if (runsSaved(run.saved, first.text, name, words.slice(1))) tell('remote_code');
      program(name, words.slice(1), { command, run, tell, fed: isFed });
      return;
    }
    if (name === 'xargs' || name === 'parallel') isFed = true;
    words = behindOptions(words, wrapper.valued, wrapper.operands ?? 0);
  }
}

/** What a wrapper has as one text. */
function scriptOf(name: string, words: readonly Word[]): string | undefined {
  if (name === 'flock') return optionsOf(words.slice(1), ['c']).value('c');
  if (name === 'watch' || name === 'parallel') {
    const last = words.at(-1)!;
    return words.length > 1 && last.quoted && last.text.includes(' ') ? last.text : undefined;
  }
  const split = name === 'env' ? words.findIndex(({ text }) => text === '-S' || text.startsWith('--split-string')) : -1;
  if (split < 0) return undefined;
  const rest = words.slice(split + 1).map(({ text }) => text);
  return [words[split]!.text.replace(/^-S|^--split-string=?/, ''), ...rest].join(' ');
}

interface Doing {
  command: ShellCommand;
  run: Run;
  tell: Tell;
  fed: boolean;
}

function program(name: string, args: readonly Word[], { command, run, tell, fed }: Doing): void {
  if (name === 'cd' || name === 'pushd' || name === 'set-location') {
    moveTo(args, run);
    return;
  }
  rememberSaved(run.saved, name, args, command);
  const { folder, ahead } = run;
  runProgram({
    name,
    args,
    command,
    folder,
    ahead,
    tell,
    inner: (text, dialect) => runInner(text, command, run, dialect),
    call: (words) => call(words, command, run, tell, fed),
  });
  const of: Call = { name, args, command, folder, fed };
  for (const rules of POSIX_RULES) if (Object.hasOwn(rules, name)) tell(rules[name]!(of));
  // In both: options of cmd and paths of Windows are told apart by their form.
  if (Object.hasOwn(WINDOWS_RULES, name) && (!run.dialect.posix || name !== 'rm')) {
    tell(WINDOWS_RULES[name]!({ ...of, fed: fed || command.from !== undefined }));
  }
}

function moveTo(args: readonly Word[], run: Run): void {
  const path = args.find(({ text }) => !text.startsWith('-') || text === '-')?.text ?? '~';
  run.folder = /^[\ufdd0-\ufdd2-]/.test(path) ? SOMETHING : isWindowsPath(path) ? path : resolved(path, run.folder);
  if (run.folder === '.') run.folder = '';
  if (run.folder.length > LONGEST_FOLDER) run.folder = SOMETHING;
}
