/** Whether what a walk has read is enough of a term to be sure of it. */
import type { TermEnd, TermForm } from './lexicon.js';
import { isMaskedEnd } from './masks.js';
import type { Trail } from './trail.js';
import { ANY_LETTER, DIGIT, PLAIN, SEPARATOR, SPACE, STAR, unitAt } from './units.js';

/** In a shorter term, a vowel that is written twice makes another word: cook. */
const LONG_TERM = 6;
/** Of a term that is not longer, the first and the last letter say which it is. */
const LONGEST_MASKED = 9;

/** Whether the trail, which ends before `end`, is that of `term`. */
export function fits(trail: Trail, { term: { text: term }, form }: TermEnd, end: number): boolean {
  const { text, letters, digits, symbols, masked, repeated, gaps } = trail;
  const changed = digits + symbols + masked;
  if (changed + repeated + gaps === 0) return true;
  const shown = letters - changed;
  const size = Math.max(term.length, letters);
  if (repeated > 0 && trail.strong === 0) {
    // A doubled letter may be that of an ending (fagging) or make another word (cook).
    if (term.length <= 3 && letters <= term.length) return false;
    if (trail.vowels > 0 && form !== 'within' && term.length < LONG_TERM) return false;
  }
  // A symbol before a letter is one itself, so the word goes on.
  const goesOn = (unitAt(text, end) & ANY_LETTER) !== 0 && (unitAt(text, end + 1) & (PLAIN | DIGIT)) !== 0;
  if (digits + symbols > 0 && form !== 'within' && goesOn) return false;
  if (changed > 0 && (shown < 1 || size < 3 || (size === 3 && digits + masked > 1))) return false;
  if (trail.starred > 0 && form !== 'within') return false;
  if (masked > 0 && (gaps > 0 || !isUnmasked(trail, form, { shown, end }))) return false;
  if (gaps === 0) return true;
  if (trail.broken > 0 || trail.piece > 1) return !trail.spaced && (form === 'within' || size >= 5);
  return size > 2 && shown * 2 >= letters && (form === 'within' || isAlone(trail, end));
}

/** Whether what masks leave of a word says which it is. `shown`: letters that are not hidden. */
function isUnmasked(trail: Trail, form: TermForm, { shown, end }: { shown: number; end: number }): boolean {
  const { text, from, letters, masked } = trail;
  if ((unitAt(text, from) & PLAIN) === 0 || (trail.repeated > 0 && form !== 'within')) return false;
  const ended = (unitAt(text, end - 1) & PLAIN) !== 0 || text.charCodeAt(end - 1) === STAR;
  if (!ended) return false;
  if (form === 'within' && shown >= 3) return true;
  // The whole of what is masked must be the word.
  if (trail.walled || !isMaskedEnd(text, end)) return false;
  const bold = form === 'within' || form === 'compound';
  if ((unitAt(text, end - 1) & PLAIN) !== 0) {
    if (letters < 4) return bold && text.charCodeAt(from + 1) === STAR;
    return shown >= 2 && (shown * 2 >= letters || (bold && letters <= LONGEST_MASKED));
  }
  if (letters < 4) return false;
  if (shown >= 3 && masked === 1) return true;
  // `f***`: only what is known by its first letter and its length.
  return form === 'within' && !trail.inside && masked >= 3 && letters <= LONG_TERM;
}

/** Whether no further single letter stands around, parted as those of the term are. */
function isAlone({ text, from, spaced }: Trail, end: number): boolean {
  const isLetter = (i: number): boolean => (unitAt(text, i) & PLAIN) !== 0;
  const isGap = (i: number): boolean => (unitAt(text, i) & (spaced ? SPACE : SEPARATOR)) !== 0;
  if (isGap(end) && isLetter(end + 1) && !isLetter(end + 2)) return false;
  return !(isGap(from - 1) && isLetter(from - 2) && !isLetter(from - 3));
}

/** Whether the unit at `i` is one of several that part single letters, rather than a mask. */
export function isStringed(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  const isPair = (other: number): boolean =>
    text.charCodeAt(other) === code && (unitAt(text, (i + other) / 2) & PLAIN) !== 0;
  const around = Number(isPair(i - 2)) + Number(isPair(i + 2)) + Number(isPair(i - 2) && isPair(i - 4));
  return around >= (code === STAR || (unitAt(text, i) & ANY_LETTER) !== 0 ? 2 : 1);
}
