/**
 * As much of ClickHouse's lexer as is needed to find where a statement ends, which format a query asks for, and whether a
 * reader may send it. Whether a statement is valid, the engine decides.
 */

export interface Token {
  kind: 'word' | 'number' | 'string' | 'quoted' | 'symbol' | 'foreign';
  /** As written; quoted identifiers and strings without their quotes. `foreign` is a byte that is not accepted outside quotes. */
  text: string;
  start: number;
  end: number;
  /** Parentheses, brackets and braces open before this token. */
  depth: number;
}

export interface Statement {
  /** Up to the first semicolon. */
  tokens: Token[];
  /** Format named by a FORMAT clause at the end of a query. */
  format?: string;
  /** A second statement follows, which the HTTP interface does not allow. */
  several: boolean;
}

const WORD_START = /[A-Za-z_$]/;
const WORD = /[A-Za-z0-9_$]/;
const HEREDOC = /\$\w*\$/y;
const SPACE = /[ \t\n\v\f\r]/;

/** Splits `sql` into tokens; comments and white space are dropped. An unclosed quote reaches to the end. */
export function* tokens(sql: string): Generator<Token> {
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

function skipBlank(sql: string, at: number): number {
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

function readToken(sql: string, at: number, depth: number): Token {
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
function readQuoted(sql: string, at: number, quote: string): { text: string; end: number; coded: boolean } {
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

/** Whether `token` is one of the words, which are in capitals. */
export const is = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toUpperCase());

const isSemicolon = ({ kind, text }: Token): boolean => kind === 'symbol' && text === ';';

export function readStatement(sql: string): Statement {
  const all = [...tokens(sql)];
  const end = all.findIndex(isSemicolon);
  const first = end === -1 ? all : all.slice(0, end);
  const several = end !== -1 && !all.slice(end).every(isSemicolon);
  const named = first.findLastIndex((token) => token.depth === 0 && is(token, 'FORMAT'));
  const [format, after] = named > 0 ? first.slice(named + 1) : [];
  const isClause = format?.kind === 'word' && (after === undefined || is(after, 'SETTINGS'));
  return { tokens: first, several, ...(isClause ? { format: format.text } : {}) };
}

/** How a query of a reader may begin. Other statements change something, or end queries of others. */
const READING = new Set(['SELECT', 'WITH', 'FROM', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS', '(']);

/** Functions that no grant of the engine controls. */
const REFUSED_NAMES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  file: 'the function reads files',
  getserversetting: 'the function says settings of the engine',
});

/**
 * Says why a reader may not send a statement; undefined when it may. The engine itself restricts readers to the home
 * database. Refused here is what no grant of the engine controls: statements that end queries of others, INTO OUTFILE,
 * and some functions.
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
    const reason = named ? REFUSED_NAMES[token.text.toLowerCase()] : undefined;
    if (reason !== undefined) return `the name ${token.text} is not available: ${reason}`;
  }
  return undefined;
}

/** A string literal of ClickHouse. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`;
}

/** A quoted identifier of ClickHouse. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&').replaceAll('\0', '\\0')}\``;
}
