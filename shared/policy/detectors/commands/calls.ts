/**
 * Calls of a program in Python, JavaScript and their like: by what names, and with which strings. Strings and comments are skipped, so a call that
 * is only said is none. No grammar is known, so that one look serves all of them.
 */
import type { LookSteps } from '../../engine/steps.js';
import { ansi } from './expand.js';
import { SOMETHING } from './words.js';

export interface CodeCall {
  /** the last name before the bracket, such as `system` */
  name: string;
  /** the name before that, such as `os`; `()`: what another call gives; '': none */
  owner: string;
  /** the strings among the arguments, with those that `+` joins as one. Named arguments and those in braces are left out */
  strings: string[];
  /** all of the arguments, as written */
  written: string;
  start: number;
  end: number;
}

const NAME = /[A-Za-z_$][\w$]*/y;
const BLANKS = /[ \t\r\n]*/y;
const LINE_COMMENT = /(?:#(?!\{)|\/\/)[^\n]*/y;
const LONGEST_ARGUMENTS = 4096;
const MOST_STRINGS = 64;
/** A prefix of a string of Python, which is no name. */
const PREFIX = /^(?:[rbfu]|rb|br|fr|rf)$/i;

/** Tells the calls whose name `isSought`. */
export function readCalls(
  code: string,
  ahead: LookSteps,
  isSought: (name: string) => boolean,
  tell: (call: CodeCall) => void,
): void {
  let at = 0;
  let owner = '';
  /** where the names begin that dots join */
  let chain = 0;
  while (at < code.length && ahead.left > 0) {
    const skipped = behindComment(code, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const sign = code[at]!;
    if (isQuote(sign)) {
      at = stringEnd(code, at);
      owner = '';
      continue;
    }
    NAME.lastIndex = at;
    if (!NAME.test(code)) {
      if (sign === ')' || sign === ']') owner = '()';
      else if (sign !== '.' && sign !== '?' && sign !== ':' && !isBlank(sign)) owner = '';
      at++;
      continue;
    }
    const end = NAME.lastIndex;
    const name = code.slice(at, end);
    if (isQuote(code[end] ?? '') && PREFIX.test(name)) {
      at = end;
      continue;
    }
    const isMember = code[at - 1] === '.' || (code[at - 1] === ':' && code[at - 2] === ':');
    if (!isMember) chain = at;
    const open = code[end] === '`' ? end : behindBlanks(code, end);
    if ((code[open] === '(' || (open === end && code[open] === '`')) && isSought(name)) {
      const said = argumentsAt(code, open, ahead);
      tell({ name, owner: isMember ? owner : '', ...said, start: chain });
    }
    owner = name;
    at = end;
  }
}

const isQuote = (sign: string): boolean => sign === "'" || sign === '"' || sign === '`';
const isBlank = (sign: string): boolean => sign === ' ' || sign === '\t' || sign === '\n' || sign === '\r';

function behindBlanks(code: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.test(code);
  return BLANKS.lastIndex;
}

function behindComment(code: string, at: number): number {
  const sign = code[at];
  if (sign === '/' && code[at + 1] === '*') {
    const end = code.indexOf('*/', at + 2);
    return end < 0 ? code.length : end + 2;
  }
  if ((sign !== '#' && sign !== '/') || (at > 0 && !/[\s;,{}()]/.test(code[at - 1]!))) return at;
  LINE_COMMENT.lastIndex = at;
  return LINE_COMMENT.test(code) ? LINE_COMMENT.lastIndex : at;
}

/** Behind the string that begins at `at`; one without an end ends with its line. */
function stringEnd(code: string, at: number): number {
  const sign = code[at]!;
  const tripled = sign.repeat(3);
  if (sign !== '`' && code.startsWith(tripled, at)) {
    const end = code.indexOf(tripled, at + 3);
    return end < 0 ? code.length : end + 3;
  }
  for (let i = at + 1; i < code.length; i++) {
    const unit = code[i];
    if (unit === sign) return i + 1;
    if (unit === '\\') i++;
    else if (unit === '\n' && sign !== '`') return i;
  }
  return code.length;
}

/** In a template, the home folder and other values. */
const HOME_VALUE =
  /^(?:os\.environ(?:\[|\.get\()["']HOME["'][\])]|process\.env\.(?:HOME|USERPROFILE)|(?:os\.)?homedir\(\)|(?:pathlib\.)?Path\.home\(\)|os\.path\.expanduser\(["']~["']\))$/;
const templateValue = (said: string): string => (HOME_VALUE.test(said.trim()) ? '~' : SOMETHING);

/** What a string says that stands between `at` and `end`. */
function saidIn(code: string, at: number, end: number): string {
  const said = plainIn(code, at, end);
  if (code[at] === '`') return said.replace(/\$\{([^{}]{0,128})\}/g, (_, value: string) => templateValue(value));
  return /[fF][rR]?$/.test(code.slice(Math.max(0, at - 2), at))
    ? said.replace(/(?<!\{)\{([^{}]{1,128})\}/g, (_, value: string) => templateValue(value))
    : said;
}

function plainIn(code: string, at: number, end: number): string {
  const width = code.startsWith(code[at]!.repeat(3), at) && end - at >= 6 ? 3 : 1;
  return code.slice(at + width, end - width).replace(/\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|[0-7]{3}|[\\'"`n])/gi, ansi);
}

/** The strings of an expression. */
export const stringsIn = (written: string): string[] =>
  argumentsAt(`(${written})`, 0, { left: LONGEST_ARGUMENTS }).strings;

function argumentsAt(code: string, open: number, ahead: LookSteps): Pick<CodeCall, 'strings' | 'written' | 'end'> {
  const strings: string[] = [];
  const last = Math.min(code.length, open + LONGEST_ARGUMENTS);
  if (code[open] === '`') {
    const end = Math.min(stringEnd(code, open), last);
    ahead.left -= end - open;
    return { strings: [saidIn(code, open, end)], written: '', end };
  }
  let depth = 0;
  let braces = 0;
  let joins = false;
  let named = false;
  let at = open;
  for (; at < last; ) {
    const skipped = behindComment(code, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const sign = code[at]!;
    if (isQuote(sign)) {
      const end = Math.min(stringEnd(code, at), last);
      if (braces === 0 && !named && strings.length < MOST_STRINGS) {
        const said = saidIn(code, at, end);
        if (joins && strings.length > 0) strings[strings.length - 1] += said;
        else strings.push(said);
      }
      joins = /^\s*\+/.test(code.slice(end, end + 8));
      at = end;
      continue;
    }
    if (sign === '(' || sign === '[') depth++;
    else if (sign === '{') braces++;
    else if (sign === '}') braces--;
    else if (sign === ')' || sign === ']') {
      depth--;
      if (depth <= 0) break;
    } else if (sign === ',' && depth === 1) named = false;
    else if (sign === '=' && depth === 1 && /\w/.test(code[at - 1]!) && code[at + 1] !== '=') named = true;
    if (sign !== '+' && !isBlank(sign)) joins = false;
    at++;
  }
  ahead.left -= at - open;
  return { strings, written: code.slice(open + 1, at), end: Math.min(at + 1, code.length) };
}
