/** Judges each command of a script: takes off what runs another (`sudo`, `xargs`), and asks the rules of the program. */
import type { LookSteps } from '../../engine/steps.js';
import { readCode } from './code.js';
import { CODE, POSIX_RULES } from './names.js';
import { nameOf, optionsOf } from './options.js';
import { runProgram } from './programs.js';
import type { Call, CommandKind } from './rule.js';
import { writesDisk } from './rules/files.js';
import { opensSocket } from './rules/network.js';
import { writesGate } from './rules/rights.js';
import { WINDOWS_RULES } from './rules/windows.js';
import { rememberSaved, savedRun } from './saved.js';
import { FORK_BOMB, readScript } from './shell.js';
import { readSql } from './sql.js';
import { isWindowsPath, resolved } from './targets.js';
import { aliasKey, giveArguments } from './variables.js';
import { type Dialect, FETCHED, POSIX, type ShellCommand, SOMETHING, UNKNOWN, type Word } from './words.js';
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
  /** files that it fetched, by name, and what it wrote into others */
  saved: Map<string, string | undefined>;
  tell(kind: CommandKind, start: number, end: number): void;
}

/** Reads a part of a text as a script. */
export function runScript(text: string, from: number, to: number, run: Run): void {
  const { dialect, variables, ahead } = run;
  readScript({ text, from, to, dialect, variables, ahead }, (command) => judge(command, run));
}

/** A script within a command: what it does is done where the command stands. */
function runInner(text: string, of: Span, run: Run, dialect: Dialect = run.dialect): void {
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

/** Reads a part of a text as a program of Python, JavaScript and the like. */
export function runCode(text: string, from: number, to: number, run: Run): void {
  const { ahead, folder } = run;
  const line = text.indexOf('\n', from);
  const whole = { start: from, end: line < 0 || line > to ? to : line };
  const placeOf = (call: Span | undefined): Span => (call ? { start: from + call.start, end: from + call.end } : whole);
  readCode(text.slice(from, to), folder, ahead, {
    runs: (script, call) => runInner(script, placeOf(call), run, POSIX),
    states: (sql, call) => {
      const { start, end } = placeOf(call);
      readSql({ text: sql, from: 0, to: sql.length, lax: false, ahead }, ({ kind }) => run.tell(kind, start, end));
    },
    tell: (kind, call) => {
      const { start, end } = placeOf(call);
      run.tell(kind, start, end);
    },
  });
}

type Span = Pick<ShellCommand, 'start' | 'end'>;

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
  // cmd takes `^` for the sign behind it
  const hasCarets = !run.dialect.posix && all.some(({ text }) => text.includes('^'));
  let words = hasCarets ? all.map((word) => ({ ...word, text: word.text.replaceAll('^', '') })) : all;
  let isFed = fed;
  for (let n = 0; n < MOST_WRAPPERS; n++) {
    const [first] = words;
    if (!first || first.text === '') return;
    if (first.text.startsWith(FETCHED)) {
      tell('remote_code');
      return;
    }
    // `$0 -c …`
    const isShell = first.text === SOMETHING && words[1]?.text === '-c';
    const name = isShell
      ? 'sh'
      : nameOf(run.dialect.posix ? first.text.replaceAll(UNKNOWN, '') : first.text.replace(/^\{+|\}+$/g, ''));
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    const script = wrapper ? scriptOf(name, words) : undefined;
    if (script !== undefined) {
      runInner(script, command, run);
      return;
    }
    const alias = run.variables.get(aliasKey(name));
    if (alias !== undefined && mayRepeat(run, alias)) {
      // In what it stands for, the name is that of the program.
      run.variables.delete(aliasKey(name));
      runInner(`${alias} ${quotedAll(words.slice(1))}`, command, run);
      run.variables.set(aliasKey(name), alias);
      return;
    }
    if (!wrapper) {
      const script = savedRun(run.saved, first.text, name, words.slice(1));
      if (script) runWritten(script.said, name, command, run, tell);
      program(name, words.slice(1), { command, run, tell, fed: isFed });
      return;
    }
    judgeBy(name, { name, args: words.slice(1), command, folder: run.folder, fed: isFed }, tell);
    if (name === 'xargs' || name === 'parallel') isFed = true;
    words = behindOptions(words, wrapper.valued, wrapper.operands ?? 0);
  }
}

/** Whether what was read before may be read once more; it is taken from what may be searched ahead. */
function mayRepeat({ ahead }: Run, text: string): boolean {
  ahead.left -= text.length;
  return ahead.left >= 0;
}

const quotedAll = (words: readonly Word[]): string =>
  words.map(({ text }) => `'${text.replaceAll("'", "'\\''")}'`).join(' ');

/** What a file says that is run; undefined: it was fetched. */
function runWritten(said: string | undefined, name: string, command: ShellCommand, run: Run, tell: Tell): void {
  if (said === undefined) tell('remote_code');
  else if (!mayRepeat(run, said)) return;
  else if (CODE.has(name)) runCode(said, 0, said.length, { ...run, tell: (kind) => tell(kind) });
  else runInner(said, command, run);
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
  if (command.body !== undefined && mayRepeat(run, command.body)) {
    giveArguments(args, run.variables);
    runInner(command.body, command, run);
  }
  rememberSaved(run.saved, name, args, command);
  const { folder, ahead, variables } = run;
  runProgram({
    name,
    args,
    command,
    folder,
    ahead,
    variables,
    tell,
    inner: (text, dialect) => runInner(text, command, run, dialect),
    call: (words) => call(words, command, run, tell, fed),
  });
  const of: Call = { name, args, command, folder, fed };
  judgeBy(name, of, tell);
  // In both: options of cmd and paths of Windows are told apart by their form.
  if (Object.hasOwn(WINDOWS_RULES, name) && (!run.dialect.posix || name !== 'rm')) {
    tell(WINDOWS_RULES[name]!({ ...of, fed: fed || command.from !== undefined }));
  }
}

function judgeBy(name: string, of: Call, tell: Tell): void {
  for (const rules of POSIX_RULES) if (Object.hasOwn(rules, name)) tell(rules[name]!(of));
}

function moveTo(args: readonly Word[], run: Run): void {
  const path = args.find(({ text }) => !text.startsWith('-') || text === '-')?.text ?? '~';
  run.folder = /^[\ufdd0-\ufdd2-]/.test(path) ? SOMETHING : isWindowsPath(path) ? path : resolved(path, run.folder);
  if (run.folder === '.') run.folder = '';
  if (run.folder.length > LONGEST_FOLDER) run.folder = SOMETHING;
}
