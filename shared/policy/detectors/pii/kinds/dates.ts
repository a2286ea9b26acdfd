/** Dates and times: numeric ones, ISO 8601, and those with the name of a month in some thirty languages. */
import { isAsciiLetter, isDigit, unitAt } from '../../../engine/probes/characters.js';
import { fold } from '../../../engine/views/normalise.js';
import { isDate } from '../checks.js';
import { joinsAt } from '../edges.js';
import { findOf, type PiiFind } from '../find.js';

/**
 * By month: how it begins, folded, in English, German, French, Spanish, Italian, Portuguese, Dutch, Nordic languages, Polish, Turkish, Finnish, Czech, Slovak,
 * Croatian, Hungarian, Romanian, Indonesian and Malay.
 */
const LATIN: readonly string[] = [
  'january jan januar janner janvier janv enero ene gennaio gen janeiro januari stycznia styczen sty ocak oca tammikuuta tammikuu ledna januara sijecnja ianuarie',
  'february feb februar fevrier fevr febrero febbraio fevereiro fev februari lutego luty lut subat helmikuuta helmikuu unora unor februara veljace februarie',
  'march mar marz maerz mrz mars marzo marco maart mrt marca marzec mart maaliskuuta maaliskuu brezna brezen ozujka marcius martie maret',
  'april apr avril avr abril abr aprile kwietnia kwiecien kwi nisan nis huhtikuuta huhtikuu dubna duben aprila travnja aprilis aprilie',
  'may mai mayo maggio mag maio mei maj maja mayis toukokuuta toukokuu kvetna kveten svibnja majus',
  'june jun juni juin junio giugno giu junho czerwca czerwiec cze haziran haz kesakuuta kesakuu cervna cerven juna lipnja junius iunie',
  'july jul juli juillet juil julio luglio lug julho lipca lipiec lip temmuz tem heinakuuta heinakuu cervence cervenec jula srpnja julius iulie',
  'august aug aout agosto ago augustus augusti sierpnia sierpien sie agustos elokuuta elokuu srpna srpen augusta kolovoza augusztus agustus ogos',
  'september sept sep septembre septiembre settembre set setembro wrzesnia wrzesien wrz eylul eyl syyskuuta syyskuu zari septembra rujna szeptember septembrie',
  'october oct oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik paz ekim eki lokakuuta lokakuu rijna rijen oktobra octombrie',
  'november nov novembre noviembre novembro listopada listopad lis kasim kas marraskuuta marraskuu novembra studenoga studenog noiembrie',
  'december dec dezember dez decembre diciembre dic dicembre dezembro desember des grudnia grudzien gru aralik ara joulukuuta joulukuu prosince prosinec decembra prosinca decembrie disember',
];

/**
 * The same in Russian, Ukrainian, Bulgarian, Serbian, Greek, Arabic, Hebrew, Hindi, Bengali, Thai, and Persian, whose year begins in March; of Islamic months
 * those of one word.
 */
const OTHERS: readonly string[] = [
  'января январь янв січня січень януари јануара ιανουαρίου ιανουάριος يناير جانفي محرم ינואר जनवरी জানুয়ারি มกราคม فروردین',
  'февраля февраль фев февр лютого лютий февруари фебруара φεβρουαρίου φεβρουάριος فبراير فيفري شباط صفر פברואר फरवरी फ़रवरी ফেব্রুয়ারি กุมภาพันธ์ اردیبهشت',
  'марта март мар березня березень μαρτίου μάρτιος مارس آذار מרץ मार्च মার্চ มีนาคม خرداد',
  'апреля апрель апр квітня квітень април априла απριλίου απρίλιος أبريل ابريل أفريل نيسان אפריל अप्रैल এপ্রিল เมษายน تیر',
  'мая май травня травень маја μαΐου μάιος مايو أيار מאי मई মে พฤษภาคม مرداد',
  'июня июнь июн червня червень юни јуна ιουνίου ιούνιος يونيو جوان حزيران יוני जून জুন มิถุนายน شهریور',
  'июля июль июл липня липень юли јула ιουλίου ιούλιος يوليو جويلية تموز رجب יולי जुलाई জুলাই กรกฎาคม مهر',
  'августа август авг серпня серпень αυγούστου αύγουστος أغسطس اغسطس أوت شعبان אוגוסט अगस्त আগস্ট สิงหาคม آبان',
  'сентября сентябрь сен сент вересня вересень септември септембра σεπτεμβρίου σεπτέμβριος سبتمبر أيلول رمضان ספטמבר सितंबर सितम्बर সেপ্টেম্বর กันยายน',
  'октября октябрь окт жовтня жовтень октомври октобра οκτωβρίου οκτώβριος أكتوبر اكتوبر شوال אוקטובר अक्टूबर अक्तूबर অক্টোবর ตุลาคม',
  'ноября ноябрь ноя нояб листопада листопад ноември новембра νοεμβρίου νοέμβριος نوفمبر נובמבר नवंबर नवम्बर নভেম্বর พฤศจิกายน بهمن',
  'декабря декабрь дек грудня грудень декември децембра δεκεμβρίου δεκέμβριος ديسمبر דצמבר दिसंबर दिसम्बर ডিসেম্বর ธันวาคม اسفند',
];

const BY_NAME: ReadonlyMap<string, number> = new Map(
  [...LATIN.entries(), ...OTHERS.entries()].flatMap(([month, names]) =>
    names.split(' ').map((name) => [fold(name), month + 1] as const),
  ),
);
const LONGEST_MONTH = 14;

/** The month that a word names; 0: none. */
function monthOf(word: string): number {
  if (word.length > LONGEST_MONTH) return 0;
  const folded = fold(word);
  // "In August" is one word of Hebrew.
  return BY_NAME.get(folded) ?? (folded.startsWith('ב') ? BY_NAME.get(folded.slice(1)) : undefined) ?? 0;
}

const SCORE = { whole: 0.6, short: 0.5, weak: 0.3, faint: 0.2, fraction: 0.1 } as const;

/** Of the names of months, with the marks of some scripts. */
const LETTERS = '[A-Za-z\\u00c0-\\u024f\\u0370-\\u10ff]';
const YEAR_FIRST = /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y;
const YEAR_LAST = /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/y;
const CLOCK =
  /(?:T|[ ,]{1,2})([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d|60)(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?![A-Za-z\d]))?(?: ?[ap](?:m|\.m\.)(?![A-Za-z]))?(?![\d:])/iy;
const TIME =
  /([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d|60)(?:[.,]\d{1,9})?)?( ?[ap](?:m|\.m\.)(?![A-Za-z]))?(?:Z|[+-]\d\d:\d\d)?(?![\d:])/iy;
const HOUR = /(1[0-2]|0?[1-9]) ?[ap](?:\.m\.|m(?![A-Za-z\d]))/iy;
const DAY_FIRST = new RegExp(
  `(\\d{1,2})(?:st|nd|rd|th|er|\\.|º|ª)?[ \\-/.,]{0,2}(?:(?:of|de|del|di) )?(${LETTERS}{2,14})\\.?(?:[ \\-/.,]{1,2}(?:(?:of|de|del|di|พ\\.ศ\\.) ?)?(\\d{4}|'?\\d{2})(?!\\d))?`,
  'y',
);
const DAY_AND_MONTH = /(\d{1,2})\/(\d{1,2})(?![\d/])/y;
const MONTH_YEAR = /(\d{1,2})[/-](\d{4})(?!\d)/y;
const CJK = /(\d{4}) ?[年년] ?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日일])?/y;
/** The name of a month right before a day or a year. */
const MONTH_BEFORE = new RegExp(`(?<!${LETTERS})(${LETTERS}{2,14})\\.?(?:[ \\-/]|, |(?: de | del ))$`);
const DAY_BEHIND = /(\d{1,2})(?:st|nd|rd|th)?(?:(?:,? |[-/]|, ?)(\d{4})(?!\d))?(?![\d:])/y;
/** "1990. augusztus 15." */
const YEAR_BEFORE = /(?<![\d.])(?:1[3-9]|2[0-5])\d\d[.,]? $/;
const LONGEST_YEAR = 7;
/** "15 tháng 8 năm 1990" */
const VIETNAMESE = /(\d{1,2}) (?:tháng|thg) (\d{1,2})(?!\d)(?:(?: năm|,)? (\d{4})(?!\d))?/iy;
const YEAR_BEHIND = /((?:1[6-9]|2[01])\d\d)(?![\d:])/y;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The date or time whose digits start at `at`. */
export function findDate(text: string, at: number): PiiFind | undefined {
  const before = text[at - 1] ?? '';
  if (
    joinsAt(text, at - 1) ||
    ((before === '.' || before === '/' || before === ':') && isDigit(unitAt(text, at - 2)))
  ) {
    return undefined;
  }
  if (before === '-' && joinsAt(text, at - 2) && !/[A-Za-z]-$/.test(text.slice(at - 2, at))) return undefined;
  let digits = 1;
  while (digits < 5 && isDigit(unitAt(text, at + digits))) digits++;
  if (digits > 4) return undefined;
  const found = numericDate(text, at, digits) ?? namedDate(text, at, digits) ?? timeAt(text, at, digits);
  return found && !joinsAt(text, found.end) ? found : undefined;
}

function numericDate(text: string, at: number, digits: number): PiiFind | undefined {
  const next = text[at + digits] ?? '';
  const parts = next === '-' || next === '/' || next === '.';
  if (digits === 4) {
    const first = parts ? match(YEAR_FIRST, text, at) : null;
    if (first && isDate(Number(first[1]), Number(first[3]), Number(first[4]))) {
      return withClock(text, at, first[0], SCORE.whole);
    }
    const cjk = next >= '\u3000' || next === ' ' ? match(CJK, text, at) : null;
    if (cjk && isDate(Number(cjk[1]), Number(cjk[2]), Number(cjk[3] ?? 1))) {
      return dateOf(at, at + cjk[0].length, SCORE.whole);
    }
    return undefined;
  }
  if (!parts || digits > 2) return undefined;
  const last = match(YEAR_LAST, text, at);
  if (last) {
    const [, a = '', separator, b = '', year = ''] = last;
    const valid = isDate(Number(year), Number(b), Number(a)) || isDate(Number(year), Number(a), Number(b));
    const end = at + last[0].length;
    if (!valid || (text[end] === separator && joinsAt(text, end + 1))) return undefined;
    // "1.2.13" is rather a version.
    const faint = separator === '.' && year.length === 2 && (a.length === 1 || b.length === 1);
    return withClock(text, at, last[0], year.length === 4 ? SCORE.whole : faint ? SCORE.faint : SCORE.short);
  }
  const monthly = match(MONTH_YEAR, text, at);
  if (monthly && isDate(Number(monthly[2]), Number(monthly[1]), 1)) {
    return dateOf(at, at + monthly[0].length, SCORE.weak);
  }
  // "5/21" is rather a fraction.
  const daily = match(DAY_AND_MONTH, text, at);
  if (!daily) return undefined;
  const [a, b] = [Number(daily[1]), Number(daily[2])];
  return isDate(4, a, b) || isDate(4, b, a) ? dateOf(at, at + daily[0].length, SCORE.fraction) : undefined;
}

/** A date of which `day` is the text, with the time of day that follows it. */
function withClock(text: string, at: number, day: string, score: number): PiiFind | undefined {
  const end = at + day.length;
  const clock = match(CLOCK, text, end);
  if (clock) return dateOf(at, end + clock[0].length, score);
  const next = text[end] ?? '';
  if ((next === '-' || next === '.' || next === '/') && joinsAt(text, end + 1)) return undefined;
  return dateOf(at, end, score);
}

function dateOf(start: number, end: number, score: number): PiiFind {
  return findOf('DATE_TIME', { start, end }, score, score === SCORE.whole);
}

/** A letter of the names of months. */
const isOfName = (unit: number): boolean =>
  isAsciiLetter(unit) || (unit >= 0xc0 && unit <= 0x24f) || (unit >= 0x370 && unit <= 0x10ff);

/** Whether one of the characters at `at` is a letter of a month, as far as it may be from the day. */
function hasLetter(text: string, at: number): boolean {
  for (let i = at; i < at + 5; i++) {
    const unit = unitAt(text, i);
    if (isOfName(unit)) return true;
    if (isDigit(unit)) return false;
  }
  return false;
}

/** Whether what stands before a day may end the name of a month. */
function endsName(text: string, at: number): boolean {
  const [last, before] = [unitAt(text, at - 1), unitAt(text, at - 2)];
  return (last === 32 || last === 45 || last === 47) && (isOfName(before) || before === 44 || before === 46);
}

/** What stands between a day and the letters of a month. */
const BEFORE_NAME = new RegExp(`(?:st|nd|rd|th|er|\\.|º|ª)?[ \\-/.,]{0,2}${LETTERS}`, 'y');

function namedDate(text: string, at: number, digits: number): PiiFind | undefined {
  const named = digits <= 2 && hasLetter(text, at + digits) && match(BEFORE_NAME, text, at + digits);
  const first = named ? match(DAY_FIRST, text, at) : null;
  const month = first ? monthOf(first[2]!) : 0;
  if (first && month > 0 && isDate(4, month, Number(first[1]))) {
    const plain =
      first[3] === undefined && /^\d+ ?(?:may|mar|sie|set|out|ago|paz|lip|lis|ara|des|gen)$/i.test(first[0]);
    return dateOf(
      at,
      at + first[0].replace(/[ .,/-]+$/, '').length,
      first[3] ? SCORE.whole : plain ? SCORE.weak : SCORE.short,
    );
  }
  const numbered = named ? match(VIETNAMESE, text, at) : null;
  if (numbered && isDate(4, Number(numbered[2]), Number(numbered[1])))
    return dateOf(at, at + numbered[0].length, numbered[3] ? SCORE.whole : SCORE.short);
  return endsName(text, at) ? datedBehind(text, at) : undefined;
}

/** The date whose month stands before the digits at `at`. */
function datedBehind(text: string, at: number): PiiFind | undefined {
  const before = MONTH_BEFORE.exec(text.slice(Math.max(0, at - LONGEST_MONTH - 5), at));
  const earlier = before ? monthOf(before[1]!) : 0;
  if (!before || earlier === 0) return undefined;
  const start = at - before[0].length;
  const year = match(YEAR_BEHIND, text, at);
  if (year) return dateOf(start, at + year[0].length, SCORE.short);
  const day = match(DAY_BEHIND, text, at);
  if (!day || !isDate(4, earlier, Number(day[1]))) return undefined;
  // "may 5" is a verb as well.
  const verb = day[2] === undefined && /^(?:may|mar|march) $/.test(before[0]);
  const end = at + day[0].length;
  if (day[2]) return dateOf(start, end, SCORE.whole);
  const sooner = YEAR_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_YEAR), start));
  return sooner
    ? dateOf(start - sooner[0].length, end, SCORE.whole)
    : dateOf(start, end, verb ? SCORE.weak : SCORE.short);
}

function timeAt(text: string, at: number, digits: number): PiiFind | undefined {
  if (digits > 2) return undefined;
  if (text[at + digits] === ':') {
    const clock = match(TIME, text, at);
    if (!clock) return undefined;
    const sure = clock[3] !== undefined || clock[4] !== undefined;
    return findOf('DATE_TIME', { start: at, end: at + clock[0].length }, sure ? SCORE.short : SCORE.weak);
  }
  const behind = unitAt(text, at + digits) === 32 ? at + digits + 1 : at + digits;
  const letter = unitAt(text, behind) | 32;
  const hour = letter === 97 || letter === 112 ? match(HOUR, text, at) : null;
  return hour ? findOf('DATE_TIME', { start: at, end: at + hour[0].length }, SCORE.short) : undefined;
}
