/**
 * Reads a script as a POSIX shell does, and tells its simple commands in order: quotes, escapes, variables, substitutions, subshells, pipes,
 * here-documents and comments. It reads each unit once. What is searched ahead for (the end of a quote or of a here-document) is taken from
 * a budget. A script with errors is read to its end all the same.
 */
import { documentBody } from './ahead.js';
import { beginReading, endsCommand, readInner, type ShellReading, type ShellScript } from './reading.js';
import { noteVariables } from './variables.js';
import { readWord } from './word.js';
import type { ShellCommand } from './words.js';

/** A longer function is not read again where it is called. */
const LONGEST_BODY = 2048;
/** Functions whose names are kept. */
const MOST_FUNCTIONS = 256;

/** Words of the grammar behind which a command stands. */
const KEYWORDS = new Set('if then else elif fi do done while until { } ! time esac coproc'.split(' '));

/** The name that a fork bomb is given. */
export const FORK_BOMB = ':fork-bomb:';

/** Tells `tell` each command. Returns where reading ended, which is `to`, or before it where `lines` have an end. */
export function readScript(script: ShellScript, tell: (command: ShellCommand) => void): number {
  const reading = beginReading(script, { tell, list: readList });
  while (reading.at < reading.to) readList(reading, '');
  return reading.at;
}

function readList(reading: ShellReading, closing: string): ShellCommand | undefined {
  const { text, to } = reading;
  let last: ShellCommand | undefined;
  let from: ShellCommand | undefined;
  while (reading.at < to) {
    const command = readCommand(reading, from, closing);
    if (command) {
      last = command;
      if (command.words.length > 0 || command.redirects.length > 0) note(reading, command);
    }
    from = undefined;
    if (reading.at >= to) break;
    const sign = text[reading.at++]!;
    if (sign === closing) break;
    if (sign === '\n') readDocuments(reading);
    else if (sign === '|' && text[reading.at] !== '|') {
      if (text[reading.at] === '&') reading.at++;
      from = command;
    } else if (sign === text[reading.at]) reading.at++;
  }
  flush(reading);
  return last;
}

/** Notes a command that was read, and tells of it unless the bodies of its here-documents are still to come. */
function note(reading: ShellReading, command: ShellCommand): void {
  const { text, dialect, variables, groups, functions, waiting, delayed } = reading;
  if (isBomb(command, functions)) command.words = [{ ...command.words[0]!, text: FORK_BOMB }];
  if (dialect.posix) noteVariables(command, variables);
  const body = command.words.length > 1 ? functions.get(command.words[0]!.text) : undefined;
  // What stands between a function and its call is read again, with the arguments in place of `$1`.
  if (body !== undefined && command.start - body < LONGEST_BODY) command.body = text.slice(body, command.start);
  if (command.words.length > 0) groups.note(command);
  if (waiting.length > 0) delayed.push(command);
  else reading.tell(command);
}

/** `:(){ :|:& };:` by any name. */
const isBomb = ({ words, from }: ShellCommand, functions: ReadonlyMap<string, number>): boolean =>
  from !== undefined &&
  (functions.has(words[0]?.text ?? '') || words[0]?.text === '%0') &&
  from.words[0]?.text === words[0]?.text;

function flush(reading: ShellReading): void {
  const { waiting, delayed } = reading;
  if (waiting.length > 0) waiting.length = 0;
  if (delayed.length > 0) for (const command of delayed.splice(0)) reading.tell(command);
}

/** The bodies of the here-documents of the line that has ended. */
function readDocuments(reading: ShellReading): void {
  if (reading.waiting.length === 0) return;
  for (const { command, ...sought } of reading.waiting.splice(0)) {
    const found = documentBody(reading, reading.at, sought);
    if (!found) continue;
    command.document = found.body;
    reading.at = found.last;
  }
  flush(reading);
}

const newCommand = (from: ShellCommand | undefined, at: number): ShellCommand => ({
  words: [],
  redirects: [],
  document: undefined,
  from,
  start: at,
  end: at,
});

/** One command behind the pipe of `from`, up to the sign that ends it. */
function readCommand(reading: ShellReading, from: ShellCommand | undefined, closing: string): ShellCommand | undefined {
  const { text, to, dialect } = reading;
  const { posix } = dialect;
  const command: ShellCommand = newCommand(from, -1);
  for (;;) {
    skipBlanks(reading);
    if (reading.at >= to) break;
    const sign = text[reading.at]!;
    if (sign === '#' && posix) skipComment(reading);
    else if (sign === '(') readBrackets(reading, command);
    else if (endsCommand(reading, sign) || sign === closing) break;
    else if (sign === '<' || sign === '>') readRedirect(reading, command);
    else if (sign === '&' && text[reading.at + 1] === '>') {
      reading.at++;
      readRedirect(reading, command);
    } else readNextWord(reading, command, closing);
  }
  if (command.start < 0) {
    if (command.redirects.length === 0 && !command.group) return undefined;
    command.start = command.redirects[0]?.target.start ?? reading.at;
    command.end = reading.at;
  }
  return command;
}

function skipBlanks(reading: ShellReading): void {
  const { text, to, dialect } = reading;
  while (reading.at < to) {
    const sign = text[reading.at];
    if (sign === ' ' || sign === '\t' || sign === '\r') reading.at++;
    else if (sign === dialect.escape && text[reading.at + 1] === '\n') reading.at += 2;
    else break;
  }
}

function skipComment(reading: ShellReading): void {
  const end = reading.text.indexOf('\n', reading.at);
  reading.at = end < 0 || end > reading.to ? reading.to : end;
}

/** A word of `command`, which may be one of the grammar. */
function readNextWord(reading: ShellReading, command: ShellCommand, closing: string): void {
  const { at, dialect, groups } = reading;
  if (command.start < 0) command.start = at;
  readWord(reading, command, closing);
  if (reading.at === at) reading.at++;
  command.end = reading.at;
  const { words } = command;
  if (!dialect.posix || words.length !== 1) return;
  const { text, quoted } = words[0]!;
  if (!quoted && KEYWORDS.has(text)) {
    words.pop();
    const group = groups.keyword(text);
    if (group) command.group = group;
    command.start = -1;
  } else if (text === 'function') words.pop();
}

/** The brackets of a function, or a list within some. */
function readBrackets(reading: ShellReading, command: ShellCommand): void {
  const { text, dialect, groups, functions } = reading;
  const { words } = command;
  reading.at++;
  if (dialect.posix && words.length === 1 && text[reading.at] === ')') {
    reading.at++;
    if (functions.size < MOST_FUNCTIONS) functions.set(words.pop()!.text, reading.at);
    return;
  }
  const inner = readInner(reading, ')');
  if (!inner) return;
  const { last, group } = inner;
  // PowerShell: what the brackets give is an argument.
  if (last && !dialect.posix) command.from ??= last;
  else if (last && words.length === 0) {
    group.forEach(groups.note);
    command.group = group;
  }
  if (words.length > 0) command.end = reading.at;
}

function readRedirect(reading: ShellReading, command: ShellCommand): void {
  const { text, to, waiting } = reading;
  const start = reading.at;
  const last = command.words.at(-1);
  // the number of a stream
  if (last && last.end === start && !last.quoted && /^\d$/.test(last.text)) command.words.pop();
  const op = readOperator(reading);
  skipBlanks(reading);
  const { at } = reading;
  if (at < to && '(<>'.includes(text[at]!) && (text[at] === '(' || text[at + 1] === '(')) {
    const before = at;
    // <(list) is a pipe from it
    reading.at = text.indexOf('(', at) + 1;
    const inner = readInner(reading, ')');
    if (inner) {
      if (op.startsWith('<')) command.from ??= inner.last;
      return;
    }
    reading.at = before;
  }
  const target = newCommand(undefined, at);
  readWord(reading, target, '');
  const [first] = target.words;
  if (!first) return;
  if (op === '<<' || op === '<<-') waiting.push({ command, end: first.text, tabs: op === '<<-' });
  else if (op === '<<<') command.document = first.text;
  else command.redirects.push({ op, target: first });
  command.end = reading.at;
}

function readOperator(reading: ShellReading): string {
  const { text, to, at: start } = reading;
  let at = start;
  while (at < to && at - start < 3 && '<>&|-'.includes(text[at]!)) {
    if (text[at] === '-' && text.slice(start, at) !== '<<') break;
    if (text[at] === '<' && at > start && text[at + 1] === '(') break;
    at++;
  }
  reading.at = at;
  return text.slice(start, at);
}
