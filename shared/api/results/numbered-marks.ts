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

/** Texts like marks that are looked at, of each kind: a look takes a tenth of a microsecond. */
const MOST_TAKEN = 10_000;
/** Bytes of a body whose escapes are read. Nobody needs to write letters and digits with escapes. */
const MOST_ESCAPED = 1024 * 1024;
/** Escapes in strings of JSON in strings of JSON, and so on, up to this depth. */
const MOST_LEVELS = 4;

/** A mark as it is stored, with the quotes of a number around it. The second name of an object that was replaced has a number (`splices.ts`). */
const STORED = /^(.*)\[([A-Z][A-Z0-9_]*?)(?:_\d+)?\](.*)$/s;

/** `body`: of the request that has the marks. */
export function createMarkNumbers(body: Buffer): MarkNumbers {
  let readable: Buffer | undefined | null = null;
  const marks = new Map<string, string>();
  /** by kind: the numbers that are taken, and the last that was given */
  const kinds = new Map<string, { taken: ReadonlySet<number>; last: number }>();

  const nextOf = (label: string): string | undefined => {
    let kind = kinds.get(label);
    if (!kind) {
      if (readable === null) readable = withoutEscapes(body);
      const taken = readable && numbersBehind(readable, `${label}_`);
      if (!taken) return undefined;
      kind = { taken, last: 0 };
      kinds.set(label, kind);
    }
    do kind.last++;
    while (kind.taken.has(kind.last));
    return `${label}_${kind.last}`;
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

const DIGIT_0 = 48;
const DIGIT_9 = 57;

/** Numbers behind `start` in `body`; undefined: it stands there too often. Those of more than nine digits are none that we give. */
function numbersBehind(body: Buffer, start: string): Set<number> | undefined {
  const numbers = new Set<number>();
  let count = 0;
  for (let at = body.indexOf(start, 0, 'latin1'); at >= 0; at = body.indexOf(start, at, 'latin1')) {
    if (++count > MOST_TAKEN) return undefined;
    at += start.length;
    let number = 0;
    const most = Math.min(body.length, at + 9);
    for (let place = at; place < most; place++) {
      const digit = body[place]!;
      if (digit < DIGIT_0 || digit > DIGIT_9) break;
      number = number * 10 + digit - DIGIT_0;
    }
    numbers.add(number);
  }
  return numbers;
}

/** Escapes of what marks are made of: digits, capitals, the line between; and of the slash that begins further ones. */
const ESCAPES = /\\+u00(3[0-9]|4[1-9a-f]|5[0-9acf])/gi;

/** The body with the characters of marks as they are; undefined: it has escapes of them, and is too large to read these. */
function withoutEscapes(body: Buffer): Buffer | undefined {
  if (!body.includes('u00')) return body;
  let text = body.toString('latin1');
  for (let level = 0; level < MOST_LEVELS && text.search(ESCAPES) >= 0; level++) {
    if (text.length > MOST_ESCAPED) return undefined;
    text = text.replace(ESCAPES, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return Buffer.from(text, 'latin1');
}
