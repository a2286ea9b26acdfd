/** E-mail and IPv6 addresses. Each look starts at the one character that every such address has. */
import { isDigit, isHex, isWordAt, unitAt } from '../../../engine/probes/characters.js';
import { isBehindBreak, isUnspaced } from '../edges.js';
import { findOf, type PiiFind } from '../find.js';
import { endOfPrefix, findIpv4 } from './numbers.js';
import { isKnownTop } from './url.js';

const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;
const LOCAL_SYMBOLS = "!#$%&'*+-/=?^_`{|}~.";

/** How the at sign is written: as it is, encoded, and in brackets, so that no program reads it. */
export const AT_SIGNS: readonly string[] = [
  '@',
  '%40',
  '&#64;',
  '&#x40;',
  '&commat;',
  '\\u0040',
  ...['at', 'ät', 'bei', 'arroba', '@'].flatMap((word) =>
    ['[]', '()', '{}', '<>'].map((brackets) => `${brackets[0]}${word}${brackets[1]}`),
  ),
];
const LONGEST_SIGN = 8;

/** A dot in words leads to an address whose at sign is a word as well. */
export const DOT_WORDS: readonly string[] = [' dot ', ' punto ', ' punkt '];
const BRACKETED_DOT = / ?[[({<](?:dot|punkt|punto|\.)[\])}>] ?/iy;
const SPACED_DOT = / (dot|punto|punkt) (?=([a-z]{2,8})(?![a-z])( dot )?)/iy;
const LABELS = '[a-z\\d][\\w+-]{0,62}';
const AT_WORD = new RegExp(
  `(?<![\\w.+-])((?:${LABELS}(?:\\.| dot | punto | punkt )){0,4}${LABELS}) (?:at|arroba|bei) (?:[a-z\\d-]{1,63}\\.){0,3}[a-z\\d-]{1,63}$`,
  'i',
);
const LONGEST_IN_WORDS = 160;
/** "find us at example dot com" */
const NO_NAMES =
  /^(?:us|me|it|him|her|them|you|this|that|look|looking|find|found|visit|online|available|here|there|shop|out|now|more|site|website|page|works?|working|login|blog|store|hosted|live)$/i;

/** Tops of names that are files and units of a system: `icon@2x.png`, `getty@tty1.service`. */
const NO_TOPS = new Set(
  (
    'png jpg jpeg gif svg webp avif ico bmp css scss less js mjs cjs ts tsx jsx json map html htm xml yml yaml toml md txt log conf lock ' +
    'service socket target timer mount automount scope slice device local swap path tgz gz tar rar whl jar deb rpm dll exe pdf csv woff ttf mp4 mp3 wav lua sql vue'
  ).split(' '),
);

/** `at` is the at sign. Lengths are those of RFC 5321, forms the dotted ones that are in use. */
export function findEmail(text: string, at: number): PiiFind | undefined {
  const written = text.slice(at, at + LONGEST_SIGN).toLowerCase();
  const sign = AT_SIGNS.find((each) => written.startsWith(each)) ?? text.slice(at, at + 1);
  const mayBeSpaced = sign === '@' ? isCalledEmail : isBracketed;
  let [before, behind] = [at, at + sign.length];
  if ((text[at - 1] === ' ' || text[behind] === ' ') && mayBeSpaced(text, at)) {
    if (text[at - 1] === ' ') before--;
    if (text[behind] === ' ') behind++;
  }
  const start = startOfLocal(text, before, sign !== '@');
  if (start === before || text[before - 1] === '.') return undefined;
  const end = sign === '@' && text[behind] === '[' ? endOfLiteral(text, behind) : endOfDomain(text, behind);
  if (end === undefined || isOfGit(text, start, at, end)) return undefined;
  return findOf('EMAIL_ADDRESS', { start, end }, 1, true);
}

const isBracketed = (text: string, at: number): boolean => '[({<'.includes(text[at]!);

/** Spaces around the sign itself: what is called an e-mail address. */
const CALLED_EMAIL = /(?:e-?mail|mailto|correo|courriel)[\w ]{0,12}["']?\s?[:=]\s?["'<]?[\w.+-]{1,64} ?$/i;
const isCalledEmail = (text: string, at: number): boolean =>
  CALLED_EMAIL.test(text.slice(Math.max(0, at - LONGEST_IN_WORDS), at));

const DOTTED = /[\w+-]{1,64}(?:[[({<](?:dot|punkt|punto|\.)[\])}>]|\.)$/i;
const LONGEST_DOTTED = 72;

/** Where the local part begins that ends at `end`; `end`: there is none. `dotted`: it may have dots in brackets. */
function startOfLocal(text: string, end: number, dotted: boolean): number {
  let start = startOfPlain(text, end);
  for (let dots = 0; dotted && dots < 3 && start < end; dots++) {
    const before = DOTTED.exec(text.slice(Math.max(0, start - LONGEST_DOTTED), start));
    if (!before) break;
    start -= before[0].length;
  }
  return start;
}

function startOfPlain(text: string, end: number): number {
  // In scripts without spaces, an address of Latin letters begins and ends where these do.
  const latin = !isUnspaced(unitAt(text, end - 1));
  let start = end;
  while (start > 0 && end - start < MAX_LOCAL) {
    const symbol = LOCAL_SYMBOLS.includes(text[start - 1]!);
    if (symbol ? text[start - 1] === '.' && text[start] === '.' : !isWordAt(text, start - 1)) break;
    if (latin && isUnspaced(unitAt(text, start - 1))) break;
    start--;
  }
  // An address may begin with a symbol such as a quote, but one that stands there belongs to the sentence.
  while (start < end && !isWordAt(text, start) && text[start] !== '_' && text[start] !== '+') start++;
  if (text[start - 1] === '\\' && isBehindBreak(text, start + 1)) start++;
  // In a path or a query, it begins behind what parts that.
  return Math.max(start, startInAddress(text, start, end));
}

/** An address in words: "jane at example dot com". `at` is the first dot behind its sign. */
export function findEmailInWords(text: string, at: number): PiiFind | undefined {
  const match = AT_WORD.exec(text.slice(Math.max(0, at - LONGEST_IN_WORDS), at));
  if (!match || NO_NAMES.test(match[1]!)) return undefined;
  const start = at - match[0].length;
  const domain = text.lastIndexOf(' ', at - 1) + 1;
  const end = endOfDomain(text, domain);
  return end === undefined || end <= at ? undefined : findOf('EMAIL_ADDRESS', { start, end }, 1, true);
}

/** Where an address begins that a path or a query has: behind the last `/`, `?` or `=`, as addresses on the web have them. */
function startInAddress(text: string, start: number, at: number): number {
  for (let i = at - 1; i > start; i--) {
    const unit = text.charCodeAt(i - 1);
    if (unit === 61 || unit === 63 || unit === 47) return i;
  }
  return start;
}

/** `git@host:path` names a repository. */
const isOfGit = (text: string, start: number, at: number, end: number): boolean =>
  text[end] === ':' && text.slice(start, at) === 'git' && /[\w~/]/.test(text[end + 1] ?? '');

/** End of the address of a host in brackets, as in `jane@[192.0.2.1]`. */
function endOfLiteral(text: string, open: number): number | undefined {
  const address = findIpv4(text, open + 1);
  return address && text[address.end] === ']' ? address.end + 1 : undefined;
}

/** End of the host name at `from`, which has two labels or more, the last of two letters or more. */
function endOfDomain(text: string, from: number): number | undefined {
  const latin = !isUnspaced(unitAt(text, from));
  let end: number | undefined;
  let top = '';
  let i = from;
  for (let labels = 1; i - from < MAX_DOMAIN; labels++) {
    const start = i;
    let letters = true;
    while (i - start < 64 && (isWordAt(text, i) || text[i] === '-') && !(latin && isUnspaced(unitAt(text, i)))) {
      if (isDigit(unitAt(text, i)) || text[i] === '-') letters = false;
      i++;
    }
    const size = i - start;
    if (size === 0 || size > 63 || text[start] === '-') break;
    const isTop = letters || text.slice(start, start + 4).toLowerCase() === 'xn--';
    if (labels > 1 && size >= 2 && isTop && text[i - 1] !== '-') {
      end = i;
      top = text.slice(start, i);
    }
    const dot = lengthOfDot(text, i);
    if (dot === 0) break;
    i += dot;
  }
  return NO_TOPS.has(top.toLowerCase()) ? undefined : end;
}

/** Whether what stands behind a dot in words ends an address. English has "dot in" and "dot to" as well. */
function endsInWords([, dot = '', label = '', more]: RegExpExecArray): boolean {
  const known = isKnownTop(label);
  return known === true || (known === false && (more !== undefined || dot.toLowerCase() !== 'dot' || label === 'io'));
}

/** Length of the dot at `i`, which may be a word; 0: there is none. */
function lengthOfDot(text: string, i: number): number {
  const unit = unitAt(text, i);
  if (unit === 46) return 1;
  if (unit !== 32 && unit !== 40 && unit !== 60 && unit !== 91 && unit !== 123) return 0;
  BRACKETED_DOT.lastIndex = i;
  if (BRACKETED_DOT.test(text)) return BRACKETED_DOT.lastIndex - i;
  SPACED_DOT.lastIndex = i;
  const spaced = SPACED_DOT.exec(text);
  return spaced && endsInWords(spaced) ? spaced[0].length : 0;
}

const MAX_IPV6 = 45;
const IPV6_BITS = 128;
/** The interface of a link-local address, such as `%eth0` (RFC 4007). */
const ZONE = /%[\w.~-]{1,16}/y;

/** `at` is a colon. Only the first colon of an address is looked at, so that each address is read once. */
export function findIpv6(text: string, at: number): PiiFind | undefined {
  let start = at;
  while (at - start < 5 && isHex(unitAt(text, start - 1))) start--;
  if (at - start > 4 || isWordAt(text, start - 1)) return undefined;
  const before = text[start - 1] ?? '';
  if (before === ':' || before === '.' || before === '_') return undefined;
  let end = at;
  while (end - start <= MAX_IPV6 && isIpv6Character(text, end)) end++;
  if (end - start > MAX_IPV6) return undefined;
  if (end - start === 2 && isUnspecified(text, start)) return ipFind(text, start, end, 0.1);
  // A full stop or a colon at the end belongs to the sentence.
  while (text[end - 1] === '.' || (text[end - 1] === ':' && text[end - 2] !== ':')) end--;
  if (isWordAt(text, end) || !isIpv6(text.slice(start, end))) return undefined;
  // `items[1::2]`: a part of a list.
  if (before === '[' && text[end] === ']' && /[\w)\]]/.test(text[start - 2] ?? '')) return undefined;
  ZONE.lastIndex = end;
  return ipFind(text, start, end + (ZONE.exec(text)?.[0].length ?? 0), 0.6);
}

const ipFind = (text: string, start: number, end: number, score: number): PiiFind =>
  findOf('IP_ADDRESS', { start, end: endOfPrefix(text, end, IPV6_BITS) }, score);

/** Whether `::` at `start` stands by itself, as no operator of a programming language does. */
function isUnspecified(text: string, start: number): boolean {
  return (
    text[start + 1] === ':' &&
    /[\s=(["']|^$/.test(text[start - 1] ?? '') &&
    /[\s/)\]"',;]|^$/.test(text[start + 2] ?? '')
  );
}

function isIpv6Character(text: string, i: number): boolean {
  const unit = unitAt(text, i);
  return isHex(unit) || unit === 58 || unit === 46;
}

/** Eight pairs are the name of a device or of a certificate. */
const PAIRS = /^(?:[\da-f]{2}:){7}[\da-f]{2}$/i;

/** Text form of RFC 4291. `::` alone and forms without a digit, such as `a::b`, are left out: they are mostly something else. */
function isIpv6(text: string): boolean {
  // Times of day are shorter than an address of eight groups.
  if (text.length < 15 && !text.includes('::')) return false;
  if (!/\d/.test(text) || !/^[\da-f:.]+$/i.test(text) || PAIRS.test(text)) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  let groups = 0;
  for (let h = 0; h < halves.length; h++) {
    if (halves[h] === '') continue;
    const parts = halves[h]!.split(':');
    for (let p = 0; p < parts.length; p++) {
      const last = h === halves.length - 1 && p === parts.length - 1;
      const size = groupSize(parts[p]!, last);
      if (size === 0) return false;
      groups += size;
    }
  }
  return halves.length === 2 ? groups >= 1 && groups <= 7 : groups === 8;
}

/** Groups that `part` stands for: 2 for an IPv4 address at the end, 0 where it is malformed. */
function groupSize(part: string, last: boolean): number {
  if (/^[\da-f]{1,4}$/i.test(part)) return 1;
  if (!last) return 0;
  const whole = findIpv4(part, 0);
  return whole && whole.end === part.length ? 2 : 0;
}
