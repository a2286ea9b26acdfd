/** Reads the words of commands: quotes, escapes, variables and substitutions. */
import { ansiEnd, quoteEnd } from './ahead.js';
import { ansi, bracesOf, outputOf } from './expand.js';
import { endsCommand, isSpace, readInner, type ShellReading } from './reading.js';
import { saysSecrets } from './secrets.js';
import { LONGEST_VALUE, NAME, valueInBraces, valueNamed } from './variables.js';
import { SECRET, type ShellCommand, SOMETHING, UNKNOWN } from './words.js';

/** Words of a command that are kept. */
const MOST_WORDS = 4096;
/** What needs no look. */
const PLAIN = /[\w./:=,@%+*?~[\]!^-]+/y;

/** What was read of a word so far. */
interface WordDraft {
  command: ShellCommand;
  start: number;
  said: string;
  quoted: boolean;
  braces: boolean;
  /** some of it stands there, even where it says nothing */
  exists: boolean;
}

/** Adds the word at which reading stands, or the words that it stands for, to `command`. */
export function readWord(reading: ShellReading, command: ShellCommand, closing: string): void {
  const { text, to } = reading;
  const word: WordDraft = { command, start: reading.at, said: '', quoted: false, braces: false, exists: false };
  while (reading.at < to) {
    const sign = text[reading.at]!;
    if (isSpace(sign) || endsCommand(reading, sign) || sign === '<' || sign === '>' || sign === '(') break;
    if (sign === closing && sign !== '') break;
    if (readEscape(reading, word, sign) || readQuote(reading, word, sign) || readExpansion(reading, word, sign))
      continue;
    const { at } = reading;
    PLAIN.lastIndex = at;
    const plain = PLAIN.test(text) ? Math.min(PLAIN.lastIndex, to) : at + 1;
    if (sign === '{') word.braces = true;
    add(word, plain === at + 1 ? sign : text.slice(at, plain));
    reading.at = plain;
  }
  reading.at = Math.min(reading.at, to);
  endWord(word, reading.at);
}

function add(word: WordDraft, said: string): void {
  word.said += said;
  word.exists = true;
}

function endWord(word: WordDraft, end: number): void {
  const { command, start, said, quoted, braces, exists } = word;
  if (!exists) return;
  if (command.words.length < MOST_WORDS) {
    const all = braces && said.includes(',') ? bracesOf(said) : [said];
    for (const text of all) command.words.push({ text, start, end, quoted });
  }
  word.said = '';
  word.exists = false;
}

/** The value of a variable that is not quoted is split. */
function split(word: WordDraft, value: string, end: number): void {
  value.split(/[ \t\n]+/).forEach((part, i) => {
    if (i > 0) endWord(word, end);
    if (part !== '') add(word, part);
  });
}

/** Each of these returns whether it has read what begins with `sign`. */
type ReadPart = (reading: ShellReading, word: WordDraft, sign: string) => boolean;

const readEscape: ReadPart = (reading, word, sign) => {
  const { text, to, at, dialect } = reading;
  if (sign !== dialect.escape) return false;
  word.quoted = true;
  reading.at = at + 2;
  if (text[at + 1] !== '\n') add(word, at + 1 < to ? text[at + 1]! : '');
  return true;
};

const readQuote: ReadPart = (reading, word, sign) => {
  const { text, to, at, dialect, variables } = reading;
  if (sign === "'" || (sign === '"' && !closes(reading))) {
    const end = quoteEnd(reading, at, dialect.escape);
    if (end < 0) {
      // It has no end: an apostrophe.
      reading.at = at + 1;
      add(word, at + 1 < to && !isSpace(text[at + 1]!) ? sign : '');
      return true;
    }
    word.quoted = true;
    add(word, text.slice(at + 1, end));
    reading.at = end + 1;
    return true;
  }
  if (sign !== '"') return false;
  if (dialect.posix && text.startsWith('"$@"', at) && variables.has('@')) {
    reading.at = at + 4;
    split(word, variables.get('@')!, reading.at);
    return true;
  }
  word.quoted = true;
  reading.at = at + 1;
  add(word, inDoubleQuotes(reading));
  return true;
};

const readExpansion: ReadPart = (reading, word, sign) => {
  const { text, at, dialect } = reading;
  if (sign === '`' && dialect.ticks) {
    add(word, substitution(reading, '`'));
    return true;
  }
  if (sign !== '$' || !dialect.posix) return false;
  const end = text[at + 1] === "'" ? ansiEnd(reading, at + 2) : -1;
  if (end > 0) {
    word.quoted = true;
    add(word, ansi(text.slice(at + 2, end)));
    reading.at = end + 1;
    return true;
  }
  const value = dollar(reading, false);
  if (value.includes(' ') || value.includes('\n') || value === '\t') split(word, value, reading.at);
  else if (value !== '') add(word, value);
  return true;
};

/** Whether the double quote at which reading stands has an end; the search is kept for what follows. */
function closes(reading: ShellReading): boolean {
  if (reading.doubleEnd <= reading.at) reading.doubleEnd = quoteEnd(reading, reading.at, reading.dialect.escape);
  return reading.doubleEnd >= 0;
}

function inDoubleQuotes(reading: ShellReading): string {
  const { text, to, dialect } = reading;
  const { escape: escapes, posix, ticks } = dialect;
  let said = '';
  while (reading.at < to) {
    const sign = text[reading.at]!;
    if (sign === '"') {
      reading.at++;
      return said;
    }
    if (sign === escapes) {
      const next = text[reading.at + 1] ?? '';
      said += next === '\n' ? '' : escapes === '`' || '$`"\\'.includes(next) ? next : sign + next;
      reading.at += 2;
    } else if (sign === '$' && posix) said += dollar(reading, true);
    else if (sign === '`' && ticks) said += substitution(reading, '`');
    else {
      said += sign;
      reading.at++;
    }
  }
  return said;
}

/** What the `$` stands for at which reading stands. */
function dollar(reading: ShellReading, inQuotes: boolean): string {
  const { text, to, at, variables, ahead } = reading;
  const next = text[at + 1] ?? '';
  const near = (): string => text.slice(at, Math.min(to, at + LONGEST_VALUE));
  if (next === '(') {
    const end = text[at + 2] === '(' ? near().indexOf('))') : -1;
    if (end > 0) {
      // arithmetic
      reading.at = at + end + 2;
      return SOMETHING;
    }
    reading.at = at + 1;
    return substitution(reading, ')');
  }
  if (next === '{') {
    const length = near().indexOf('}');
    reading.at = at + Math.max(0, length) + 1;
    return length < 0 ? '$' : valueInBraces(text.slice(at + 2, at + length), variables, ahead);
  }
  const name = NAME.exec(text.slice(at + 1, at + 65))?.[0];
  if (name) {
    reading.at = at + 1 + name.length;
    return valueNamed(name, variables, ahead);
  }
  if (/[@*#?$!0-9-]/.test(next)) {
    reading.at = at + 2;
    const given = variables.get(next === '*' ? '@' : next);
    if (given !== undefined) return given;
    return next === '@' || next === '*' || /[1-9]/.test(next) ? UNKNOWN : SOMETHING;
  }
  reading.at = at + 1;
  return inQuotes || next !== '"' ? '$' : '';
}

/** Reads what is run between `$(` or a backtick and `closing`, and returns what that gives, where it can be told. */
function substitution(reading: ShellReading, closing: string): string {
  reading.at++;
  const inner = readInner(reading, closing);
  if (!inner) return SOMETHING;
  const { last, group } = inner;
  if (!last) return '';
  const said = outputOf(last);
  return group.length > 1 && !said.endsWith(SECRET) && group.some((each) => saysSecrets(each)) ? said + SECRET : said;
}
