/** Passwords in the line below their name: answers to questions, what programs print, what lists of accounts have. */
import { isAbout } from './names.js';
import { wordinessOf } from './randomness.js';
import {
  isChosen,
  isJoined,
  isPassword,
  isToken,
  isWordWithNumber,
  LONGEST_PASSWORD,
  type SpokenSecret,
  VALUE,
} from './spoken-values.js';

/** From a question to the answer, behind who gives it. */
const ANSWER = /[^\n?]{0,60}\?["']?[ \t]{0,3}\r?\n(?:[^\n]{0,40}[:>\]] {1,3})?["'`]?/y;
/** What leads from a name over some words and a colon to a value that is the rest of its line, or a line of its own. */
const LED_TO =
  /(?:[ \t](\([^()\n]{1,40}\)|[^\n.:;=?!(){}<>"'`|,]{1,60}))?:[*_]{0,3}(?:[ \t]{1,4}|[ \t]{0,4}(?:\r?\n){1,2}[ \t]{0,8})["'`“«]?/y;
/** The password in the next line, of whoever answers the question for it. */
export function answered(text: string, name: SpokenSecret['name']): SpokenSecret | undefined {
  ANSWER.lastIndex = name.end;
  if (!ANSWER.test(text)) return undefined;
  VALUE.lastIndex = ANSWER.lastIndex;
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[0];
  if (
    value === undefined ||
    !/^[`"']?[ \t]{0,3}(?:\r?\n|$)/.test(text.slice(start + value.length, start + value.length + 6))
  )
    return undefined;
  const fits = isPassword(value, false) || isChosen(value) || isJoined(value);
  return fits ? { name, start, end: start + value.length, kind: 'password', told: true } : undefined;
}

/** The password in "a temporary password is generated for root: …", where it is the rest of the line or a line of its own. */
export function ledTo(text: string, name: SpokenSecret['name']): SpokenSecret | undefined {
  LED_TO.lastIndex = name.end;
  const led = LED_TO.exec(text);
  if (!led || isAbout(/[\p{L}\d]+\s*$/u.exec(led[1] ?? '')?.[0].trim() ?? '')) return undefined;
  VALUE.lastIndex = LED_TO.lastIndex;
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[0];
  if (
    value === undefined ||
    value.length > LONGEST_PASSWORD ||
    (led[1] === undefined && !led[0].includes('\n')) ||
    !/^["'`”»]?[^\S\n]{0,3}(?:\r?\n|$)/.test(text.slice(start + value.length, start + value.length + 6))
  )
    return undefined;
  const fits =
    isPassword(value, false) ||
    isToken(value, false) ||
    isChosen(value) ||
    (led[1] !== undefined && isWordWithNumber(value));
  return fits ? { name, start, end: start + value.length, kind: 'password', told: true } : undefined;
}

/** From a name that is all of its line to the next line. */
const NEXT_LINE = /[*_`]{0,3}:?[ \t]{0,3}\r?\n[ \t]{0,8}(?:[*-] )?["'`]?/y;
const IS_LINE_START = /(?:^|\n)[ \t>#*_-]{0,6}$/;
/** A user in a line before. */
const AFTER_USER =
  /(?:user(?: ?name| ?id)?|log ?in|e-?mail|account|benutzer(?:name)?|usuario|utilisateur|identifiant|utente)[*_`]{0,3}:?[ \t]{0,3}\r?\n[^\n]{2,80}\r?\n[ \t>#*_-]{0,6}$/i;

/** What programs align: the name, spaces, the value. */
const ALIGNED = / {5,32}|\t{1,3}/y;

/** The password that is the rest of the line that its name starts, or all of the line below its name, where that has nothing else. */
export function listed(text: string, name: SpokenSecret['name']): SpokenSecret | undefined {
  NEXT_LINE.lastIndex = name.end;
  ALIGNED.lastIndex = name.end;
  const isBelow = NEXT_LINE.test(text);
  if (!isBelow && !ALIGNED.test(text)) return undefined;
  if (!IS_LINE_START.test(text.slice(Math.max(0, name.start - 8), name.start))) return undefined;
  const start = isBelow ? NEXT_LINE.lastIndex : ALIGNED.lastIndex;
  const value = lineAt(text, start);
  if (value === undefined) return undefined;
  const isSure =
    (!isBelow && /[A-Z!@#$%^&*+=?].*\d|\d.*[A-Z!@#$%^&*+=?]/.test(value)) ||
    (isBelow && AFTER_USER.test(text.slice(Math.max(0, name.start - 130), name.start)));
  const fits = isSure ? isPassword(value, true) : isChosen(value) || isPassword(value, false);
  return fits ? { name, start, end: start + value.length, kind: 'password', told: true } : undefined;
}

/** From a name over the rest of a command to the line below it. */
const LONGEST_COMMAND = 102;
const COMMAND = /(?:[^\n]{0,100}[^\n.:;,?!{([\\])?\r?\n(?:\r?\n)?/y;
const IS_COMMAND = /(?:^|\n)[^\n]{0,300}(?: --?[A-Za-z]| \| |(?<![:/\w])\/[a-z])[^\n]{0,100}\r?\n(?:\r?\n)?$/;

/** The random password that is all of the line below a command with its name: `argocd admin initial-password -n argocd`. */
export function printed(text: string, name: SpokenSecret['name']): SpokenSecret | undefined {
  if (!text.slice(name.end, name.end + LONGEST_COMMAND).includes('\n')) return undefined;
  COMMAND.lastIndex = name.end;
  if (!COMMAND.test(text)) return undefined;
  const start = COMMAND.lastIndex;
  const value = lineAt(text, start);
  if (value === undefined || value.length < 10 || wordinessOf(value) >= 0.45) return undefined;
  if (!IS_COMMAND.test(text.slice(Math.max(0, name.start - 200), start))) return undefined;
  const fits = isPassword(value, false) || (isToken(value, false) && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value));
  return fits ? { name, start, end: start + value.length, kind: 'password', told: true } : undefined;
}

/** What is all of the rest of its line from `start` on; undefined where it has white space. */
function lineAt(text: string, start: number): string | undefined {
  VALUE.lastIndex = start;
  const value = VALUE.exec(text)?.[0];
  return value !== undefined &&
    value.length <= LONGEST_PASSWORD &&
    /^[`"']?[ \t]{0,3}(?:\r?\n|$)/.test(text.slice(start + value.length, start + value.length + 6))
    ? value
    : undefined;
}
