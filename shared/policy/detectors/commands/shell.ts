/**
 * Reads a script as a POSIX shell does, and tells its simple commands in order: quotes, escapes, variables, substitutions, subshells, pipes,
 * here-documents and comments. It reads each unit once. What is searched ahead for (the end of a quote or of a here-document) is taken from
 * a budget. A script with errors is read to its end all the same.
 */
import type { LookSteps } from '../../engine/steps.js';
import { ansiEnd, documentBody, quoteEnd } from './ahead.js';
import { ansi, bracesOf, outputOf } from './expand.js';
import { commandGroups } from './groups.js';
import { saysSecrets } from './secrets.js';
import { LONGEST_VALUE, NAME, noteVariables, type Variables, valueInBraces, valueNamed } from './variables.js';
import { type Dialect, SECRET, type ShellCommand, SOMETHING, UNKNOWN, type Word } from './words.js';

/** Words of a command that are kept. */
const MOST_WORDS = 4096;
/** Substitutions within each other. */
const DEEPEST = 12;
/** A longer function is not read again where it is called. */
const LONGEST_BODY = 2048;
/** Functions whose names are kept. */
const MOST_FUNCTIONS = 256;

/** Words of the grammar behind which a command stands. */
const KEYWORDS = new Set('if then else elif fi do done while until { } ! time esac coproc'.split(' '));

export interface ShellScript {
  text: string;
  from: number;
  to: number;
  dialect: Dialect;
  /** what is known of variables; the script adds its own */
  variables: Variables;
  /** units that may be searched ahead, and that variables may add */
  ahead: LookSteps;
}

/** Tells `tell` each command. Returns where reading ended, which is `to`, or before it where `lines` have an end. */
export function readScript(script: ShellScript, tell: (command: ShellCommand) => void): number {
  const { text, to, dialect, variables, ahead } = script;
  const { escape: escapes, posix, ticks } = dialect;
  let at = script.from;
  let depth = 0;
  /** here-documents whose bodies are behind this line */
  const waiting: { command: ShellCommand; end: string; tabs: boolean }[] = [];
  /** commands of that line, which are told when these are read */
  const delayed: ShellCommand[] = [];
  /** where their bodies begin, by name */
  const functions = new Map<string, number>();
  const groups = commandGroups();

  /** Reads up to `closing` ('' is the end of the script). Returns the last command. */
  function list(closing: string): ShellCommand | undefined {
    let last: ShellCommand | undefined;
    let from: ShellCommand | undefined;
    while (at < to) {
      const command = simple(from, closing);
      if (command) {
        last = command;
        if (command.words.length > 0 || command.redirects.length > 0) {
          if (isBomb(command)) command.words = [{ ...command.words[0]!, text: FORK_BOMB }];
          if (posix) noteVariables(command, variables);
          const body = command.words.length > 1 ? functions.get(command.words[0]!.text) : undefined;
          // What stands between a function and its call is read again, with the arguments in place of `$1`.
          if (body !== undefined && command.start - body < LONGEST_BODY) command.body = text.slice(body, command.start);
          if (command.words.length > 0) groups.note(command);
          if (waiting.length > 0) delayed.push(command);
          else tell(command);
        }
      }
      from = undefined;
      if (at >= to) break;
      const sign = text[at]!;
      if (sign === closing) {
        at++;
        flush();
        return last;
      }
      at++;
      if (sign === '\n') documents();
      else if (sign === '|' && text[at] !== '|') {
        if (text[at] === '&') at++;
        from = command;
      } else if (sign === text[at]) at++;
    }
    flush();
    return last;
  }

  /** `:(){ :|:& };:` by any name. */
  const isBomb = ({ words, from }: ShellCommand): boolean =>
    from !== undefined &&
    (functions.has(words[0]?.text ?? '') || words[0]?.text === '%0') &&
    from.words[0]?.text === words[0]?.text;

  function flush(): void {
    waiting.length = 0;
    for (const command of delayed.splice(0)) tell(command);
  }

  /** One command, up to the sign that ends it. */
  function simple(from: ShellCommand | undefined, closing: string): ShellCommand | undefined {
    const command: ShellCommand = { words: [], redirects: [], document: undefined, from, start: -1, end: at };
    for (;;) {
      blanks();
      if (at >= to) break;
      const sign = text[at]!;
      if (sign === '#' && posix) {
        const end = text.indexOf('\n', at);
        at = end < 0 || end > to ? to : end;
        continue;
      }
      if (sign === '(') {
        at++;
        const { words } = command;
        const closed = text[at] === ')';
        if (posix && words.length === 1 && closed) {
          // name() begins a function
          at++;
          if (functions.size < MOST_FUNCTIONS) functions.set(words.pop()!.text, at);
          continue;
        }
        if (depth >= DEEPEST) continue;
        depth++;
        const level = groups.open();
        const inner = list(')');
        const group = groups.close(level);
        depth--;
        // PowerShell: what the brackets give is an argument.
        if (inner && !posix) command.from ??= inner;
        else if (inner && words.length === 0) {
          group.forEach(groups.note);
          command.group = group;
        }
        if (words.length > 0) command.end = at;
        continue;
      }
      if (isEnd(sign) || sign === closing) break;
      if (sign === '<' || sign === '>') {
        redirect(command);
        continue;
      }
      if (sign === '&' && text[at + 1] === '>') {
        at++;
        redirect(command);
        continue;
      }
      if (command.start < 0) command.start = at;
      const before = at;
      word(command, closing);
      if (at === before) at++;
      command.end = at;
      const { words } = command;
      if (posix && words.length === 1 && !words[0]!.quoted && KEYWORDS.has(words[0]!.text)) {
        const group = groups.keyword(words.pop()!.text);
        if (group) command.group = group;
        command.start = -1;
      } else if (posix && words.length === 1 && words[0]!.text === 'function') words.pop();
    }
    if (command.start < 0) {
      if (command.redirects.length === 0 && !command.group) return undefined;
      command.start = command.redirects[0]?.target.start ?? at;
      command.end = at;
    }
    return command;
  }

  const isEnd = (sign: string): boolean =>
    sign === '\n' || sign === ';' || sign === '|' || sign === ')' || (sign === '&' && text[at + 1] !== '>');

  function blanks(): void {
    while (at < to) {
      const sign = text[at];
      if (sign === ' ' || sign === '\t' || sign === '\r') at++;
      else if (sign === escapes && text[at + 1] === '\n') at += 2;
      else break;
    }
  }

  function redirect(command: ShellCommand): void {
    const start = at;
    const last = command.words.at(-1);
    // the number of a stream
    if (last && last.end === at && !last.quoted && /^\d$/.test(last.text)) command.words.pop();
    while (at < to && at - start < 3 && '<>&|-'.includes(text[at]!)) {
      if (text[at] === '-' && text.slice(start, at) !== '<<') break;
      if (text[at] === '<' && at > start && text[at + 1] === '(') break;
      at++;
    }
    const op = text.slice(start, at);
    blanks();
    const target: ShellCommand = { words: [], redirects: [], document: undefined, from: undefined, start: at, end: at };
    if ((text[at] === '(' || text[at + 1] === '(') && at < to && depth < DEEPEST && '(<>'.includes(text[at]!)) {
      // <(list) is a pipe from it
      at = text.indexOf('(', at) + 1;
      depth++;
      const level = groups.open();
      const inner = list(')');
      groups.close(level);
      depth--;
      if (op.startsWith('<')) command.from ??= inner;
      return;
    }
    word(target, '');
    const [first] = target.words;
    if (!first) return;
    if (op === '<<' || op === '<<-') waiting.push({ command, end: first.text, tabs: op === '<<-' });
    else if (op === '<<<') command.document = first.text;
    else command.redirects.push({ op, target: first });
    command.end = at;
  }

  /** The bodies of the here-documents of the line that has ended. */
  function documents(): void {
    for (const { command, ...sought } of waiting.splice(0)) {
      const found = documentBody(script, at, sought);
      if (!found) continue;
      command.document = found.body;
      at = found.last;
    }
    flush();
  }

  /** Adds the word at `at`, or the words that it stands for. */
  function word(command: ShellCommand, closing: string): void {
    const start = at;
    let said = '';
    let quoted = false;
    let braces = false;
    /** some of it stands there, even where it says nothing */
    let exists = false;
    const push = (): void => {
      if (!exists) return;
      const made: Word = { text: said, start, end: at, quoted };
      if (command.words.length < MOST_WORDS) {
        if (braces && said.includes(','))
          for (const each of bracesOf(said)) command.words.push({ ...made, text: each });
        else command.words.push(made);
      }
      said = '';
      exists = false;
    };
    /** The value of a variable that is not quoted is split. */
    const split = (value: string): void => {
      const parts = value.split(/[ \t\n]+/);
      parts.forEach((part, i) => {
        if (i > 0) push();
        said += part;
        if (part !== '') exists = true;
      });
    };
    while (at < to) {
      const sign = text[at]!;
      if (isSpace(sign) || isEnd(sign)) break;
      if ((sign === closing && sign !== '') || sign === '<' || sign === '>') break;
      if (sign === '(') break;
      if (sign === escapes) {
        quoted = true;
        if (text[at + 1] === '\n') {
          at += 2;
          continue;
        }
        if (at + 1 < to) said += text[at + 1];
        exists = true;
        at += 2;
        continue;
      }
      if (sign === "'" || (sign === '"' && !closes())) {
        const end = quoteEnd(script, at, escapes);
        exists = true;
        if (end < 0) {
          // It has no end: an apostrophe.
          at++;
          if (at < to && !isSpace(text[at]!)) said += sign;
          continue;
        }
        quoted = true;
        said += text.slice(at + 1, end);
        at = end + 1;
        continue;
      }
      if (posix && text.startsWith('"$@"', at) && variables.has('@')) {
        at += 4;
        split(variables.get('@')!);
        continue;
      }
      if (sign === '"') {
        quoted = true;
        exists = true;
        at++;
        said += doubleQuoted();
        continue;
      }
      if (sign === '$' && posix) {
        if (text[at + 1] === "'") {
          const end = ansiEnd(script, at + 2);
          if (end > 0) {
            said += ansi(text.slice(at + 2, end));
            quoted = true;
            exists = true;
            at = end + 1;
            continue;
          }
        }
        const value = dollar(false);
        if (value.includes(' ') || value.includes('\n') || value === '\t') split(value);
        else {
          said += value;
          if (value !== '') exists = true;
        }
        continue;
      }
      if (sign === '`' && ticks) {
        said += substitution('`');
        exists = true;
        continue;
      }
      PLAIN.lastIndex = at;
      const plain = PLAIN.test(text) ? Math.min(PLAIN.lastIndex, to) : at + 1;
      if (sign === '{') braces = true;
      said += plain === at + 1 ? sign : text.slice(at, plain);
      exists = true;
      at = plain;
    }
    at = Math.min(at, to);
    push();
  }

  /** Whether the double quote at `at` has an end; the search is kept for what follows. */
  let doubleEnd = -1;
  function closes(): boolean {
    if (doubleEnd > at) return true;
    doubleEnd = quoteEnd(script, at, escapes);
    return doubleEnd >= 0;
  }

  function doubleQuoted(): string {
    let said = '';
    while (at < to) {
      const sign = text[at]!;
      if (sign === '"') {
        at++;
        return said;
      }
      if (sign === escapes) {
        const next = text[at + 1] ?? '';
        said += next === '\n' ? '' : escapes === '`' || '$`"\\'.includes(next) ? next : sign + next;
        at += 2;
      } else if (sign === '$' && posix) said += dollar(true);
      else if (sign === '`' && ticks) said += substitution('`');
      else {
        said += sign;
        at++;
      }
    }
    return said;
  }

  /** What the `$` at `at` stands for. */
  function dollar(inQuotes: boolean): string {
    const next = text[at + 1] ?? '';
    if (next === '(') {
      if (text[at + 2] === '(') {
        // arithmetic
        const end = text.slice(at, Math.min(to, at + LONGEST_VALUE)).indexOf('))');
        if (end > 0) {
          at += end + 2;
          return SOMETHING;
        }
      }
      at++;
      return substitution(')');
    }
    if (next === '{') {
      const length = text.slice(at, Math.min(to, at + LONGEST_VALUE)).indexOf('}');
      if (length < 0) {
        at++;
        return '$';
      }
      const inside = text.slice(at + 2, at + length);
      at += length + 1;
      return valueInBraces(inside, variables, ahead);
    }
    const name = NAME.exec(text.slice(at + 1, at + 65))?.[0];
    if (name) {
      at += 1 + name.length;
      return valueNamed(name, variables, ahead);
    }
    if (/[@*#?$!0-9-]/.test(next)) {
      at += 2;
      const given = variables.get(next === '*' ? '@' : next);
      if (given !== undefined) return given;
      return next === '@' || next === '*' || /[1-9]/.test(next) ? UNKNOWN : SOMETHING;
    }
    at++;
    return inQuotes || next !== '"' ? '$' : '';
  }

  /** Reads what is run between `$(` or a backtick and `closing`, and returns what that gives, where it can be told. */
  function substitution(closing: string): string {
    at++;
    if (depth >= DEEPEST) return SOMETHING;
    depth++;
    const level = groups.open();
    const last = list(closing);
    const group = groups.close(level);
    depth--;
    if (!last) return '';
    const said = outputOf(last);
    return group.length > 1 && !said.endsWith(SECRET) && group.some((each) => saysSecrets(each)) ? said + SECRET : said;
  }

  while (at < to) {
    list('');
  }
  return at;
}

/** What needs no look. */
const PLAIN = /[\w./:=,@%+*?~[\]!^-]+/y;

/** The name that a fork bomb is given. */
export const FORK_BOMB = ':fork-bomb:';

const isSpace = (sign: string): boolean => sign === ' ' || sign === '\t' || sign === '\r' || sign === '\n';
