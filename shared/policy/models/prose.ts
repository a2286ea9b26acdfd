/**
 * Whether a piece of a long text is code: names and signs rather than words. Of names cut into words a linear model makes anything, and
 * nobody is insulted or ordered by them. What a comment or a string says is prose.
 */

const NEWLINE = 10;
const SPACE = 32;
const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const BACKSLASH = 92;
const SEMICOLON = 59;
const HASH = 35;
const QUOTE = 34;
const COLON = 58;
/** A tag of HTML has no more units; what goes on is no tag. */
const LONGEST_TAG = 200;
/** Units of a script without spaces that are as much as a word. */
const UNITS_A_WORD = 4;
/** Before a sign that joins names, so many letters stand; `f.u.c.k` has no names. */
const LETTERS_OF_NAME = 2;

const [OTHER, SMALL, CAPITAL, JOIN, ROUND, SIGN] = [0, 1, 2, 3, 4, 5] as const;
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (/[a-z]/.test(char)) return SMALL;
  if (/[A-Z]/.test(char)) return CAPITAL;
  if (/[{}[\]<>=\\]/.test(char)) return SIGN;
  if (/[()]/.test(char)) return ROUND;
  return /[_|^%,:./;#]/.test(char) ? JOIN : OTHER;
});
/** Alone they are signs of code, too: `//`, `#`, `;`. */
const ALONE = /[#/;()]/;

/** Words of programs, which in prose are many among others. */
const KEYWORDS = new Set(
  (
    'int void char const bool float double long short unsigned signed static struct enum union extern inline typedef template typename virtual ' +
    'override final public private protected class def self this return if else elif for while do switch case break continue goto new delete ' +
    'var let function import from export default try catch throw throws finally raise except with as in is not and or null none nil true false ' +
    'undefined async await yield lambda pass print assert local end then fi done esac sub my use package namespace using'
  ).split(' '),
);
const LONGEST_KEYWORD = 9;

/** A line of so many words more than names is prose, whatever is around it. */
const WORDS_OF_PROSE = 4;

/** More names and signs than words, or at most one word beside some, without a line of prose; or nothing but numbers. Takes time linear in the piece. */
export function isCode(text: string, from: number, to: number): boolean {
  let names = 0;
  let words = 0;
  let line = 0;
  for (let at = from; at < to; ) {
    const unit = text.charCodeAt(at);
    if (isSpace(text, at, unit)) {
      at += unit === BACKSLASH ? 2 : 1;
      if (unit === NEWLINE) line = 0;
    } else if (unit === LESS && tagEnd(text, at, to) > 0) at = tagEnd(text, at, to);
    else {
      at = readToken(text, at, to);
      names += token.names;
      words += token.words;
      line += token.words - token.names;
      if (line >= WORDS_OF_PROSE) return false;
    }
  }
  return words === 0 || names > words || (names > 0 && words <= 1);
}

/** Also a line's end within a value of JSON. */
function isSpace(text: string, at: number, unit: number): boolean {
  if (unit !== BACKSLASH) return unit <= SPACE;
  const next = text.charCodeAt(at + 1);
  return next === 110 || next === 114 || next === 116;
}

/** Behind a tag of HTML that begins at `at`; 0: it is none. */
function tagEnd(text: string, at: number, to: number): number {
  const next = text.charCodeAt(at + 1) | 32;
  if (!(next >= 97 && next <= 122) && text.charCodeAt(at + 1) !== SLASH) return 0;
  const last = Math.min(to, at + LONGEST_TAG);
  for (let i = at + 1; i < last; i++) if (text.charCodeAt(i) === GREATER) return i + 1;
  return 0;
}

/** What the last token is: a word, a name, a sign, or nothing, such as a number. */
const token = { names: 0, words: 0 };

/** Reads the token that begins at `from`. Returns where it ends. */
function readToken(text: string, from: number, to: number): number {
  let letters = 0;
  let digits = 0;
  /** letters in a row, and the most of them */
  let run = 0;
  let longest = 0;
  let wide = 0;
  let isJoined = false;
  let isName = false;
  let before: number = OTHER;
  let at = from;
  for (; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (isSpace(text, at, unit) || (unit === LESS && at > from && tagEnd(text, at, to) > 0)) break;
    const kind = unit > 127 ? OTHER : KINDS[unit]!;
    if (unit > 127 && !isSymbol(unit)) wide++;
    if (kind === SMALL || kind === CAPITAL) {
      letters++;
      longest = Math.max(longest, ++run);
      // `camelCase`, `a_name`, `an.other`
      if (isJoined || (kind === CAPITAL && before === SMALL)) isName = true;
    } else {
      run = 0;
      if (unit >= 48 && unit <= 57) digits++;
      if (kind >= JOIN && longest >= LETTERS_OF_NAME) isJoined = true;
      // `call()`, `call(x);`, `a[i]`
      if (kind === SIGN || (before === ROUND && (kind === ROUND || unit === SEMICOLON))) isName = true;
    }
    before = kind;
  }
  // `2F4A`, `U+1D07`
  if (letters > 0 && digits >= letters) isName = true;
  tell(text, from, at, { letters, wide, isName });
  return at;
}

/** Punctuation, arrows, signs of mathematics, borders. */
const isSymbol = (unit: number): boolean =>
  (unit >= 0x2000 && unit < 0x2c00) || unit === 0xd7 || unit === 0xf7 || unit < 0xc0;

interface Read {
  letters: number;
  /** units beyond ASCII */
  wide: number;
  isName: boolean;
}

function tell(text: string, from: number, to: number, { letters, wide, isName }: Read): void {
  token.words = 0;
  token.names = 0;
  if (wide > 0) token.words = 1 + wide / UNITS_A_WORD;
  else if (isName) token.names = 1;
  else if (letters === 0) token.names = ALONE.test(text.slice(from, Math.min(to, from + 8))) ? 1 : 0;
  else if (!isMark(text, from, to) && !isKeyword(text, from, to, letters)) token.words = 1;
}

/** A directive such as `#endif`, or a key of JSON. */
const isMark = (text: string, from: number, to: number): boolean =>
  text.charCodeAt(from) === HASH || (text.charCodeAt(from) === QUOTE && text.charCodeAt(to - 1) === COLON);

const isKeyword = (text: string, from: number, to: number, letters: number): boolean =>
  letters <= LONGEST_KEYWORD &&
  to - from <= LONGEST_KEYWORD + 3 &&
  KEYWORDS.has(text.slice(from, to).replace(MARKS, ''));
const MARKS = /[^a-z]+/g;
