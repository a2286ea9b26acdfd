/** Values in texts: in quotes, or behind an operator; and the name that stands before one. */

export interface SecretValue {
  start: number;
  end: number;
  quoted: boolean;
}

/** Longer values are content, not credentials. */
const MAX_VALUE = 320;
const MIN_VALUE = 4;
const MAX_SPACES = 24;
const MAX_COLONS = 3;

const [
  TAB,
  LF,
  SPACE,
  DOUBLE,
  SINGLE,
  OPEN,
  CLOSE,
  COMMA,
  SLASH,
  COLON,
  DASH,
  EXCLAMATION,
  QUESTION,
  LESS,
  EQUALS,
  GREATER,
  BACKSLASH,
  BACKTICK,
  BAR,
] = [9, 10, 32, 34, 39, 40, 41, 44, 47, 58, 45, 33, 63, 60, 61, 62, 92, 96, 124] as const;

const isAlnum = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || ((unit | 32) >= 97 && (unit | 32) <= 122 && unit < 128);
const isSpace = (unit: number, lines: boolean): boolean =>
  unit === SPACE || unit === TAB || (lines && (unit === LF || unit === 13));
export const isQuote = (unit: number): boolean => unit === DOUBLE || unit === SINGLE || unit === BACKTICK;
/** What may stand between an opening quote and what is before it: `b"…"`, `@"…"`. */
const IS_PREFIX = new Uint8Array(128);
for (const each of 'ubrfcUBRFLN@$') IS_PREFIX[each.charCodeAt(0)] = 1;
const isPrefix = (unit: number): boolean => unit < 128 && IS_PREFIX[unit] === 1;

/** The value whose opening quote is at `at`. It has no white space. */
export function quotedValue(text: string, at: number): SecretValue | undefined {
  const quote = text.charCodeAt(at);
  const first = text.charCodeAt(at + 1);
  // Most quotes of ordinary texts are apostrophes, or end something.
  if (!(first > SPACE) || isQuote(first)) return undefined;
  const before = text.charCodeAt(at - 1);
  if (isAlnum(before) && (!isPrefix(before) || isAlnum(text.charCodeAt(at - 2)))) return undefined;
  const escaped = before === BACKSLASH;
  const most = Math.min(text.length, at + 1 + MAX_VALUE);
  for (let i = at + 1; i < most; i++) {
    const unit = text.charCodeAt(i);
    if (unit <= SPACE) return undefined;
    if (unit === quote || (escaped && unit === BACKSLASH && text.charCodeAt(i + 1) === quote)) {
      return i - at - 1 < MIN_VALUE ? undefined : { start: at + 1, end: i, quoted: true };
    }
    if (unit === BACKSLASH && !escaped) i++;
  }
  return undefined;
}

const CDATA = '<![CDATA[';

/** The value without quotes behind the operator whose last character, `=`, `:` or `>`, is at `at`. */
export function operandValue(text: string, at: number): SecretValue | undefined {
  const operator = text.charCodeAt(at);
  let start = at + 1;
  let unit = text.charCodeAt(start);
  // Longer operators end later, `://` starts an address, and `:?` of a shell a message.
  if (operator === COLON && unit === QUESTION) return undefined;
  if (unit === EQUALS || unit === GREATER || unit === COLON || unit === SLASH || unit === 126) return undefined;
  const isElement = operator === GREATER && text.charCodeAt(at - 1) !== EQUALS;
  while (isSpace(unit, isElement) && start - at <= MAX_SPACES) unit = text.charCodeAt(++start);
  if (operator === COLON && unit === EXCLAMATION && text.startsWith('!!str ', start)) {
    start += 6;
    unit = text.charCodeAt(start);
  }
  if (isElement && unit === LESS && text.startsWith(CDATA, start)) {
    start += CDATA.length;
    unit = text.charCodeAt(start);
  }
  if (operator === COLON && (unit === BAR || unit === GREATER)) {
    const block = startOfBlock(text, start);
    if (block === text.length) return lineValue(text, start);
    start = block;
    unit = text.charCodeAt(start);
  }
  if (!(unit > SPACE) || isQuote(unit) || unit === BACKSLASH) return undefined;
  if (isQuote(text.charCodeAt(start + 1)) && isPrefix(unit)) return undefined;
  let end = endOfOperand(text, start);
  // Most values end where their line or a space does.
  if (end <= start || text.charCodeAt(end) > SPACE) end = endOfLineValue(text, at, start) || end;
  if (end < 0) return isElement ? undefined : unbalancedValue(text, start);
  return end - start < MIN_VALUE ? undefined : { start, end, quoted: false };
}

/** What sets a variable of the environment, and the name in a line of YAML: all behind it is the value, brackets and signs too. */
const VARIABLE = /(?:^|\n)(?:export )?[A-Z][A-Z0-9_]{2,63}=$/;
const ENTRY = /(?:^|\n)[ \t]{0,30}(?:- )?[\w.-]{2,63}:[ \t]{1,8}$/;
const SIGNED =
  /(?=[^\s]{0,127}[(){}[\]&;|<>,])(?=[^\s]{0,127}\d)(?![^\s]{0,127}(?:\$[({A-Za-z]|&&|\|\||["'`\\]))[^\s$({<[\\|>&*][^\s]{9,127}(?=\r?\n|$)/y;
/** No expression has such a sign. */
const ODD_SIGN = /[%#^~]/;

/** The end of such a value that starts at `start`, with a bracket or a sign in it; 0 where it is none. */
function endOfLineValue(text: string, at: number, start: number): number {
  const operator = text.charCodeAt(at);
  if (operator === GREATER || (operator === EQUALS && start !== at + 1)) return 0;
  SIGNED.lastIndex = start;
  if (!SIGNED.test(text)) return 0;
  const end = SIGNED.lastIndex;
  const before = text.slice(Math.max(0, start - 108), start);
  return (operator === EQUALS ? VARIABLE : ENTRY).test(before) &&
    (operator === EQUALS || ODD_SIGN.test(text.slice(start, end)))
    ? end
    : 0;
}

const LONGEST_UNQUOTED = 128;
const CLOSING = ')]}';
const OPENING = '([{';

/**
 * The value without quotes that runs from `start` to the end of its line, where its brackets close in a wrong order.
 * No expression does that, even one that is cut, so it is as sure as a value in quotes.
 */
function unbalancedValue(text: string, start: number): SecretValue | undefined {
  const open: number[] = [];
  let isWrong = false;
  let end = start;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (unit <= SPACE) break;
    if (end - start > LONGEST_UNQUOTED || isQuote(unit)) return undefined;
    const opening = OPENING.indexOf(text[end]!);
    const closing = CLOSING.indexOf(text[end]!);
    if (opening >= 0) open.push(opening);
    if (closing >= 0) {
      const last = open.pop();
      if (last !== undefined && last !== closing) isWrong = true;
    }
  }
  const ends = end === text.length || text.charCodeAt(end) === LF || text.charCodeAt(end) === 13;
  return isWrong && ends && !/^[\w$.]*[(/]/.test(text.slice(start, end)) ? { start, end, quoted: true } : undefined;
}

/** What begins as a block does and is none: it is a password, where it is all of its line, with digits and letters and no space. */
function lineValue(text: string, start: number): SecretValue | undefined {
  const line = /[|>](?=[^\s\d]{0,60}\d)(?=[^\sA-Za-z]{0,60}[A-Za-z])[^\s"'`=|]{9,127}(?=\r?\n|$)/y;
  line.lastIndex = start;
  return line.test(text) ? { start, end: line.lastIndex, quoted: true } : undefined;
}

/** Where the first line of a YAML block starts whose `|` or `>` is at `at`; the end of the text where there is none. */
function startOfBlock(text: string, at: number): number {
  const head = /[|>][-+1-9]{0,2}[ \t]{0,4}\r?\n[ \t]{1,24}/y;
  head.lastIndex = at;
  return head.test(text) ? head.lastIndex : text.length;
}

/** The end of a value without quotes; `start` where it is an expression, or too long; -1 where a bracket opens in it. */
function endOfOperand(text: string, start: number): number {
  let colons = 0;
  let isToken = false;
  let end = start;
  const most = start + MAX_VALUE;
  for (; end < text.length; end++) {
    if (end >= most) return start;
    const unit = text.charCodeAt(end);
    if (unit <= SPACE || isQuote(unit) || unit === LESS || unit === GREATER || unit === CLOSE) break;
    if (unit === COMMA || unit === 59 || unit === BACKSLASH || unit === 124 || unit === 93 || unit === 38) break;
    if (unit === 125) break;
    if (unit === OPEN || unit === 91 || (unit === 123 && end > start && text.charCodeAt(end - 1) !== 123)) return -1;
    if (unit === COLON && ++colons >= MAX_COLONS) return start;
    if (unit === EQUALS) {
      const pad = /={1,3}(?![A-Za-z0-9_])/y;
      pad.lastIndex = end;
      if (pad.test(text)) {
        end = pad.lastIndex;
        break;
      }
      // `name=value` is an expression; a token may have an equals sign within.
      const before = text.slice(start, end);
      isToken ||= /^(?=\D*\d)[\w./+-]{8,300}$/.test(before);
      // No expression has such a sign before an equals sign.
      isToken ||= /^(?=[^\d]*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[^&]*[%#^~][^&]*$/.test(before);
      if (!isToken) return start;
    }
  }
  // Three dots stand for what was left out.
  if (end > start + 3 && text.startsWith('...', end - 3)) return start;
  while (end > start && '.,:'.includes(text[end - 1]!)) end--;
  return end;
}

/** How a name and a value stand together. */
export type Joint = 'assign' | 'comma' | 'call' | 'space' | 'none';

export interface ValueName {
  start: number;
  end: number;
  joint: Joint;
}

/** By unit of ASCII: 1 for those of a class. */
const classOf = (all: string): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, unit) => Number(all.includes(String.fromCharCode(unit))));
const isOf = (members: Uint8Array, unit: number): boolean => unit < 128 && members[unit] === 1;

const OPERATORS = classOf('=:>?+|~!<-');
const BEHIND_NAME = classOf('"\'`[])}\\*&?!');
const MAX_NAME = 64;
const TYPES =
  /^(?:string|str|char|text|varchar|nvarchar|securestring|optional|maybe|option|const|static|var|let|final|bytes|byte|any|object|field|secretstr|self|cstr|nsstring|wchar_t|std|&str|as)$/i;
/** Names of members that have the value of something that is named before them. */
const MEMBERS =
  /^(?:value|default|parametervalue|content|val|data|text|defaultvalue|default_value|stringvalue|initialvalue)$/i;
/** Functions that have a password and make its hash, which has the name. */
const MAKERS = /^(?:md5|sha1|sha2|sha256|sha512|crypt|encrypt|password|hash|hashpw|bcrypt)$/i;

/** Lengths of these words. */
const [SHORTEST_WORD, LONGEST_WORD] = [3, 14] as const;

/** The name before the value that starts, its quote included, at `at`. */
export function nameBefore(text: string, at: number): ValueName | undefined {
  let i = at;
  if (isPrefix(text.charCodeAt(i - 1)) && isQuote(text.charCodeAt(i)) && !isAlnum(text.charCodeAt(i - 2))) i--;
  while (i > 0 && (text.charCodeAt(i - 1) === BACKSLASH || isQuote(text.charCodeAt(i - 1))) && at - i < 3) i--;
  const inner = i;
  i = backOverSpaces(text, i, true);
  const joint = jointBefore(text, i, inner - i);
  if (joint === 'none') return undefined;
  if (joint === 'assign') while (i > 0 && at - i < 40 && isOf(OPERATORS, text.charCodeAt(i - 1))) i--;
  else if (joint !== 'space') i--;
  i = backOverSpaces(text, i, false);
  const name = identifierBefore(text, i);
  if (!name) return undefined;
  const size = name.end - name.start;
  if (size < SHORTEST_WORD || size > LONGEST_WORD) return { ...name, joint };
  const word = text.slice(name.start, name.end);
  if (joint === 'assign' && TYPES.test(word)) {
    const beyond = beyondType(text, name.start);
    if (beyond || !MEMBERS.test(word)) return beyond ?? { ...name, joint };
  }
  if (joint === 'call' && MAKERS.test(word)) {
    const of = nameBefore(text, name.start);
    return of?.joint === 'assign' ? of : { ...name, joint };
  }
  if (MEMBERS.test(word)) return namedBefore(text, name.start) ?? { ...name, joint };
  return { ...name, joint };
}

function backOverSpaces(text: string, from: number, lines: boolean): number {
  let i = from;
  while (i > 0 && from - i < MAX_SPACES) {
    const unit = text.charCodeAt(i - 1);
    if (!isSpace(unit, lines)) break;
    i--;
  }
  return i;
}

/** How the value is joined to what ends at `i`; between them are `spaces`. */
function jointBefore(text: string, i: number, spaces: number): Joint {
  const unit = text.charCodeAt(i - 1);
  if (unit === COMMA) return 'comma';
  if (unit === OPEN) return 'call';
  if (unit === EQUALS || unit === COLON) return 'assign';
  if (unit === DASH) return text.charCodeAt(i - 2) === LESS ? 'assign' : 'none';
  if (unit === GREATER) return '=-'.includes(text[i - 2] ?? ' ') || isAlnum(text.charCodeAt(i - 2)) ? 'assign' : 'none';
  if ((unit === 124 || unit === 63) && text.charCodeAt(i - 2) === unit) return 'assign';
  if (spaces > 0 && (isAlnum(unit) || isQuote(unit) || unit === 95)) return 'space';
  return 'none';
}

const isNameUnit = (unit: number): boolean =>
  isAlnum(unit) || unit === 95 || unit === 45 || unit === 46 || unit === 36 || unit >= 0xc0;

/** The identifier that ends at `from`, behind quotes and brackets. */
function identifierBefore(text: string, from: number): { start: number; end: number } | undefined {
  let end = from;
  while (end > 0 && from - end < 5 && isOf(BEHIND_NAME, text.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > 0 && end - start < MAX_NAME && isNameUnit(text.charCodeAt(start - 1))) start--;
  return start === end ? undefined : { start, end };
}

/** The name before a type, as in `password: &str = …` and `var password string = …`. */
function beyondType(text: string, from: number): ValueName | undefined {
  let i = from;
  while (i > 0 && from - i < 12 && ' :&*[<\t'.includes(text[i - 1]!)) i--;
  const name = i === from ? undefined : identifierBefore(text, i);
  if (!name) return undefined;
  if (TYPES.test(text.slice(name.start, name.end)))
    return i - name.start > 0 && from - i < 12 ? beyondType(text, name.start) : undefined;
  return { ...name, joint: 'assign' };
}

/** The name in `name="…" value=`, `- name: …\n  value:` and `variable "…" { default =`. */
function namedBefore(text: string, from: number): ValueName | undefined {
  const earliest = Math.max(0, from - 120);
  const near = text.slice(earliest, from);
  let last: RegExpExecArray | undefined;
  for (const match of near.matchAll(
    /(?:\b(?:name|key|parameterkey|property|id|field|selector|element|ref|label|target|locator)\\?["']?\s{0,3}[:=]|\bvariable)\s{0,3}\\?["']?(?:[a-z]{0,10}[#.])?(?!e\d)([\w.-]{3,60})/gi,
  ))
    last = match;
  if (!last) return holderOf(near, earliest);
  const start = earliest + last.index + last[0].length - last[1]!.length;
  // The field of a form is named by what is entered into it.
  const named = last[1]!.replace(/[-_.]?(?:input|field|box|textbox)$/i, '');
  return { start, end: start + named.length, joint: 'assign' };
}

/** The name of the object that the member at the end of `near` is of: `"password": {"type": "string", "value":`, also in YAML. */
const HOLDER =
  /([\w.-]{3,60})\\?["']?\s{0,3}[:=]\s{0,3}\{[^{}]{0,90}$|(?:^|\n)[ \t]{0,40}([\w.-]{3,60}):[ \t]{0,4}\r?\n(?:[^\n]{1,40}\n)?[ \t]{1,40}$/;

function holderOf(near: string, earliest: number): ValueName | undefined {
  const found = HOLDER.exec(near);
  if (!found) return undefined;
  const name = found[1] ?? found[2]!;
  const start = earliest + found.index + found[0].indexOf(name);
  return { start, end: start + name.length, joint: 'assign' };
}

/** Elements that are named by the one before or around them. */
const HOLDERS = /^(?:value|string|td|dd|val|data|text|span|code|strong|b|pre|kbd|div|p)$/i;
const ELEMENT_BEFORE = />\s{0,8}([\w:. -]{3,40})<\/[\w:-]{1,20}>\s{0,24}$/;
const ELEMENT_AROUND = /<[A-Za-z][^<>]{1,120}>\s{0,24}$/;
/** Elements whose `id` is one of the page, not of what they show. */
const SHOWN = /^<(?:a|h\d|label|button|section|article|li|th|legend|option|p|span|div)\b/i;
/** So far before the end of its tag an element, or its name, starts. */
const MAX_TAG = 160;

/** The name of the element whose content starts behind the `>` at `at`. */
export function elementBefore(text: string, at: number, isWithin = false): ValueName | undefined {
  const earliest = Math.max(0, at - MAX_TAG);
  const near = text.slice(earliest, at);
  const open = near.lastIndexOf('<');
  if (open < 0) return undefined;
  const tag = near.slice(open);
  const named = /\b(?:name|key|id)=["']([\w.-]{3,60})["']/i.exec(tag);
  const found = named ?? /^<(?:\w{1,20}:)?([\w.-]{1,60})/.exec(tag);
  if (!found || (/^id/i.test(found[0]) && SHOWN.test(tag))) return undefined;
  if (!named && !isWithin && HOLDERS.test(found[1]!)) return elementNamed(text, earliest + open);
  const end = earliest + open + found.index + (named ? found[0].length - 1 : found[0].length);
  return { start: end - found[1]!.length, end, joint: 'assign' };
}

/** The text of the element that `match` is of, in a text that starts at `earliest`. */
function shownName(match: RegExpExecArray, earliest: number): ValueName {
  const start = earliest + match.index + match[0].indexOf(match[1]!);
  return { start, end: start + match[1]!.trimEnd().length, joint: 'assign' };
}

/** What names the element whose tag starts at `at`: the text of the element before it, or the one around it. */
function elementNamed(text: string, at: number): ValueName | undefined {
  const earliest = Math.max(0, at - MAX_TAG);
  const near = text.slice(earliest, at);
  const before = ELEMENT_BEFORE.exec(near);
  if (before) return shownName(before, earliest);
  const around = ELEMENT_AROUND.exec(near);
  if (!around) return undefined;
  // `<dd><code>…`: what is around may be named by what is before it.
  const outer = ELEMENT_BEFORE.exec(near.slice(0, around.index));
  if (outer && HOLDERS.test(/\w+/.exec(around[0])![0])) return shownName(outer, earliest);
  return elementBefore(text, earliest + around.index + around[0].lastIndexOf('>'), true);
}
