/**
 * Statements of SQL that delete what is not made again: DROP, TRUNCATE, and DELETE or UPDATE without a condition, read word by word. Strings,
 * quoted names and comments are words of their own, so what they say is not read as a statement.
 */
import type { LookSteps } from '../../engine/steps.js';
import type { CommandKind } from './rule.js';

interface SqlToken {
  text: string;
  start: number;
  end: number;
}

const TOKEN = /--[^\n]*|\/\*|'|"|`|\[|[A-Za-z_][\w$.]*|\d[\w.]*|\$\$|\s+|[^\s]/y;

/** Most tokens of a statement that are kept; the rest is read for its end alone. */
const MOST_TOKENS = 64;

export interface SqlStatement {
  kind: CommandKind;
  start: number;
  end: number;
}

/** What begins a statement that is looked at. */
export const SQL_START =
  /^(?:drop|truncate|delete|update|alter|with|begin|use|set|explain|merge|replace|insert|select|create|grant|flushall|flushdb|match|copy|exec|execute|do|shutdown|reset|purge|declare)$/i;

interface SqlScript {
  text: string;
  from: number;
  to: number;
  lax: boolean;
  ahead: LookSteps;
  /** of statements within strings */
  depth?: number;
}

/** Statements within strings of others. */
const DEEPEST = 3;
const MOST_TEMPORARY = 32;

/**
 * Reads the statements from `from` to `to` and tells those that destroy. `lax`: of text that may be prose, where words must be in capitals
 * or end with `;`. It ends behind the first statement with `one`. Returns where it ended.
 */
export function readSql(
  { text, from, to, lax, ahead, depth = 0 }: SqlScript,
  tell: (found: SqlStatement) => void,
): number {
  let at = from;
  /** quotes that have no end any more */
  const open = new Set<string>();
  /** names of tables that the script itself makes for a time */
  const temporary = new Set<string>();
  while (at < to) {
    const { tokens, start, end, where, closed } = statement(text, at, to, open);
    at = Math.max(end, at + 1);
    ahead.left -= at - from;
    if (tokens.length === 0) continue;
    const made = madeIn(tokens);
    if (made !== undefined && temporary.size < MOST_TEMPORARY) temporary.add(made);
    const kind = temporary.has(droppedIn(tokens)) ? undefined : kindOf(tokens, where);
    if (kind && (!lax || isWritten(tokens, closed))) tell({ kind, start, end });
    if (!lax && depth < DEEPEST) {
      for (const said of statementsIn(tokens, text))
        readSql({ text: said, from: 0, to: said.length, lax: false, ahead, depth: depth + 1 }, ({ kind: of }) =>
          tell({ kind: of, start, end }),
        );
    }
  }
  return at;
}

interface Read {
  tokens: SqlToken[];
  start: number;
  end: number;
  /** conditions of WHERE and LIMIT, in small letters; undefined: it has none */
  where: string | undefined;
  closed: boolean;
}

function statement(text: string, from: number, to: number, open: Set<string>): Read {
  const tokens: SqlToken[] = [];
  let start = -1;
  let at = from;
  let where: string | undefined;
  let closed = false;
  while (at < to) {
    TOKEN.lastIndex = at;
    if (!TOKEN.test(text)) break;
    let end = Math.min(TOKEN.lastIndex, to);
    const first = text[at]!;
    const isSpace = first === ' ' || first === '\n' || first === '\t' || first === '\r';
    let said = text.slice(at, Math.min(end, at + 64));
    if (said.startsWith('--')) {
      at = end;
      continue;
    }
    if (said === '/*') {
      const close = text.indexOf('*/', at + 2);
      at = close < 0 || close > to ? to : close + 2;
      continue;
    }
    if (first === "'" || first === '"' || first === '`' || first === '[') {
      end = quoteEnd(text.slice(at, to), first === '[' ? ']' : first, open) + at;
      said = first === "'" ? "''" : `"${text.slice(at + 1, Math.min(end - 1, at + 64))}`;
    }
    if (first === ';') {
      at = end;
      closed = true;
      break;
    }
    if (!isSpace) {
      if (start < 0) start = at;
      const lower = said.toLowerCase();
      if (where === undefined && (lower === 'where' || lower === 'limit')) where = '';
      else if (where !== undefined && where.length < 64) where += lower;
      if (tokens.length < MOST_TOKENS) tokens.push({ text: said, start: at, end });
    }
    at = end;
  }
  return { tokens, start: start < 0 ? from : start, end: at, where, closed };
}

/** Behind the quote that `text` begins with; one without an end ends at once. */
function quoteEnd(text: string, sign: string, open: Set<string>): number {
  if (open.has(sign)) return 1;
  for (let from = 1; ; ) {
    const end = text.indexOf(sign, from);
    if (end < 0) {
      open.add(sign);
      return 1;
    }
    if (text[end + 1] !== sign || sign === ']') return end + 1;
    from = end + 2;
  }
}

/** Conditions that hold for each row. */
/** One that holds for each row, beside others. */
const OR_ALWAYS = /(?:^|or\(?)(?:1=1|true|''='')(?:$|\)|or)|^([a-z_]\w*)=\1$/;
const ALWAYS = /^(?:\(?(?:1=1|1|true|''=''|0=0|1<>0|1<2|2>1|id>0|id>=0|idisnotnull|1is notnull)\)?)$/;
/** Names that say that what they name is made again. */
const PASSING =
  /(?:^|[_.#"])(?:te?mp|temporary|scratch|staging|stg|test|tests|dummy|sample|demo)\d*(?:[_.]|$)|^#|_(?:old|bak|backup)$/i;

const THINGS = new Set(
  'table database schema index view materialized user role sequence function procedure trigger type extension tablespace keyspace collection domain owned column policy stream bucket warehouse catalog'.split(
    ' ',
  ),
);
const LOSSES = new Set('table database schema tablespace keyspace user role owned materialized catalog'.split(' '));

/** The name behind CREATE TEMPORARY TABLE. */
function madeIn(tokens: readonly SqlToken[]): string | undefined {
  if (!/^create$/i.test(tokens[0]!.text) || !/^temp(?:orary)?$/i.test(tokens[1]?.text ?? '')) return undefined;
  const at = tokens.findIndex(({ text }) => /^table$/i.test(text)) + 1;
  return at === 0 ? undefined : nameBehind(tokens, at);
}

const droppedIn = (tokens: readonly SqlToken[]): string =>
  /^drop$/i.test(tokens[0]!.text) && /^table$/i.test(tokens[1]?.text ?? '') ? nameBehind(tokens, 2) : '';

function nameBehind(tokens: readonly SqlToken[], from: number): string {
  let at = from;
  while (/^(?:if|not|exists)$/i.test(tokens[at]?.text ?? '')) at++;
  return (tokens[at]?.text ?? '').replace(/^"/, '').toLowerCase();
}

/** What a statement runs as others: the strings of EXECUTE, the body of DO, and what changes rows within WITH. */
function statementsIn(tokens: readonly SqlToken[], text: string): string[] {
  const first = tokens[0]!.text.toLowerCase();
  const last = tokens.at(-1)!.end;
  if (first === 'exec' || first === 'execute' || first === 'declare' || first === 'begin') {
    const strings = tokens.filter(({ text: said }) => said === "''").slice(0, MOST_STRINGS);
    const said = strings.map(({ start, end }) => text.slice(start + 1, end - 1).replaceAll("''", "'")).join(' ');
    return said === '' ? [] : [said];
  }
  if (first === 'do') return [text.slice(tokens[1]?.start ?? last, last).replace(/^(?:\$\w*\$|')\s*(?:begin\b)?/i, '')];
  if (first !== 'with') return [];
  const at = tokens.findIndex(({ text: said }, i) => i > 0 && tokens[i - 1]!.text === '(' && CHANGES.test(said));
  if (at < 0) return [];
  const until = tokens.findIndex(({ text: said }, i) => i > at && (said === ')' || /^returning$/i.test(said)));
  return [text.slice(tokens[at]!.start, until < 0 ? last : tokens[until]!.start)];
}

const CHANGES = /^(?:delete|update)$/i;
const MOST_STRINGS = 16;

function kindOf(tokens: readonly SqlToken[], where: string | undefined): CommandKind | undefined {
  if (/^(?:copy|exec|execute)$/i.test(tokens[0]!.text) && runsProgram(tokens)) return 'remote_code';
  if (/^(?:grant|alter|create)$/i.test(tokens[0]!.text) && givesRights(tokens)) return 'privilege';
  return destroys(tokens, where) ? 'destructive' : undefined;
}

/** COPY … TO PROGRAM, and the shell of SQL Server. */
function runsProgram(tokens: readonly SqlToken[]): boolean {
  if (/^copy$/i.test(tokens[0]!.text))
    return tokens.some(({ text }, i) => /^program$/i.test(text) && /^(?:to|from)$/i.test(tokens[i - 1]!.text));
  return tokens.slice(1, 8).some(({ text }) => /(?:^|\.)xp_cmdshell$/i.test(text));
}

/** Roles that may do all. */
const ADMINISTRATORS =
  /^grant (?:"?(?:dba|sysdba|sysadmin|accountadmin|securityadmin|rds_superuser|cloudsqlsuperuser|pg_execute_server_program|pg_write_server_files)\b|role "?(?:accountadmin|securityadmin|sysadmin)\b)/;

/** All rights on all there is, or the role of an administrator. */
function givesRights(tokens: readonly SqlToken[]): boolean {
  const said = tokens.map(({ text }) => text.toLowerCase()).join(' ');
  if (!said.startsWith('grant'))
    return (
      /^(?:alter|create) (?:user|role) .*\b(?<!no)superuser\b/.test(said) ||
      /^alter server role "?\[?(?:sysadmin|securityadmin)\b.* add member\b/.test(said)
    );
  return (
    /^grant (?:all(?: privileges)?|super\b.*) on \* \. \* to /.test(said) ||
    /^grant (?:all privileges|any privilege) to /.test(said) ||
    ADMINISTRATORS.test(said)
  );
}

function destroys(tokens: readonly SqlToken[], where: string | undefined): boolean {
  const words = tokens.map(({ text }) => text.toLowerCase());
  let at = 0;
  if (words[0] === 'explain') return false;
  if (words[0] === 'begin' || words[0] === 'go') at = words[1] === 'transaction' ? 2 : 1;
  const [verb = '', second = '', third = ''] = words.slice(at);
  const isAlways = where === undefined || ALWAYS.test(where) || OR_ALWAYS.test(where);
  switch (verb) {
    case 'drop':
      return THINGS.has(second) && LOSSES.has(second) && lostNames(tokens, at + 2);
    case 'truncate':
      return second === 'table'
        ? lostNames(tokens, at + 2)
        : isName(second) &&
            (words.length - at <= 4 || TRUNCATES.test(words.slice(at + 2).join(' '))) &&
            lostNames(tokens, at + 1);
    case 'delete':
      // `DELETE t FROM table t`
      if (third === 'from')
        return (
          isName(second) &&
          isName(words[at + 3] ?? '') &&
          isAlways &&
          !words.includes('join') &&
          !PASSING.test(nameIn(tokens, at + 3))
        );
      if (second !== 'from') return false;
      return isName(third) && isAlways && !PASSING.test(nameIn(tokens, at + 2)) && isWhole(words, at + 3);
    case 'update':
      return (
        isName(second) &&
        words.slice(at, at + 8).includes('set') &&
        words.includes('=') &&
        isAlways &&
        !PASSING.test(nameIn(tokens, at + 1))
      );
    case 'alter':
      // ClickHouse
      if (words[at + 3] === 'delete') return where !== undefined && isAlways;
      return (
        second === 'table' &&
        words
          .slice(at + 2, at + 10)
          .some(
            (word, i, all) =>
              word === 'drop' &&
              (all[i + 1] === 'column' ||
                all[i + 1] === 'partition' ||
                (isName(all[i + 1] ?? '') &&
                  !/^(?:constraint|index|default|not|foreign|primary|key|check|identity|expression)$/.test(
                    all[i + 1]!,
                  ))),
          )
      );
    case 'match':
      return words.includes('delete') && isAlways && !words.includes('{') && !words.includes(':');
    case 'shutdown':
      return (second === 'with' && third === 'nowait') || second === 'immediate' || second === 'abort';
    case 'reset':
      return second === 'master' || second === 'slave' || second === 'replica';
    case 'purge':
      return (second === 'binary' || second === 'master') && third === 'logs';
    case 'flushall':
    case 'flushdb':
      return words.length - at <= 2;
    default:
      return false;
  }
}

/** What may follow the names behind TRUNCATE. */
const TRUNCATES = /^(?:, "?[\w$.]+ ?)*(?:(?:restart|continue) identity ?)?(?:cascade|restrict)?$/;

const isName = (word: string): boolean => /^["a-z_]/.test(word) && word !== "''";
const nameIn = (tokens: readonly SqlToken[], at: number): string => {
  const said = tokens[at]?.text ?? '';
  return said.toLowerCase() === 'only' ? (tokens[at + 1]?.text ?? '') : said;
};

/** What may follow the name of a table in DELETE. */
const isWhole = (words: readonly string[], at: number): boolean => {
  const next = words[at];
  return (
    next === undefined ||
    /^(?:where|as|limit|returning|using|cascade|go|[.])$/.test(next) ||
    (isName(next) && (words[at + 1] === undefined || words[at + 1] === 'where'))
  );
};

/** Whether one of the names behind DROP or TRUNCATE is none of a table that is made again. */
function lostNames(tokens: readonly SqlToken[], from: number): boolean {
  let at = from;
  while (/^(?:if|exists|not|view|only|by)$/i.test(tokens[at]?.text ?? '')) at++;
  let lost = false;
  let names = 0;
  for (; at < tokens.length; at++) {
    const said = tokens[at]!.text;
    if (said === ',' || said === '.') continue;
    if (/^on$/i.test(said) && /^cluster$/i.test(tokens[at + 1]?.text ?? '')) {
      at += 2;
      continue;
    }
    if (/^(?:cascade|restrict|purge|restart|identity|continue|sync|with|go|force|constraints|no|delay)$/i.test(said))
      continue;
    if (!/^["A-Za-z_@#$*]/.test(said)) return said === ')' || said === '(' ? lost : lost && names < 2;
    if (said.length > 1 && tokens[at - 1] && names > 0 && tokens[at - 1]!.text !== ',' && tokens[at - 1]!.text !== '.')
      return false;
    names++;
    if (!PASSING.test(said)) lost = true;
  }
  return lost;
}

/** Whether it is written as people write SQL, where it may be prose. */
function isWritten(tokens: readonly SqlToken[], closed: boolean): boolean {
  if (closed) return tokens.length > 1;
  const [first, second] = tokens;
  if (!isUpper(first!.text)) return false;
  return isUpper(second?.text ?? '') || /^(?:UPDATE|TRUNCATE)$/.test(first!.text);
}

const isUpper = (text: string): boolean => text === text.toUpperCase();
