/**
 * Text that people do not see: Unicode tag characters, bytes in variation selectors, bits in zero-width characters, and directions that
 * are overridden. Each is a run of the text, with what it says where that can be decoded.
 */
import type { Payload } from './payload.js';

/** What is hidden, and how. Names of finds of `invisible_text`. */
export const CARRIERS = ['tags', 'selectors', 'zero_width', 'bidi'] as const;
export type Carrier = (typeof CARRIERS)[number];

export interface Hidden extends Payload {
  carrier: Carrier;
}

/** Cheap: whether there may be anything. Ordinary emoji and texts of other scripts have some of these characters as well. */
const MAY_HIDE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u180e]|[\ufe00-\ufe0f]|\udb40/;

/** A flag of a region: a black flag, letters and digits as tags, and the end of tags. */
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,8}\u{e007f}/gu;
const TAGS = /[\u{e0000}-\u{e007f}]+/gu;
/** Two and more variation selectors in a row: no character takes more than one. */
const SELECTORS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const MIN_RUN = 3;
const ZERO_WIDTH = new RegExp(`[\\u200b-\\u200d\\u2060-\\u2064\\ufeff\\u180e]{${MIN_RUN},}`, 'g');
/** Zero-width characters between letters of ASCII, where no script has a use for them. */
const SPLIT = /(?<=[!-~])[\u200b-\u200d\u2060-\u2064\ufeff\u180e]+(?=[!-~])/g;
/** Fewer splits than this are left behind by editors. */
const MIN_SPLITS = 3;
/** Further runs of one kind are one: each is looked at, and a text of many costs no more than a long one. */
const MAX_RUNS = 16;

export const mayHide = (text: string): boolean => MAY_HIDE.test(text);

/** What is hidden in `text`, in the order of the carriers. Linear in its length. */
export function hiddenIn(text: string): Hidden[] {
  if (!mayHide(text)) return [];
  return [tagsIn(text), selectorsIn(text), zeroWidthIn(text), overridesIn(text)].flatMap(joined);
}

/** At most {@link MAX_RUNS}: those behind are one run, which says what they say, a line each. */
function joined(runs: readonly Hidden[]): readonly Hidden[] {
  if (runs.length <= MAX_RUNS) return runs;
  const rest = runs.slice(MAX_RUNS - 1);
  const text = rest.map((run) => run.text).join('\n');
  return [...runs.slice(0, MAX_RUNS - 1), { ...rest[0]!, end: rest.at(-1)!.end, text }];
}

const runOf = (carrier: Carrier, start: number, length: number, text: string): Hidden => ({
  carrier,
  view: 'hidden',
  start,
  end: start + length,
  text,
});

function tagsIn(text: string): Hidden[] {
  // Flags keep their length, so that offsets hold.
  const without = text.replace(FLAG, (flag) => ' '.repeat(flag.length));
  return Array.from(without.matchAll(TAGS), ({ 0: run, index }) => {
    const said = Array.from(run, (tag) => tag.codePointAt(0)! - 0xe0000)
      .filter((code) => code >= 32 && code < 127)
      .map((code) => String.fromCharCode(code));
    return runOf('tags', index, run.length, said.join(''));
  });
}

function selectorsIn(text: string): Hidden[] {
  return Array.from(text.matchAll(SELECTORS), ({ 0: run, index }) => {
    const bytes = Array.from(run, (selector) => {
      const code = selector.codePointAt(0)!;
      return code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16;
    });
    return runOf('selectors', index, run.length, textOf(bytes));
  });
}

function zeroWidthIn(text: string): Hidden[] {
  const runs = Array.from(text.matchAll(ZERO_WIDTH), ({ 0: run, index }) =>
    runOf('zero_width', index, run.length, bitsOf(run)),
  );
  const splits = Array.from(text.matchAll(SPLIT)).filter(([run]) => run.length < MIN_RUN);
  if (splits.length < MIN_SPLITS) return runs;
  const [first, last] = [splits[0]!, splits.at(-1)!];
  const bits = bitsOf(splits.map(([run]) => run).join(''));
  return [...runs, runOf('zero_width', first.index, last.index + last[0].length - first.index, bits)];
}

/** What a run of zero-width characters says, if two of them stand for bits, the higher or the lower first; empty: it says nothing. */
function bitsOf(run: string): string {
  const kinds = [...new Set(run)].filter((kind) => kind !== '\u2060' || run.replaceAll('\u2060', '') === '');
  const [one, other] = kinds.length === 2 ? kinds : [undefined, undefined];
  const letters = Array.from(run)
    .filter((each) => kinds.includes(each))
    .join('');
  if (one === undefined || other === undefined || letters.length < 16) return '';
  for (const zero of [one, other]) {
    for (const size of [8, 7]) {
      const bytes: number[] = [];
      for (let i = 0; i + size <= letters.length; i += size) {
        let byte = 0;
        for (const bit of letters.slice(i, i + size)) byte = byte * 2 + (bit === zero ? 0 : 1);
        bytes.push(byte);
      }
      const said = textOf(bytes);
      if (said !== '') return said;
    }
  }
  return '';
}

/** Bytes as UTF-8; empty where they are no text. */
function textOf(bytes: readonly number[]): string {
  const text = new TextDecoder('utf-8', { fatal: false }).decode(Uint8Array.from(bytes));
  const odd = text.match(/[\p{Cc}\ufffd]/gu)?.length ?? 0;
  return text.length >= 2 && odd * 8 <= text.length ? text : '';
}

const PARAGRAPH = /[^\n\r\u2029]*/g;
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const OVERRIDES = '\u202d\u202e';
const OPENS_EMBEDDING = '\u202a\u202b\u202d\u202e';
const OPENS_ISOLATE = '\u2066\u2067\u2068';

/**
 * Directions that change what a reader sees: overrides, and embeddings or isolates that no one closes, within a paragraph that has no
 * letter of a script from right to left. What stands between an override and its end is what a machine reads.
 */
function overridesIn(text: string): Hidden[] {
  if (!/[\u202a-\u202e\u2066-\u2069]/.test(text)) return [];
  const found: Hidden[] = [];
  for (const { 0: paragraph, index } of text.matchAll(PARAGRAPH)) {
    const span = overrideIn(paragraph);
    if (span) found.push(runOf('bidi', index + span[0], span[1] - span[0], ''));
  }
  return found;
}

function overrideIn(paragraph: string): [number, number] | undefined {
  const controls = Array.from(paragraph.matchAll(CONTROLS));
  if (controls.length === 0) return undefined;
  const [first, last] = [controls[0]!.index, controls.at(-1)!.index + 1];
  let embeddings = 0;
  let isolates = 0;
  for (const [control] of controls) {
    if (OVERRIDES.includes(control) && !RIGHT_TO_LEFT.test(paragraph)) return [first, last];
    if (OPENS_EMBEDDING.includes(control)) embeddings++;
    else if (OPENS_ISOLATE.includes(control)) isolates++;
    else if (control === '\u202c') embeddings--;
    else isolates--;
    if (embeddings < 0 || isolates < 0) break;
  }
  const balanced = embeddings === 0 && isolates === 0;
  // Applications close what they open. Isolates around a name in a text from left to right are usual.
  return balanced ? undefined : [first, last];
}
