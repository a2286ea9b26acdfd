/**
 * Where commands stand in a text: in lines that begin with one, in code fences, behind the names of arguments such as `command`, and behind
 * prompts. Each line begins anew, so an apostrophe in prose hides nothing. A quote or here-document that a command opens may go on.
 */
import { type LookSteps, stepsFor } from '../../engine/steps.js';
import { MONGO } from './code.js';
import { lineEnd, programEnd } from './languages.js';
import { dialectOf, isInteresting, isKnown } from './names.js';
import { nameOf } from './options.js';
import type { CommandKind } from './rule.js';
import { type Run, runCode, runScript } from './run.js';
import { readSql, SQL_START } from './sql.js';
import { POSIX, PROSE } from './words.js';

/** Names of arguments that have a command, a script or a query. They are lines of their own where the arguments are JSON. */
const KEYS =
  /^(?:commands?|cmd|cmdline|script|code|query|sql|statement|shell|bash|sh|run|exec|(?:shell|bash|raw|terminal|powershell)_?command|command_?(?:line|string|text)|keystrokes|powershell|q|stmt|sql_?(?:query|statement|text)|query_(?:text|string)|(?:python|py|js|javascript|node|ruby|php|shell|source)_?(?:code|script)|code_?(?:snippet|string|block|to_execute)|args|argv|arguments)$/i;
/** Names of arguments that may have a program, besides those. */
const PROGRAM_KEY = /^(?:source|snippet|program)$/i;
/** A line that may be the name of another argument. */
const OTHER_KEY = /^[A-Za-z_][\w-]{0,39}$/;
/** What stands before a command of a shell, in what people and programs copy. */
const PROMPT =
  /^[ \t]*(?:[$%❯➜]|\[?[\w.-]{1,64}@[\w.-]{1,64}(?:[: ][^\s$#%>]{0,80})?\]?[$%#]|PS [^>\n]{0,80}>|[A-Za-z]:\\[^>\n]{0,80}>|(?:-\s+)?(?:run|script|command|cmd|exec)\s*[:=]|RUN|CMD|ENTRYPOINT)[ \t]+(?=\S)/;
const FENCE = /^[ \t]*(?:```|~~~)[ \t]*([\w+-]*)/;
const SHELL_FENCE =
  /^(?:|ba|z|k|fi|da)?sh$|^(?:shell|console|terminal|shell-session|powershell|ps1?|pwsh|cmd|bat|batch|dos|sql|mysql|psql|postgres\w*|plsql|tsql|redis|mongodb?)$/i;

const FIRST = /[^\s;|&<>()]{1,256}/y;
const SIGN = /[;|&(]/g;
const BEHIND = /(?:[;|&(]|\$\()[ \t]*([\w./\\'"$-]{1,64})/g;

/** Returns whether more finds are of use. */
export type TellKind = (kind: CommandKind, start: number, end: number) => boolean;

/** Steps of a text, which bound what is searched ahead. */
const AHEAD = { each: 24, floor: 4096 };

/** What is known of the lines that were read. */
interface LinesReading {
  text: string;
  tell: (kind: CommandKind, start: number, end: number) => void;
  ahead: LookSteps;
  /** the lines are what an argument says that has commands, or one that may have a search instead */
  strict: boolean;
  isQuery: boolean;
  /** where a program ends, in which a backtick begins a string */
  programUntil: number;
  fence: boolean;
  shellFence: boolean;
  folder: string;
  variables: Map<string, string> | undefined;
  saved: Map<string, string | undefined> | undefined;
}

export function readLines(text: string, tellKind: TellKind): void {
  let goesOn = true;
  const reading: LinesReading = {
    text,
    tell: (kind, start, end) => {
      goesOn = goesOn && tellKind(kind, start, end);
    },
    ahead: stepsFor(text.length, AHEAD.each, AHEAD.floor),
    strict: false,
    isQuery: false,
    programUntil: -1,
    fence: false,
    shellFence: false,
    folder: '',
    variables: undefined,
    saved: undefined,
  };
  /** the next sign behind which a command may stand */
  let sign = signFrom(text, 0);
  for (let at = 0; at < text.length && goesOn; ) {
    const end = lineEnd(text, at);
    if (isFence(reading, at, end) || isKey(reading, at, end)) {
      at = end + 1;
      continue;
    }
    const lax = !reading.strict && !reading.shellFence;
    if (sign < at) sign = signFrom(text, at);
    const from = begin(text, at, end, { lax, signs: sign < end });
    at = (from < 0 ? end : readCommand(reading, from, end, lax)) + 1;
  }
}

/** Whether the line begins or ends a block of code. */
function isFence(reading: LinesReading, at: number, end: number): boolean {
  const mark = reading.text.charCodeAt(at);
  if (mark !== BACKTICK && mark !== TILDE && mark !== SPACE) return false;
  const language = FENCE.exec(reading.text.slice(at, Math.min(end, at + 64)))?.[1];
  if (language === undefined) return false;
  reading.fence = !reading.fence;
  reading.shellFence = reading.fence && SHELL_FENCE.test(language);
  return true;
}

/** Whether the line is the name of an argument that has commands. A program that it has is read. */
function isKey(reading: LinesReading, at: number, end: number): boolean {
  const { text, ahead, tell } = reading;
  if (end - at > 40 || end >= text.length) return false;
  const line = text.slice(at, end);
  const key = KEYS.test(line);
  if (key || PROGRAM_KEY.test(line)) {
    reading.programUntil = programEnd(text, end + 1);
    const run = { ahead, depth: 0, dialect: POSIX, lax: false, folder: '', variables: new Map(), saved: new Map() };
    if (reading.programUntil > 0) runCode(text, end + 1, reading.programUntil, { ...run, tell });
  }
  if (key) {
    Object.assign(reading, {
      strict: true,
      isQuery: QUERY.test(line),
      folder: '',
      variables: undefined,
      saved: undefined,
    });
  } else if (reading.strict && isOtherKey(line)) reading.strict = false;
  return key;
}

const isOtherKey = (line: string): boolean =>
  OTHER_KEY.test(line) && !isInteresting(line.toLowerCase()) && !REDIS_LINE.test(line) && !SQL_START.test(line);

/** Reads what may be a command, and begins at `from` of the line that ends at `end`. Returns where it ends. */
function readCommand(reading: LinesReading, from: number, end: number, lax: boolean): number {
  const { text, tell, ahead, isQuery, folder } = reading;
  reading.variables ??= new Map();
  reading.saved ??= new Map();
  const run: Run = {
    ahead,
    depth: 0,
    dialect: POSIX,
    lax,
    folder,
    variables: reading.variables,
    saved: reading.saved,
    tell: (kind, start, to) => {
      if (lax ? isProse(text, start, to) : isQuery && isSought(text, start, to)) return;
      tell(kind, start, to);
    },
  };
  const list = isAlone(text, from, end, reading.strict) ? argumentsOf(text, end) : undefined;
  if (list) {
    const script = `${text.slice(from, lineEnd(text, from))} ${list.said}`;
    runScript(script, 0, script.length, { ...run, tell: (kind) => tell(kind, from, list.until) });
    return list.until;
  }
  readStatement(reading, from, end, lax);
  const until = whole(text, from, end, ahead);
  run.dialect = dialectOf(text.slice(from, Math.min(until, from + 256)));
  if ((lax || from < reading.programUntil) && run.dialect.posix) run.dialect = PROSE;
  runScript(text, from, until, run);
  reading.folder = run.folder;
  return until;
}

/** Reads a statement of SQL or of Mongo that begins at `from`. */
function readStatement({ text, tell, ahead }: LinesReading, from: number, end: number, lax: boolean): void {
  const first = text.startsWith('/*', from) ? behindComment(text, from, end) : from;
  if (SQL_START.test(WORD.exec(text.slice(first, first + 12))?.[0] ?? '')) {
    const to = endOfSql(text, first, end, ahead);
    const isAll = to - first <= LONGEST_STATEMENT && text.trim().length === to - first;
    readSql({ text, from: first, to, lax: lax && !(isAll && DROPS.test(text)), ahead }, (one) =>
      tell(one.kind, one.start, one.end),
    );
  }
  if (text.startsWith('db', from) && MONGO.test(text.slice(from, Math.min(end, from + 1024)))) {
    tell('destructive', from, end);
  }
}

const BACKTICK = 96;
const TILDE = 126;
const SPACE = 32;
const PIPE = 124;
const BANG = 33;
const REDIS_LINE = /^(?:flushall|flushdb)$/i;
const WORD = /^[A-Za-z]+/;

/** A text that is this alone is no prose, also in small letters. */
const DROPS = /^\s*(?:drop|truncate)\s+(?:table|database|schema|keyspace)\s/i;
const LONGEST_STATEMENT = 256;

/** Behind a comment that a line begins with. */
function behindComment(text: string, from: number, end: number): number {
  const found = text.slice(from, end).indexOf('*/');
  return found < 0 ? from : from + found + 2 + BLANK.exec(text.slice(from + found + 2, end))![0].length;
}

const BLANK = /^\s*/;

/** Whether a line is the name of a program, and the next ones are its arguments. */
function isAlone(text: string, from: number, end: number, strict: boolean): boolean {
  if (end - from > 32 || end >= text.length) return false;
  const line = text.slice(from, end).trim();
  if (!/^[\w./-]+$/.test(line) || !isInteresting(nameOf(line))) return false;
  return strict || text[end + 1] === '-' || /^(?:args|argv|arguments)\n/i.test(text.slice(end + 1, end + 12));
}

/** Where the command of a line begins; -1: it has none that is looked at. */
function begin(text: string, start: number, end: number, { lax, signs }: { lax: boolean; signs: boolean }): number {
  let from = start;
  while (from < end && (text.charCodeAt(from) === SPACE || text.charCodeAt(from) === 9)) from++;
  if (from >= end) return -1;
  // Most lines of prose begin with a word that is no command, and have no sign behind which one may stand.
  const sign = text.charCodeAt(from);
  if (!isLetter(sign) || lax) {
    if (!isLetter(sign) || PROMPT_WORDS.test(text.slice(from, from + 12))) {
      const prompt = PROMPT.exec(text.slice(start, Math.min(end, start + 256)));
      if (prompt) from = start + prompt[0].length;
    }
  }
  // `!command`, as notebooks have it
  if (!lax) return sign === BANG && isLetter(text.charCodeAt(from + 1)) ? from + 1 : from;
  // a row of a table
  if (sign === PIPE) return -1;
  // a key of a file of settings, such as that of a unit of systemd
  if (SETTING.test(text.slice(from, from + 32))) return -1;
  FIRST.lastIndex = from;
  if (!FIRST.test(text)) return signs && mayBehind(text, from, end) ? from : -1;
  const first = text.slice(from, Math.min(FIRST.lastIndex, end));
  if (FUNCTION.test(text.slice(FIRST.lastIndex, FIRST.lastIndex + 4))) return from;
  if (startsLikeCommand(first, signs)) return from;
  return signs && mayBehind(text, from, end) ? from : -1;
}

const FUNCTION = /^\(\) ?\{/;
const IFS = /\$\{?IFS\b/;
const SENTENCE_START = /^[A-Z][a-z]*[,.]?$/;
const SETTING = /^[A-Z][a-z]+(?:[A-Z][a-z]*)*=\S/;
const PLAIN_WORD = /^[A-Za-z]+,?$/;
const PROMPT_WORDS = /^(?:run|script|command|cmd|exec|entrypoint|PS|[a-z]:\\|[\w.-]+@)/i;
const isLetter = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);

function startsLikeCommand(first: string, signs: boolean): boolean {
  // A sentence begins with a capital letter, a command does not. A statement that is written so ends with `;`.
  if (SENTENCE_START.test(first)) return signs && SQL_START.test(first);
  if (PLAIN_WORD.test(first)) return isKnown(first.toLowerCase()) || SQL_START.test(first);
  const name = nameOf(first.replace(/['"\\]/g, ''));
  if (isKnown(name) || SQL_START.test(name) || REDIS_LINE.test(name)) return true;
  return /^(?:[./~]|\$(?!\d)|[A-Za-z_]\w*=|[:'"\\`{]|db\.)/.test(first) || IFS.test(first);
}

function signFrom(text: string, at: number): number {
  SIGN.lastIndex = at;
  return SIGN.test(text) ? SIGN.lastIndex - 1 : text.length;
}

/** Whether a sign of the line has the name of a program behind it. */
function mayBehind(text: string, from: number, end: number): boolean {
  const line = text.slice(from, end);
  BEHIND.lastIndex = 0;
  for (let n = 0; n < 64; n++) {
    const found = BEHIND.exec(line);
    if (!found) return false;
    if (isInteresting(nameOf(found[1]!.replace(/['"\\]/g, '')))) return true;
  }
  return true;
}

/** How far a quote that a line opens may reach. */
const LONGEST_QUOTE = 64 * 1024;
const DOCUMENT = /<<-?[ \t]*\\?(['"]?)([A-Za-z_][\w-]{0,63})\1/;

/** Where the script of a line ends: behind the line, or behind what it leaves open, where that is closed. */
function whole(text: string, from: number, end: number, ahead: LookSteps): number {
  let until = end;
  let at = from;
  for (let lines = 0; lines < 4096; lines++) {
    const open = openAt(text, at, until);
    if (open.sign !== '') {
      const close = closing(text, open.sign, until, ahead);
      if (close < 0) return until;
      at = close + 1;
      until = lineEnd(text, at);
      continue;
    }
    const line = text.slice(at, until);
    const name = line.includes('<<') ? DOCUMENT.exec(line)?.[2] : undefined;
    if (name !== undefined) {
      const last = endOfDocument(text, until, name, ahead);
      return last < 0 ? until : last;
    }
    if (until >= text.length || !open.goesOn) return until;
    at = until + 1;
    until = lineEnd(text, at);
  }
  return until;
}

/** The quote that is open at the end of a line, and whether the line goes on behind its end. */
function openAt(text: string, from: number, end: number): { sign: string; goesOn: boolean } {
  let sign = '';
  let escaped = false;
  for (let at = from; at < end; at++) {
    const unit = text[at]!;
    escaped = false;
    if (sign === "'") {
      if (unit === sign) sign = '';
    } else if (unit === '\\') {
      escaped = at + 1 === end;
      at++;
    } else if (unit === sign) sign = '';
    else if (sign === '' && (unit === '"' || unit === "'")) sign = unit;
    else if (sign === '' && unit === '#' && (at === from || text[at - 1] === ' ')) return { sign: '', goesOn: false };
  }
  return { sign, goesOn: escaped || /(?:\||&&)\s*$/.test(text.slice(Math.max(from, end - 8), end)) };
}

/** Where the quote ends, in a later line but in the same argument; -1: it does not. */
function closing(text: string, sign: string, from: number, ahead: LookSteps): number {
  const last = Math.min(text.length, from + LONGEST_QUOTE);
  let start = from;
  for (let at = from; at < last; at++) {
    if (--ahead.left < 0) return -1;
    const unit = text[at];
    if (unit === sign) return at;
    if (unit === '\\' && sign === '"') at++;
    else if (unit === '\n') {
      if (at - start < 24 && KEYS.test(text.slice(start, at))) return -1;
      start = at + 1;
    }
  }
  return -1;
}

function endOfDocument(text: string, from: number, name: string, ahead: LookSteps): number {
  for (let at = from + 1; at < text.length; ) {
    const end = lineEnd(text, at);
    ahead.left -= end - at + 1;
    if (ahead.left < 0) return -1;
    if (end - at < name.length + 32 && text.slice(at, end).trim() === name) return end;
    at = end + 1;
  }
  return -1;
}

/** What a statement goes on with in its next line. */
const GOES_ON = /^[ \t]*(?:where|set|from|limit|and|or|using|returning|inner|left|join|cascade|order|values|[),(])/i;

function endOfSql(text: string, from: number, end: number, ahead: LookSteps): number {
  let until = end;
  while (until < text.length && text[until - 1] !== ';') {
    const next = text.slice(until + 1, until + 33);
    if (
      !GOES_ON.test(next) &&
      !/(?:,|=|\b(?:from|update|set|where|and|or|table))[ \t]*$/i.test(text.slice(Math.max(from, until - 12), until))
    )
      break;
    const line = lineEnd(text, until + 1);
    ahead.left -= line - until;
    if (ahead.left < 0) break;
    until = line;
  }
  return until;
}

/** Words of a sentence, which no command has as its arguments. */
const SENTENCE =
  /\s(?:the|is|are|was|were|will|would|should|can|could|may|might|and|or|of|that|this|it|you|your|we|they|a|an|be|because|when|which|deletes|removes|erases|means|everything|please|never|always|instead|unless|without asking)(?=[\s,.!?;:]|$)|[a-z]{2}[.!?](?:\s+[A-Z]|\s*$)/i;

/** Names of arguments that may have what is searched for, as well as a statement. */
const QUERY = /^(?:search_?)?q(?:uery)?/i;
/** Words of a search, which no command has as its arguments. */
const SOUGHT =
  /\s(?:explained|meaning|examples?|vs|versus|syntax|tutorial|cheat ?sheet|stack ?overflow|reddit|stuck|terminating|undo|recover\w*|dangerous|danger|security|risks?|prevention|how to|alternatives?|difference|flags?|error|failed|not working|docs?|documentation|best practices?)(?=[\s?]|$)/i;

const isSought = (text: string, start: number, end: number): boolean =>
  SOUGHT.test(text.slice(start, Math.min(end, start + 256)));

/** Whether what may be a command is a sentence that begins with the name of one. */
function isProse(text: string, start: number, end: number): boolean {
  const said = text.slice(start, Math.min(end, start + 512)).replace(/"[^"]*"|'[^']*'/g, '""');
  return SENTENCE.test(said);
}

/** The words of a command that stand in lines of their own, as the elements of a list do. */
function argumentsOf(text: string, end: number): { said: string; until: number } | undefined {
  const words: string[] = [];
  let until = end;
  for (let at = end + 1; at < text.length && words.length < MOST_ARGUMENTS; ) {
    const last = lineEnd(text, at);
    if (last - at > LONGEST_ARGUMENT) break;
    const line = text.slice(at, last);
    const isName = /^(?:args|arguments|argv|params|parameters|0|1)$/i.test(line);
    if (!isName || words.length > 0) {
      if ((words.length > 0 && KEYS.test(line)) || NAME_BESIDE.test(line)) break;
      words.push(`'${line.replaceAll("'", "'\\''")}'`);
    }
    until = last;
    at = last + 1;
  }
  return words.length === 0 ? undefined : { said: words.join(' '), until };
}

/** Names of arguments that stand beside a command. */
const NAME_BESIDE =
  /^(?:cwd|timeout\w*|workdir|env|description|explanation|name|id|type|thought|blocking|reason|[a-z]+(?:_[a-z]+)+)$/i;
const MOST_ARGUMENTS = 24;
const LONGEST_ARGUMENT = 4096;
