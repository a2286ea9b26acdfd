/**
 * As much of ClickHouse's lexer as is needed to find where a statement ends, where the data of an INSERT begins, which
 * format a query asks for, and whether a reader may send it. Whether a statement is valid, the engine decides.
 */

/** Bytes as one character each: offsets are offsets in the request, and binary data behind a statement does no harm. */
export type Latin1 = string;

export interface Token {
  kind: 'word' | 'number' | 'string' | 'quoted' | 'symbol' | 'foreign';
  /** As written; quoted identifiers and strings without their quotes. `foreign` is a byte that is not accepted outside quotes. */
  text: string;
  start: number;
  end: number;
  /** Parentheses, brackets and braces open before this token. */
  depth: number;
}

/** The parts of an INSERT that takes data from the request, in offsets of the statement. */
export interface InsertShape {
  /** `INSERT INTO … (…)` ends here. */
  targetEnd: number;
  /** `SETTINGS …`, empty when both are equal. */
  settings: [start: number, end: number];
  format: string;
  dataStart: number;
}

export interface Statement {
  kind: 'empty' | 'insert' | 'other';
  /** The INSERT that takes data from the request; absent for INSERT … SELECT. */
  insert?: InsertShape;
  /** Format named by a FORMAT clause at the end of a query. */
  format?: string;
  /** A second statement follows, which the HTTP interface does not allow. */
  several: boolean;
  /** Everything up to the data. */
  tokens: Token[];
}

const WORD_START = /[A-Za-z_$]/;
const WORD = /[A-Za-z0-9_$]/;
const HEREDOC = /\$\w*\$/y;
const SPACE = /[ \t\n\v\f\r]/;

/** Splits `sql` into tokens; comments and white space are dropped. An unclosed quote reaches to the end. */
function* lex(sql: Latin1): Generator<Token> {
  let at = 0;
  let depth = 0;
  while (at < sql.length) {
    const skipped = skipBlank(sql, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const char = sql[at]!;
    if ('([{'.includes(char)) {
      yield { kind: 'symbol', text: char, start: at, end: at + 1, depth };
      depth++;
      at++;
      continue;
    }
    if (')]}'.includes(char)) depth = Math.max(0, depth - 1);
    const token = readToken(sql, at, depth);
    yield token;
    at = token.end;
  }
}

/** A source of tokens: after one loop over it ends, another can continue. */
interface TokenSource extends Iterable<Token> {
  next(): IteratorResult<Token>;
}

/** The tokens of `sql`, one at a time. */
export function tokens(sql: Latin1): TokenSource {
  const source = lex(sql);
  const open: TokenSource = { next: () => source.next(), [Symbol.iterator]: () => ({ next: () => source.next() }) };
  return open;
}

function skipBlank(sql: Latin1, at: number): number {
  if (SPACE.test(sql[at]!)) return at + 1;
  if (sql.startsWith('--', at) || sql.startsWith('#!', at) || sql.startsWith('# ', at)) {
    const end = sql.indexOf('\n', at);
    return end === -1 ? sql.length : end + 1;
  }
  if (sql.startsWith('/*', at)) {
    const end = sql.indexOf('*/', at + 2);
    return end === -1 ? sql.length : end + 2;
  }
  return at;
}

function readToken(sql: Latin1, at: number, depth: number): Token {
  const char = sql[at]!;
  if (char === "'" || char === '`' || char === '"') {
    const { text, end, coded } = readQuoted(sql, at, char);
    // A name with letters coded as \x66 would pass a check of names.
    const kind = char === "'" ? 'string' : coded ? 'foreign' : 'quoted';
    return { kind, text, start: at, end, depth };
  }
  if (char === '$') {
    HEREDOC.lastIndex = at;
    const tag = HEREDOC.exec(sql)?.[0];
    if (tag !== undefined) {
      const close = sql.indexOf(tag, at + tag.length);
      // Without an end, the rest is one token. Else each of many open heredocs would be searched to the end.
      if (close === -1) return { kind: 'foreign', text: tag, start: at, end: sql.length, depth };
      return { kind: 'string', text: sql.slice(at + tag.length, close), start: at, end: close + tag.length, depth };
    }
  }
  let end = at + 1;
  if (WORD_START.test(char)) {
    while (end < sql.length && WORD.test(sql[end]!)) end++;
    return { kind: 'word', text: sql.slice(at, end), start: at, end, depth };
  }
  if (/\d/.test(char)) {
    while (end < sql.length && (WORD.test(sql[end]!) || (sql[end] === '.' && /\d/.test(sql[end + 1] ?? '')))) end++;
    return { kind: 'number', text: sql.slice(at, end), start: at, end, depth };
  }
  // The engine's lexer knows white space, quotes and minus signs beyond ASCII. They are refused, not interpreted.
  return { kind: char > '~' || char < ' ' ? 'foreign' : 'symbol', text: char, start: at, end, depth };
}

/** `coded`: a backslash stands before something other than a quote or a backslash, so `text` is not the real name. */
function readQuoted(sql: Latin1, at: number, quote: string): { text: string; end: number; coded: boolean } {
  let text = '';
  let coded = false;
  let end = at + 1;
  while (end < sql.length) {
    const char = sql[end]!;
    if (char === '\\' && end + 1 < sql.length) {
      text += sql[end + 1];
      coded ||= !'\\\'"`'.includes(sql[end + 1]!);
      end += 2;
    } else if (char === quote && sql[end + 1] === quote) {
      text += quote;
      end += 2;
    } else if (char === quote) {
      return { text, end: end + 1, coded };
    } else {
      text += char;
      end++;
    }
  }
  return { text, end, coded };
}

const is = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toUpperCase());

/**
 * Reads a statement. Of an INSERT with data it reads only the part before the data, so `sql` may hold all of the data or
 * only its beginning.
 */
export function readStatement(sql: Latin1): Statement {
  const source = tokens(sql);
  const seen: Token[] = [];
  for (const token of source) {
    seen.push(token);
    if (seen.length === 1 && is(token, 'INSERT')) return readInsert(sql, source, seen);
    if (token.text === ';' && token.kind === 'symbol') break;
  }
  if (seen.length === 0 || seen[0]!.text === ';') return { kind: 'empty', several: false, tokens: seen };
  const several = hasMore(source);
  const named = seen.findLastIndex((token) => token.depth === 0 && is(token, 'FORMAT'));
  const [format, after] = named > 0 ? seen.slice(named + 1) : [];
  const isClause = format?.kind === 'word' && (after === undefined || after.text === ';' || is(after, 'SETTINGS'));
  return {
    kind: 'other',
    several,
    tokens: seen,
    ...(isClause ? { format: format.text } : {}),
  };
}

/** Whether something follows the first semicolon. The text must hold statements only, and no data. */
export function hasSecond(sql: Latin1): boolean {
  const source = tokens(sql);
  for (const token of source) if (token.kind === 'symbol' && token.text === ';') return hasMore(source);
  return false;
}

function hasMore(source: TokenSource): boolean {
  for (const token of source) if (token.text !== ';') return true;
  return false;
}

/** INSERT INTO [TABLE] [FUNCTION] name [(columns)] [SETTINGS …] (VALUES | FORMAT name [SETTINGS …] | SELECT …). */
function readInsert(sql: Latin1, source: TokenSource, seen: Token[]): Statement {
  let settings: Token | undefined;
  let named = false;
  for (const token of source) {
    seen.push(token);
    if (token.depth > 0 || token.kind !== 'word') {
      if (token.kind === 'symbol' && token.text === ';') break;
      named ||= token.kind === 'quoted';
      continue;
    }
    if (!named) {
      named = !is(token, 'INTO', 'TABLE', 'FUNCTION');
      continue;
    }
    if (isAfterDot(seen)) continue;
    if (is(token, 'SETTINGS')) settings ??= token;
    else if (is(token, 'VALUES')) {
      const insert = shape(token, settings, 'Values', token.end);
      return { kind: 'insert', several: false, tokens: seen, insert };
    } else if (is(token, 'FORMAT')) return withFormat(sql, source, seen, { keyword: token, settings });
    else if (is(token, 'SELECT', 'WITH', 'WATCH', 'FROM')) return withoutData(source, seen);
  }
  return { kind: 'insert', several: hasMore(source), tokens: seen };
}

const isAfterDot = (seen: readonly Token[]): boolean => seen[seen.length - 2]?.text === '.';

function withoutData(source: TokenSource, seen: Token[]): Statement {
  for (const token of source) {
    seen.push(token);
    if (token.kind === 'symbol' && token.text === ';') break;
  }
  return { kind: 'insert', several: hasMore(source), tokens: seen };
}

function withFormat(
  sql: Latin1,
  source: TokenSource,
  seen: Token[],
  at: { keyword: Token; settings: Token | undefined },
): Statement {
  const name = source.next().value as Token | undefined;
  if (name?.kind !== 'word') return { kind: 'insert', several: false, tokens: seen };
  seen.push(name);
  const after = trailingSettings(sql.slice(name.end));
  seen.push(...lex(sql.slice(name.end, name.end + after)));
  const insert = shape(at.keyword, at.settings, name.text, skipToData(sql, name.end + after));
  if (after > 0) insert.settings = [name.end, name.end + after];
  return { kind: 'insert', several: false, tokens: seen, insert };
}

/** Length of ` SETTINGS a = 1, b = 'x'` at the beginning of `rest`, 0 without it. */
function trailingSettings(rest: Latin1): number {
  const source = tokens(rest);
  if (!is(source.next().value as Token | undefined, 'SETTINGS')) return 0;
  let end = 0;
  for (;;) {
    const name = source.next().value as Token | undefined;
    const equals = source.next().value as Token | undefined;
    const value = source.next().value as Token | undefined;
    if (name?.kind !== 'word' || equals?.text !== '=' || value === undefined) return end;
    end = value.end;
    if ((source.next().value as Token | undefined)?.text !== ',') return end;
  }
}

/** As in ClickHouse's parser, blanks, an optional semicolon and one line break belong to the statement. */
function skipToData(sql: Latin1, at: number): number {
  let start = at;
  while (' \t\f'.includes(sql[start] ?? '.')) start++;
  if (sql[start] === ';') start++;
  if (sql[start] === '\r') start++;
  if (sql[start] === '\n') start++;
  return start;
}

function shape(keyword: Token, settings: Token | undefined, format: string, dataStart: number): InsertShape {
  const targetEnd = settings?.start ?? keyword.start;
  return { targetEnd, settings: [targetEnd, keyword.start], format, dataStart };
}

/** How a query of a reader may begin. Other statements change something, or end queries of others. */
const READING = new Set(['SELECT', 'WITH', 'FROM', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS', '(']);

/**
 * Says why a reader may not send a statement; undefined when it may. The engine itself restricts readers to the home
 * database. Refused here is what no grant of the engine controls: statements that end queries of others, INTO OUTFILE,
 * and the function `file`.
 */
export function refusalOfReader({ tokens: seen }: Statement): string | undefined {
  const [first] = seen;
  if (first === undefined || first.kind === 'quoted' || !READING.has(first.text.toUpperCase())) {
    return 'the user reader may only ask: begin with SELECT, WITH, SHOW, DESCRIBE, EXPLAIN or EXISTS';
  }
  for (const token of seen) {
    if (token.kind === 'foreign') return `a character or a coded name at position ${token.start + 1} is not read here`;
    if (is(token, 'OUTFILE')) return 'INTO OUTFILE is not available over HTTP';
    // Also without a parenthesis: APPLY takes a function by its name alone.
    const named = token.kind === 'word' || token.kind === 'quoted';
    if (named && token.text.toLowerCase() === 'file') return 'the name file is not available: the function reads files';
  }
  return undefined;
}
