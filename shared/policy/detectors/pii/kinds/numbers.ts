/** Card and account numbers and IPv4 addresses. Each look reads a bounded stretch. */
import { isAsciiLetter, isDigit, unitAt } from '../../../engine/probes/characters.js';
import { mod97 } from '../checks.js';
import { isOfHex, isOfRow, joinsAt, joinsBefore } from '../edges.js';
import { findOf, type PiiFind, type PiiSpan } from '../find.js';
import { ADDED, type Digits, hasCheckDigit, isOfCard, isWideSpace } from '../stretch.js';

const MOST_DIGITS = 19;
const MOST_GROUPS = 19;

/** The groups of digits that were read last, with one character between them. One look runs at a time, so they are made once. */
const groups = {
  count: 0,
  digits: new Uint8Array(2 * MOST_DIGITS + 2),
  /** By group: its size, its end, the character behind it, and two sums of all digits up to its end, see {@link isChecked}. */
  sizes: new Uint8Array(MOST_GROUPS),
  ends: new Int32Array(MOST_GROUPS),
  separators: new Uint16Array(MOST_GROUPS),
  even: new Uint16Array(MOST_GROUPS),
  odd: new Uint16Array(MOST_GROUPS),
};

const [PLUS, DOT] = [43, 46] as const;
/** Reads groups from `at` on, until there are more digits or groups than a card number has. Returns the number of digits. */
function readGroups(text: string, at: number): number {
  const { digits, sizes, ends, separators, even, odd } = groups;
  let [length, n, evens, odds] = [0, 0, 0, 0];
  let from = at;
  // This loop runs for each digit of a text up to 19 times, so it calls nothing.
  for (let i = at; ; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 0;
    const digit = unit - 48;
    if (digit >= 0 && digit < 10 && i - from <= MOST_DIGITS) {
      const other = (length & 1) * 10;
      evens += ADDED[digit + other]!;
      odds += ADDED[digit + 10 - other]!;
      digits[length++] = digit;
      continue;
    }
    if (i === from) break;
    sizes[n] = i - from;
    ends[n] = i;
    even[n] = evens;
    odd[n] = odds;
    const parts = length <= MOST_DIGITS && (unit === 32 || unit === DOT || isOfCard(unit));
    separators[n++] = parts ? unit : 0;
    if (!parts || n === MOST_GROUPS) break;
    from = i + 1;
  }
  groups.count = n;
  return length;
}

/** ISO/IEC 7812 check digit of all digits up to the end of group `n`, of which there are `length`. Every second one counts doubled. */
const isChecked = (n: number, length: number): boolean =>
  (length % 2 === 0 ? groups.even[n]! : groups.odd[n]!) % 10 === 0;

/** The first `count` digits from `at` on, as a number. */
function firstDigits(digits: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 10 + digits[at + i]!;
  return value;
}

/** Lengths as bits. */
const [EXACTLY_14, EXACTLY_15, EXACTLY_16] = [1 << 14, 1 << 15, 1 << 16] as const;
const FROM_16 = 0b1111 << 16;
const FROM_12 = FROM_16 | (0b1111 << 12);
const VISA = (1 << 13) | (1 << 16) | (1 << 19);

/** Lengths of the numbers that an issuer has with the digits from `at` on, as bits. */
function issuedLengths(digits: Uint8Array, at: number): number {
  if (digits[at] === 4) return VISA;
  const two = firstDigits(digits, at, 2);
  const three = two * 10 + digits[at + 2]!;
  const four = three * 10 + digits[at + 3]!;
  if (four === 1800 || four === 2131) return EXACTLY_15; // JCB
  if (two >= 51 && two <= 55) return EXACTLY_16; // Mastercard
  if (four >= 2221 && four <= 2720) return EXACTLY_16; // Mastercard
  if (two === 34 || two === 37) return EXACTLY_15; // American Express
  if ((three >= 300 && three <= 305) || two === 36 || two === 38 || two === 39) return EXACTLY_14; // Diners Club
  if (four >= 3528 && four <= 3589) return FROM_16; // JCB
  if (four === 6011 || (three >= 644 && three <= 649) || two === 65) return FROM_16; // Discover
  const six = firstDigits(digits, at, 6);
  if (six >= 622126 && six <= 622925) return FROM_16; // Discover, UnionPay
  if (two === 62 || two === 81) return FROM_16; // UnionPay
  if (two === 50 || (two >= 56 && two <= 58) || two === 67 || four === 6304 || four === 6390) return FROM_12; // Maestro
  return four >= 2200 && four <= 2204 ? FROM_16 : 0; // Mir
}

/** Lengths of numbers of an issuer that is not known, or of UATP, whose first digit alone is set, as bits. */
function otherLengths(first: number): number {
  if (first >= 3) return (FROM_12 & ~FROM_16) | EXACTLY_16;
  return first === 1 ? EXACTLY_15 : 0;
}

/**
 * Whether a card number may begin with digit `at` of a stretch: some length that it may have ends with the check digit. This saves reading
 * the groups of most digits of a table.
 */
export function mayBeCard(stretch: Digits, at: number): boolean {
  const { digits, left } = stretch;
  const most = left[at]!;
  // No issuer's numbers start with 0, 7 or 9.
  const first = digits[at]!;
  if (most < 12 || first === 0 || first === 7 || first === 9) return false;
  let lengths = issuedLengths(digits, at);
  if (most <= 16) lengths |= otherLengths(first) & (1 << most);
  for (let length = 12; length <= most && length <= MOST_DIGITS; length++) {
    if ((lengths & (1 << length)) !== 0 && hasCheckDigit(stretch, at, length)) return true;
  }
  return false;
}

/** How groups are printed: in fours; as on American Express and Diners; six and thirteen of Maestro; digit by digit. */
const [FOURS, FOUR_SIX, SIX_THIRTEEN, SINGLE] = [1, 2, 4, 8];
/** By number of digits: the ways in which a group ends there. */
const ENDS: Readonly<Record<number, number>> = {
  4: FOURS | FOUR_SIX,
  6: SIX_THIRTEEN,
  8: FOURS,
  10: FOUR_SIX,
  12: FOURS,
  16: FOURS,
};

/** Digits of the groups up to group `n`, where these may make up a card number; else 0. */
const lengths = new Uint8Array(MOST_GROUPS);

/**
 * Sets {@link lengths}. Card numbers are written unbroken or in groups. Some groups may be joined, as they are where an invisible
 * character stood between them. The separator may change, but not there and back: `4111 1111-1111 1111` are two numbers.
 */
function setLengths(): void {
  const { count, sizes, separators } = groups;
  lengths.fill(0, 0, count);
  const isBack = separators[0] === separators[2] && separators[0] !== separators[1];
  if (count > 2 && sizes[2] === 4 && isBack) return;
  let length = 0;
  let ways = FOURS | FOUR_SIX | SIX_THIRTEEN | SINGLE;
  for (let n = 0; n < count && ways !== 0; n++) {
    const size = sizes[n]!;
    length += size;
    if (length > MOST_DIGITS) return;
    if (size > 1) ways &= ~SINGLE;
    if (length >= 12 && fits(ways, length)) lengths[n] = length;
    ways &= (ENDS[length] ?? 0) | SINGLE;
  }
}

/** American Express and Diners have 14 and 15 digits, Maestro's six and thirteen are 19. */
function fits(ways: number, length: number): boolean {
  if ((ways & (FOURS | SINGLE)) !== 0) return true;
  return (ways & FOUR_SIX) !== 0 ? length === 14 || length === 15 : (ways & SIX_THIRTEEN) !== 0 && length === 19;
}

/** Score of a number with a check digit that no known issuer has, of a short one of Visa, and of a short one of Maestro, as many ids are. */
const UNKNOWN_ISSUER = 0.3;
const SHORT_VISA = 0.6;
const SHORT_MAESTRO = 0.4;

/** Visa with 13 digits is history, and Maestro with fewer than 16 is rare. */
function isUsual(length: number): boolean {
  const four = firstDigits(groups.digits, 0, 4);
  return length >= 16 || groups.digits[0] === 3 || four === 1800 || four === 2131;
}

/** Whether the groups from `at` to `end` are cells of a table: tabs part them, and a number ends the line before or begins the one behind. */
function isOfColumns(text: string, at: number, end: number): boolean {
  if (groups.separators[0] !== 9) return false;
  const beside = text[at - 1] === '\n' && isDigit(unitAt(text, at - 2));
  return beside || (text[end] === '\n' && isDigit(unitAt(text, end + 1))) || isOfRow(text, at, end);
}

/** `at` is where {@link mayBeCard} holds. */
export function findCard(text: string, at: number): PiiFind | undefined {
  if (joinsBefore(text, at) || (unitAt(text, at - 1) === DOT && !isAsciiLetter(unitAt(text, at - 2)))) return undefined;
  // A plus makes it a telephone number.
  if (unitAt(text, at - 1) === PLUS) return undefined;
  if (readGroups(text, at) < 12) return undefined;
  setLengths();
  const issuedTo = issuedLengths(groups.digits, 0);
  const others = otherLengths(groups.digits[0]!);
  for (let n = groups.count - 1; n >= 0; n--) {
    const length = lengths[n]!;
    if (length === 0 || !isChecked(n, length)) continue;
    const end = groups.ends[n]!;
    const issued = (issuedTo & (1 << length)) !== 0;
    const unknown = (others & (1 << length)) !== 0 && n === groups.count - 1;
    if ((!issued && !unknown) || joinsAt(text, end) || isOfColumns(text, at, end)) continue;
    if (n > 0 && isOfHex(text, at, end)) continue;
    if (!issued) return findOf('CREDIT_CARD', { start: at, end }, UNKNOWN_ISSUER);
    return isUsual(length)
      ? findOf('CREDIT_CARD', { start: at, end }, 1, true)
      : findOf('CREDIT_CARD', { start: at, end }, groups.digits[0] === 4 ? SHORT_VISA : SHORT_MAESTRO);
  }
  return undefined;
}

/** A card number in groups of any length with one separator: a row of numbers as well, so it needs words. `at`: {@link findCard} found none there. */
export function findLooseCard(text: string, at: number): PiiFind | undefined {
  if (joinsBefore(text, at) || isDigitBeside(text, at) || readGroups(text, at) < 12) return undefined;
  const { count, sizes, ends, separators } = groups;
  const issued = issuedLengths(groups.digits, 0);
  let length = 0;
  for (let n = 0; n < count && length <= MOST_DIGITS; n++) {
    if (sizes[n]! < 2 || (n > 1 && separators[n - 1] !== separators[0])) return undefined;
    length += sizes[n]!;
    // No more than the month of expiry stands behind.
    const isLast = n === count - 1 || sizes[n + 1]! <= 2;
    if (n === 0 || !isLast || (issued & (1 << length)) === 0 || !isChecked(n, length)) continue;
    // Two groups and a dot are a decimal.
    if (n === 1 && separators[0] === DOT) return undefined;
    return joinsAt(text, ends[n]!) ? undefined : findOf('CREDIT_CARD', { start: at, end: ends[n]! }, UNKNOWN_ISSUER);
  }
  return undefined;
}

/** Whether another number ends right before `at`. */
const isDigitBeside = (text: string, at: number): boolean =>
  isOfCard(unitAt(text, at - 1)) && isDigit(unitAt(text, at - 2));

/** Groups as they are printed, with another separator than {@link isOfCard} has, which is the same between all. */
const SEPARATOR = '([^\\S\\n]{2,3}|\\n|[^\\S\\n]?[^\\w\\s]{1,2}[^\\S\\n]?|\\\\u00a0)';
const WIDE = new RegExp(
  `(?:[2-6]\\d{3}${SEPARATOR}\\d{4}\\1\\d{4}\\1\\d{4}|3[47]\\d\\d${SEPARATOR}\\d{6}\\2\\d{5})(?![\\d/])`,
  'y',
);
/** What parts the items of a list, the cells of a row, and times. */
const LISTS = /[,;|:\n]|^ [.] $/;

/** A card number in such groups, which no other number stands beside, in its line or in the next ones. `paid`: words of payment stand near. */
export function findWideCard(text: string, at: number, paid: (span: PiiSpan) => boolean): PiiFind | undefined {
  WIDE.lastIndex = at;
  if (joinsBefore(text, at) || unitAt(text, at - 1) === SLASH) return undefined;
  const match = WIDE.exec(text);
  const separator = match?.[1] ?? match?.[2];
  if (separator === undefined || (separator.length === 1 && isOfCard(separator.charCodeAt(0)))) return undefined;
  const span = { start: at, end: WIDE.lastIndex };
  const rows =
    /\d[ \t]*\n[ \t]*$/.test(text.slice(Math.max(0, at - 8), at)) ||
    /^[ \t]*\n[ \t]*\d/.test(text.slice(span.end, span.end + 8));
  if (joinsAt(text, span.end) || rows || isOfRow(text, at, span.end)) return undefined;
  const plain = findCard(text.slice(at, span.end).replaceAll(separator, ''), 0);
  if (plain?.score !== 1 || (LISTS.test(separator) && !paid(span))) return undefined;
  return findOf('CREDIT_CARD', span, 1, true);
}

const SLASH = 47;

/** What versions stand behind, and their score. */
const VERSION =
  /(?:(?:\b|[a-z])version\(? ?["']?|\b(?:version|ver|release|v|firmware|fw|build|rev|revision|bios|oid|section|sec\.|chapter|clause|kernel)["']?[.:=]{0,2} ?["']?(?:is |no\.? |number )?|[~^] ?|[<>=]= ?|[A-Za-z][/-]|§ ?)$/i;
/** Decimals, as the path of a drawing has them. */
const [DECIMAL_BEFORE, DECIMAL_BEHIND] = [/(?<![\d.])\d{0,9}\.\d{1,9} ?-?$/, /^ ?-?\d{0,9}\.\d/] as const;
/** What stands behind versions: a part of a release, or the ending of a file. */
const RELEASED =
  /^(?:[+~][\w]|-[A-Za-z]|-\d+(?!\d*\.\d)|[-.](?:tar|t?gz|zip|whl|jar|deb|rpm|dll|exe|msi|dmg|apk|pkg|so)\b)/i;
export const VERSION_SCORE = 0.2;

export function findIpv4(text: string, at: number): PiiFind | undefined {
  if (text[at + 1] !== '.' && text[at + 2] !== '.' && text[at + 3] !== '.') return undefined;
  const before = text[at - 1] ?? '';
  if (joinsAt(text, at - 1) || (before === '.' && joinsAt(text, at - 2))) return undefined;
  let i = at;
  for (let part = 0; part < 4; part++) {
    if (part > 0 && text[i++] !== '.') return undefined;
    const from = i;
    while (i - from < 4 && isDigit(unitAt(text, i))) i++;
    const size = i - from;
    if (size === 0 || size > 3 || Number(text.slice(from, i)) > 255 || (size > 1 && text[from] === '0'))
      return undefined;
  }
  if (joinsAt(text, i) || (text[i] === '.' && isDigit(unitAt(text, i + 1)))) return undefined;
  const address = text.slice(at, i);
  if (address === '0.0.0.0') return findOf('IP_ADDRESS', { start: at, end: i }, VERSION_SCORE);
  // "version 1.2.3.4" has the form of an address, and 4.9.0.1 is rather one; 8.8.8.8 is not.
  const small = address.length === 7 && !/^(\d)(?:\.\1){3}$/.test(address);
  const [near, behind] = [text.slice(Math.max(0, at - 24), at), text.slice(i, i + 24)];
  const drawing = DECIMAL_BEFORE.test(near) && DECIMAL_BEHIND.test(behind);
  const version = drawing || VERSION.test(near) || RELEASED.test(behind);
  return findOf('IP_ADDRESS', { start: at, end: i }, version ? VERSION_SCORE : small ? 0.4 : 0.6);
}

/** Length of a prefix, as in 192.0.2.0/24. What follows makes it a part of a path. */
const PREFIX = /\/(\d{1,3})(?![\w/]|\.\d)/y;

/** Shorter prefixes are those of whole networks: 224.0.0.0/4, 2000::/3. */
const LEAST_PREFIX = 8;

/** End of the length of a prefix that stands at `end`, which belongs to the address; `end`: there is none. `bits`: of the address. */
export function endOfPrefix(text: string, end: number, bits: number): number {
  if (text[end] !== '/') return end;
  PREFIX.lastIndex = end;
  const prefix = PREFIX.exec(text);
  if (!prefix || Number(prefix[1]) > bits) return end;
  const isWhole = /[.:]0$|:$/.test(text.slice(end - 2, end));
  return Number(prefix[1]) < LEAST_PREFIX && !isWhole ? end : end + prefix[0].length;
}

/** Length of an IBAN by country: those of the ISO 13616 registry, then those that are in use without being registered. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 ' +
    'LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 ' +
    'RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 ' +
    'AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Length of an IBAN that begins at `start`, by the letters of the country there; 0: none begins there. */
export function lengthOfIban(text: string, start: number): number {
  if (joinsBefore(text, start)) return 0;
  return IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase()) ?? 0;
}

/** `start` is where the two letters of the country stand. */
export function findIban(text: string, start: number): PiiFind | undefined {
  const length = lengthOfIban(text, start);
  if (length === 0) return undefined;
  let iban = '';
  let i = start;
  while (iban.length < length) {
    const unit = unitAt(text, i);
    if (isDigit(unit) || isAsciiLetter(unit)) iban += text[i];
    else if (!(iban.length >= 4 || (iban.length === 2 && text[i] === ' ')) || !isIbanGap(text, i)) return undefined;
    i++;
  }
  const upper = iban.toUpperCase();
  if (joinsAt(text, i) || mod97(upper.slice(4) + upper.slice(0, 4)) !== 1) return undefined;
  return findOf('IBAN_CODE', { start, end: i }, 1, true);
}

/** One or two spaces, or one sign, between groups. */
function isIbanGap(text: string, i: number): boolean {
  const unit = unitAt(text, i);
  const next = unitAt(text, i + 1);
  if (unit === next && (unit === 32 || isWideSpace(unit))) return isIbanGap(text, i + 1);
  return (isOfCard(unit) || unit === SLASH) && unit !== PLUS && (isDigit(next) || isAsciiLetter(next));
}
