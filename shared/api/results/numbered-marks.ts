/**
 * Marks with numbers, such as `[CREDIT_CARD_1]`. In a request, the same value of the same kind has the same number, and another one another.
 *
 * A number is left out whose mark may stand in the request already, anywhere in its body: as a text of the caller, or in an earlier message
 * that was redacted so. So whatever reads like one of our marks is one, and the numbers of a conversation go on. What is written with escapes
 * counts as what it says.
 *
 * A value is what the mark replaces in the string that has it, as a reader of the JSON sees that string: put back in place of the mark, it
 * gives the string as it was. Of a number in JSON it is its digits.
 */
import { unescaped } from '../../json.js';
import type { Marked } from './record.js';

export interface MarkNumbers {
  /** The same places with numbered marks. Adds what each replaces to `values`, by mark without its brackets. Undefined: too many numbers are taken. */
  number(marked: Marked, values: Map<string, string>): Marked | undefined;
}

/** Texts like marks that a request may have. */
const MOST_LIKE = 100_000;
/** Bytes of a body whose escapes are read. Nobody needs to write letters and digits with escapes. */
const MOST_ESCAPED = 256 * 1024;
/** Escapes in strings of JSON in strings of JSON, and so on, up to this depth. */
const MOST_LEVELS = 4;

/** A mark as it is stored, with the quotes of a number around it. The second name of an object that was replaced has a number (`splices.ts`). */
const STORED = /^(.*)\[([A-Z][A-Z0-9_]*?)(?:_\d+)?\](.*)$/s;

/** `body`: of the request that has the marks. */
export function createMarkNumbers(body: Buffer): MarkNumbers {
  /** undefined: the body was not looked through yet; null: it has too many of them */
  let taken: TakenNumbers | null | undefined;
  const marks = new Map<string, string>();
  /** by kind: the last number that was given */
  const last = new Map<string, number>();

  const nextOf = (label: string): string | undefined => {
    if (taken === undefined) taken = takenIn(body) ?? null;
    if (taken === null) return undefined;
    const others = taken.get(label);
    let number = (last.get(label) ?? 0) + 1;
    while (others?.has(number)) number++;
    last.set(label, number);
    return `${label}_${number}`;
  };

  return {
    number({ at, texts = [], cuts = [] }, values) {
      const numbered = new Map<string, number>();
      const places: number[] = [];
      let from = at[0];
      for (let i = 0; i < cuts.length; i += 3) {
        const start = from + cuts[i]!;
        const end = start + cuts[i + 1]!;
        const [, before, label, behind] = STORED.exec(texts[cuts[i + 2]!]!)!;
        const value = unescaped(body.toString('utf8', start, end));
        const known = `${label} ${value}`;
        const mark = marks.get(known) ?? nextOf(label!);
        if (mark === undefined) return undefined;
        marks.set(known, mark);
        values.set(mark, value);
        const text = `${before}[${mark}]${behind}`;
        const place = numbered.get(text) ?? numbered.size;
        numbered.set(text, place);
        places.push(cuts[i]!, cuts[i + 1]!, place);
        from = end;
      }
      return { at, texts: [...numbered.keys()], cuts: places };
    },
  };
}

/** By kind: numbers of texts that read like its marks. */
type TakenNumbers = ReadonlyMap<string, ReadonlySet<number>>;

/** Its parts have a bound, so a body takes time linear in it. */
const LIKE_MARK = /\[([A-Z][A-Z0-9_]{0,63})_([1-9][0-9]{0,8})\]/g;

/** Undefined: there are too many, or escapes that are not read. */
function takenIn(body: Buffer): TakenNumbers | undefined {
  const text = withoutEscapes(body.toString('latin1'));
  if (text === undefined) return undefined;
  const taken = new Map<string, Set<number>>();
  let count = 0;
  for (const [, label, number] of text.matchAll(LIKE_MARK)) {
    if (++count > MOST_LIKE) return undefined;
    const numbers = taken.get(label!) ?? new Set();
    taken.set(label!, numbers.add(Number(number)));
  }
  return taken;
}

/** Escapes of what marks are made of: digits, capitals, the line between, brackets; and of the slash that begins further ones. */
const ESCAPE = /u00(3[0-9]|4[1-9a-fA-F]|5[0-9a-dA-DfF])/g;

/** A slash is dropped like those that are written as such. */
const characterOf = (code: string): string =>
  code.toLowerCase() === '5c' ? '' : String.fromCharCode(Number.parseInt(code, 16));

/**
 * The text with the characters of marks as they are, and without slashes, of which there may be any number before an escape. Undefined: it has
 * escapes of them, and is too large to read these.
 */
function withoutEscapes(json: string): string | undefined {
  let text = json;
  for (let level = 0; level < MOST_LEVELS && text.search(ESCAPE) >= 0; level++) {
    if (text.length > MOST_ESCAPED) return undefined;
    text = text.replaceAll('\\', '').replace(ESCAPE, (_, code: string) => characterOf(code));
  }
  return text;
}
