/**
 * Reads JSON as it is written. `JSON.parse` loses digits of numbers, one of two members of the same name, and positions. What is
 * stored, returned or checked as it was sent is therefore cut out of the text.
 *
 * All functions take time linear in the text and never throw. Positions are UTF-16 units, or bytes
 * where a function takes bytes.
 */

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const isSpace = (unit: number): boolean =>
  unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB;

function afterSpace(json: string, at: number): number {
  // Nearly every character of JSON is above the space: one comparison is enough for most.
  while (json.charCodeAt(at) <= 32 && isSpace(json.charCodeAt(at))) at++;
  return at;
}

/** Position after the string whose quote is at `at`; -1 when it does not end. */
function stringEnd(json: string, at: number): number {
  for (let quote = at; ; ) {
    quote = json.indexOf('"', quote + 1);
    if (quote < 0) return -1;
    let slashes = 0;
    while (json.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
}

/** Bytes of a string that are looked at one by one before the next quote is searched for: most strings end within them. */
const SHORT = 64;

/**
 * Position of the quote that ends the string around `at`, in bytes. Without one in these bytes: where to go on, possibly in the next
 * piece.
 */
export function stringEndIn(bytes: Buffer, at: number): number {
  while (at < bytes.length) {
    for (const short = Math.min(at + SHORT, bytes.length); at < short; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at++;
    }
    if (at >= bytes.length) break;
    // Images as base64 are megabytes without a quote: this is sixty times as fast as a look at each byte.
    const quote = bytes.indexOf(QUOTE, at);
    const end = quote < 0 ? bytes.length : quote;
    let slashes = 0;
    while (end - 1 - slashes >= at && bytes[end - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    at = end + 1;
  }
  return at;
}

/** Position after a number or a keyword. */
function scalarEnd(json: string, at: number): number {
  for (; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === COMMA || unit === CLOSE_ARRAY || unit === CLOSE_OBJECT || unit === COLON || isSpace(unit)) return at;
  }
  return at;
}

// The next functions need a text that JSON.parse accepts.

/** Whether the value that was skipped last has space between its parts. Saves reading it a second time. */
let spaced = false;

/** Position after the value at `at`. */
export function skipValue(json: string, at: number): number {
  const first = json.charCodeAt(at);
  spaced = false;
  if (first === QUOTE) return stringEnd(json, at);
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return scalarEnd(json, at);
  for (let depth = 0; ; ) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(json, at);
        continue;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (--depth === 0) return at + 1;
        break;
      case SPACE:
      case TAB:
      case LINE_FEED:
      case CARRIAGE_RETURN:
        spaced = true;
    }
    at++;
  }
}

/**
 * Calls `visit` for each member of the object at `at`, with the positions of its value and of its name (see {@link nameOf}). `visit`
 * returns where the value ends. Returns where the object ends. A value that is not an object has no members: it may stand where an
 * object was validated, when a later member of the same name has replaced it.
 */
export function eachMember(json: string, at: number, visit: (start: number, name: number) => number): number {
  if (json.charCodeAt(at) !== OPEN_OBJECT) return skipValue(json, at);
  at = afterSpace(json, at + 1);
  while (json.charCodeAt(at) !== CLOSE_OBJECT) {
    const start = afterSpace(json, afterSpace(json, stringEnd(json, at)) + 1);
    at = afterSpace(json, visit(start, at));
    if (json.charCodeAt(at) === COMMA) at = afterSpace(json, at + 1);
  }
  return at + 1;
}

/** The name at `at`. */
export const nameOf = (json: string, at: number): string => unescaped(json.slice(at + 1, stringEnd(json, at) - 1));

/** The same as {@link eachMember} for the elements of the array at `at`. */
export function eachElement(json: string, at: number, visit: (index: number, start: number) => number): number {
  if (json.charCodeAt(at) !== OPEN_ARRAY) return skipValue(json, at);
  at = afterSpace(json, at + 1);
  for (let index = 0; json.charCodeAt(at) !== CLOSE_ARRAY; index++) {
    at = afterSpace(json, visit(index, at));
    if (json.charCodeAt(at) === COMMA) at = afterSpace(json, at + 1);
  }
  return at + 1;
}

/** Names of fields. Those with a space or a long number are more often of people, cards or files. */
const FIELD = /^[@$#_\p{L}][\p{L}\p{N}_$.:-]{0,63}$/u;
const LONG_NUMBER = /\p{N}{4}/u;
/** Whether a name looks like that of a field, so that it can be told where content must not be. */
export const isFieldName = (name: string): boolean => FIELD.test(name) && !LONG_NUMBER.test(name);

/** Whether the name at `at` is `name`. Most are told by their first letter. */
export function isNamed(json: string, at: number, name: string): boolean {
  for (let i = 0; ; i++) {
    const unit = json.charCodeAt(at + 1 + i);
    if (unit === BACKSLASH) return nameOf(json, at) === name;
    if (unit === QUOTE) return i === name.length;
    if (unit !== name.charCodeAt(i)) return false;
  }
}

/** Position of the value of a member of the object at `at`, or -1. Of two members of that name the last counts, as in JSON.parse. */
export function memberAt(json: string, at: number, name: string): number {
  let found = -1;
  eachMember(json, at, (start, member) => {
    if (isNamed(json, member, name)) found = start;
    return skipValue(json, start);
  });
  return found;
}

/** The value at `at` as it is written, but without space. */
export const sourceAt = (json: string, at: number): string => sourceTo(json, at, skipValue(json, at));

/** The same, when the last skipped value is this one and ended at `end`. */
export const sourceTo = (json: string, at: number, end: number): string =>
  spaced ? compact(json.slice(at, end)) : json.slice(at, end);

/** Position of the first value of a text, after leading space. */
export const valueStart = (json: string): number => afterSpace(json, 0);

/** JSON without the space between its parts. So it has no line breaks; everything else is as it was written. */
export function compact(json: string): string {
  let made = '';
  let from = 0;
  for (let at = 0; at < json.length; ) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(json, at);
    else if (!isSpace(unit)) at++;
    else {
      made += json.slice(from, at);
      at = afterSpace(json, at);
      from = at;
    }
  }
  return from === 0 ? json : made + json.slice(from);
}

/** UTF-8 bytes of the compact form: without space and needless escapes, with numbers as they are written. */
export function compactBytes(json: string): number {
  const dense = compact(json);
  let bytes = Buffer.byteLength(dense);
  if (!dense.includes('\\')) return bytes;
  for (let at = dense.indexOf('"'); at >= 0; ) {
    const end = stringEnd(dense, at);
    const written = dense.slice(at, end);
    const text = unescaped(written.slice(1, -1));
    if (text.length < written.length - 2) bytes -= Buffer.byteLength(written) - Buffer.byteLength(JSON.stringify(text));
    at = dense.indexOf('"', end);
  }
  return bytes;
}

// The next functions take any text.

export type TokenKind = 'name' | 'string' | 'number' | 'boolean';

/** Called with each token, strings decoded, and with its position: of names and strings that between the quotes. */
export type Visit = (text: string, kind: TokenKind, start: number, end: number) => void;

/** Whether `text` may be an object or an array. Cheap, and never false for one that is. */
export function looksLikeJson(text: string): boolean {
  const start = afterSpace(text, 0);
  const first = text.charCodeAt(start);
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return false;
  let end = text.length - 1;
  while (end > start && isSpace(text.charCodeAt(end))) end--;
  return text.charCodeAt(end) === (first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
}

/**
 * Calls `visit` with the names, strings and numbers of one JSON value in order, or with the boolean that is all of it. False when the
 * text is not JSON; by then `visit` may have been called with a part of it.
 */
export function readTokens(json: string, visit: Visit): boolean {
  /** closing brackets of the values around the innermost one */
  const around: number[] = [];
  let closing = 0;
  let at = afterSpace(json, 0);
  for (;;) {
    // A value is expected here; in an object, after its name.
    if (closing === CLOSE_OBJECT) {
      at = nameAt(json, at, visit);
      if (at < 0) return false;
    }
    const unit = json.charCodeAt(at);
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      around.push(closing);
      closing = unit + 2;
      at = afterSpace(json, at + 1);
      if (json.charCodeAt(at) !== closing) continue;
    } else {
      at = leafAt(json, at, { visit, alone: closing === 0 });
      if (at < 0) return false;
      at = afterSpace(json, at);
    }
    while (closing !== 0 && json.charCodeAt(at) === closing) {
      closing = around.pop()!;
      at = afterSpace(json, at + 1);
    }
    if (closing === 0) return at === json.length;
    if (json.charCodeAt(at) !== COMMA) return false;
    at = afterSpace(json, at + 1);
  }
}

/** Reads a name and its colon. Returns the position of the value, or -1. */
function nameAt(json: string, at: number, visit: Visit): number {
  if (json.charCodeAt(at) !== QUOTE) return -1;
  const end = stringEnd(json, at);
  if (end < 0) return -1;
  visit(unescaped(json.slice(at + 1, end - 1)), 'name', at + 1, end - 1);
  const colon = afterSpace(json, end);
  return json.charCodeAt(colon) === COLON ? afterSpace(json, colon + 1) : -1;
}

const NUMBER = /^-?\d[\d.eE+-]*$/;
const KEYWORDS: readonly string[] = ['true', 'false', 'null'];

/**
 * Reads a string, a number or a keyword. Returns the position after it, or -1. `true` and `false` say nothing among other values; one
 * that is `alone` is what a function returned.
 */
function leafAt(json: string, at: number, { visit, alone }: { visit: Visit; alone: boolean }): number {
  if (json.charCodeAt(at) === QUOTE) {
    const end = stringEnd(json, at);
    if (end >= 0) visit(unescaped(json.slice(at + 1, end - 1)), 'string', at + 1, end - 1);
    return end;
  }
  const end = scalarEnd(json, at);
  const text = json.slice(at, end);
  if (NUMBER.test(text)) visit(text, 'number', at, end);
  else if (!KEYWORDS.includes(text)) return -1;
  else if (alone && text !== 'null') visit(text, 'boolean', at, end);
  return end;
}

const HEX = /^[0-9a-fA-F]{4}$/;

/** Where the last escape that was read ends. */
let escapeEnd = 0;

/** The UTF-16 unit of the escape at `slash`. For an unknown escape the character after the slash; -1 when the text ends there. */
function escapeAt(text: string, slash: number): number {
  const sign = text.charAt(slash + 1);
  escapeEnd = slash + 2;
  switch (sign) {
    case '':
      escapeEnd = slash + 1;
      return -1;
    case 'b':
      return 8;
    case 'f':
      return 12;
    case 'n':
      return LINE_FEED;
    case 'r':
      return CARRIAGE_RETURN;
    case 't':
      return TAB;
    case 'u': {
      const code = text.slice(slash + 2, slash + 6);
      if (!HEX.test(code)) break;
      escapeEnd = slash + 6;
      return Number.parseInt(code, 16);
    }
  }
  return sign.charCodeAt(0);
}

/** Calls `visit` with the positions of each escape inside a JSON string. Each stands for one unit; a slash at the end for none. */
export function eachEscape(text: string, visit: (start: number, end: number) => void): void {
  for (let slash = text.indexOf('\\'); slash >= 0; slash = text.indexOf('\\', escapeEnd)) {
    escapeAt(text, slash);
    visit(slash, escapeEnd);
  }
}

/** The text that the inside of a JSON string stands for. Unit by unit: concatenating strings costs 20 times as much where all is escapes. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const units = new Uint16Array(text.length);
  let count = 0;
  let bits = 0;
  for (let at = 0; at < text.length; ) {
    let unit = text.charCodeAt(at);
    if (unit === BACKSLASH) {
      unit = escapeAt(text, at);
      at = escapeEnd;
      if (unit < 0) break;
    } else at++;
    units[count++] = unit;
    bits |= unit;
  }
  // A text of small units is searched faster when it is stored with one byte each.
  if (bits < 256) return Buffer.from(units.subarray(0, count)).toString('latin1');
  return Buffer.from(units.buffer, 0, 2 * count).toString('utf16le');
}
