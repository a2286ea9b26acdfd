/** Credentials before their name: "use … as the password", "… is our password", "… (the admin password)". */
import type { NameKind } from './names.js';
import { isChosen, isPassword, isToken, type SpokenSecret } from './spoken-values.js';

/** Longest credential before its name, with what stands between them. */
const MOST_BEFORE = 240;
const AS_NAME =
  /(?<![\w/+.-])([A-Za-z0-9+/_-]{20,160}={0,2})["'`)]{0,2} (?:as|is|for) (?:(?:the|my|our|your|an?|their|his|her) )?(?:[A-Za-z]{2,16} ){0,3}$/;

/** What somebody is told to enter as the password. */
const AS_PASSWORD =
  /\b(?:use|using|enter|type|try|put|take|with|set|is|gave|give)\s["'`]?([^\s"'`(),;]{8,64})["'`]? (?:as|for|when (?:asked|prompted) for) (?:(?:the|my|our|your|an?|their|his|her) )?(?:[A-Za-z]{2,16} ){0,2}$/i;

/** "… is our password". What is the most common or the default one is nobody's. */
const IS_PASSWORD =
  /(?:^|[\s,;:("'`])([^\s"'`(),;:]{8,64})["'`]?(?: is|,? that['’]s) (?:the|my|our|your|his|her|their) (?:(?!most|best|worst|default)[A-Za-z-]{2,12} )?$/i;

const BRACKETED =
  /(?:^|[\s"'`])([^\s"'`(),;:]{8,64})["'`]? \((?:the|my|our|your|his|her|their) (?:[A-Za-z-]{2,12} ){0,2}$/i;

const ENDS_NAME =
  /^(?:["'`.,;:!?)]|\s*$|\s*\n| (?:please|and|on|to|when|at|in|if|for|it|now|but|or|then|until|this|today|tomorrow)\b)/;

/** The password in "I reset it to …, please change your password". */
const RESET_TO =
  /\b(?:re)?set (?:it |this |that |yours )?(?:back )?to ["'`]?([^\s"'`(),;]{7,64})["'`]?[,;!]? [^\n]{0,60}$/i;

function resetTo(name: SpokenSecret['name'], near: string): SpokenSecret | undefined {
  const value = RESET_TO.exec(near)?.[1]?.replace(/[.]$/, '');
  if (value === undefined || !(isPassword(value, false) || isChosen(value))) return undefined;
  return toldBefore(name, near, value);
}

/** The password in "… (the admin password)". */
function bracketed(text: string, name: SpokenSecret['name'], near: string): SpokenSecret | undefined {
  const value = text[name.end] === ')' ? BRACKETED.exec(near)?.[1] : undefined;
  return value !== undefined && (isPassword(value, false) || isChosen(value))
    ? toldBefore(name, near, value)
    : undefined;
}

const toldBefore = (name: SpokenSecret['name'], near: string, value: string): SpokenSecret => {
  const start = name.start - near.length + near.lastIndexOf(value);
  return { name, start, end: start + value.length, kind: 'password', told: true };
};

export function before(text: string, name: SpokenSecret['name'], kind: NameKind): SpokenSecret | undefined {
  const from = Math.max(0, name.start - MOST_BEFORE);
  const near = text.slice(from, name.start);
  if (kind === 'password') {
    const told =
      (near.includes('set ') ? resetTo(name, near) : undefined) ??
      (near.endsWith('(') || near.includes(' (', near.length - 40) ? bracketed(text, name, near) : undefined);
    if (told) return told;
  }
  const joint = / (as|is|for|that['’]s) [^\n]{0,50}$/.exec(near.slice(-60))?.[1];
  if (joint === undefined) return undefined;
  // "Use … for password storage".
  if (kind === 'password' && !ENDS_NAME.test(text.slice(name.end, name.end + 12))) return undefined;
  const match =
    (kind === 'password' ? AS_PASSWORD : AS_NAME).exec(near) ??
    (kind === 'password' ? IS_PASSWORD.exec(near) : undefined);
  if (!match) return undefined;
  const value = match[1]!;
  const fits = kind === 'password' ? isPassword(value, joint !== 'for') || isChosen(value) : isToken(value, false);
  if (!fits) return undefined;
  const start = from + match.index + match[0].indexOf(value);
  return { name, start, end: start + value.length, kind, told: true };
}
