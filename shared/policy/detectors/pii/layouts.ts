/**
 * The layouts in which numbers are written, as one tree, so that a text is read once for all of them. A layout is a row of classes: `9` a
 * digit, `A` a letter, `*` either, and a space for one separator. `{n}` repeats what stands before it, `{n,m}` n to m times.
 */
import { isAsciiLetter, isDigit, unitAt } from '../../engine/probes/characters.js';
import { isWideSpace } from './stretch.js';
import type { EntityWords } from './words.js';

/** What a layout belongs to. */
export interface PiiLayout {
  recogniser: Recogniser;
  /** its place in the list that the tree was made of */
  number: number;
  score: number;
}

/** Recognises the numbers of one entity. */
export interface Recogniser {
  entity: string;
  /** by layout: the score of a number that has it and passes the check */
  layouts: Readonly<Record<string, number>>;
  /** Separators that may stand between groups [space, hyphen and dot]. They are the same throughout a number, unless `mixed`. */
  separators?: string;
  mixed?: boolean;
  /**
   * `id`: letters and digits in upper case. False: it is none; a number is its score in place of that of the layout. `separators`: as
   * written, one of ` `, `-`, `.` and the like for each gap.
   */
  check?(id: string, separators: string, raw: string): boolean | number;
  /** words nearby that raise the score */
  words?: EntityWords;
  /** excludes lesser finds, see `PiiFind` */
  sure?: boolean;
  /** Also found at the end of a word of small letters, where the space is missing: with a score of {@link GLUED}. */
  glued?: boolean;
  /** Without a check that means much, so it is an order number as well: see `lowered` in context.ts. */
  plain?: boolean;
}

/** Score of a number that stands at the end of a word. */
export const GLUED = 0.2;

const DIGIT = 0;
const LETTER = 1;
const GAP = 2;
const OTHER = 3;
const CLASSES: Readonly<Record<string, readonly number[]>> = {
  '9': [DIGIT],
  A: [LETTER],
  '*': [DIGIT, LETTER],
  ' ': [GAP],
};

/** Nodes are numbers; 0 is the root, and no node leads back to it. */
export interface LayoutTree {
  /** by node and class: the node that follows; 0: none */
  next: Int32Array;
  /** by node: the layouts that end there */
  ends: readonly (readonly PiiLayout[] | undefined)[];
}

/** A layout without braces, in each of its lengths. */
export function unfold(layout: string): string[] {
  const brace = /(.)\{(\d+)(?:,(\d+))?\}/.exec(layout);
  if (!brace) return [layout];
  const [whole, unit, least, most = least] = brace;
  const unfolded: string[] = [];
  for (let n = Number(least); n <= Number(most); n++) {
    const rest = layout.slice(brace.index + whole.length);
    unfolded.push(...unfold(layout.slice(0, brace.index) + unit!.repeat(n) + rest));
  }
  return unfolded;
}

export function treeOf(recognisers: readonly Recogniser[]): LayoutTree {
  const next = [0, 0, 0];
  const ends: (PiiLayout[] | undefined)[] = [];
  recognisers.forEach((recogniser, number) => {
    for (const [layout, score] of Object.entries(recogniser.layouts)) {
      for (const path of unfold(layout)) {
        for (const node of reach(next, path)) ends[node] = [...(ends[node] ?? []), { recogniser, number, score }];
      }
    }
  });
  return { next: Int32Array.from(next), ends: Array.from(next, (_, node) => ends[node]) };
}

/** By node: 1 where a layout of a recogniser that has a 1 in `recognised` ends there or behind. */
export function liveNodes({ next, ends }: LayoutTree, recognised: Uint8Array): Uint8Array {
  const live = Uint8Array.from(ends, (layouts) => Number(layouts?.some(({ number }) => recognised[number] === 1)));
  // A node is made after the one that leads to it.
  for (let cell = next.length - 1; cell >= 0; cell--) {
    if (live[next[cell]!] === 1 && next[cell] !== 0) live[Math.floor(cell / 3)] = 1;
  }
  return live;
}

/** The nodes of a path, which are made where they are not there. */
function reach(next: number[], path: string): number[] {
  let nodes = [0];
  for (const symbol of path) {
    nodes = nodes.flatMap((node) =>
      CLASSES[symbol]!.map((unit) => {
        const to = next[node * 3 + unit] || next.length / 3;
        next[node * 3 + unit] = to;
        if (to * 3 === next.length) next.push(0, 0, 0);
        return to;
      }),
    );
  }
  return nodes;
}

/** A separator, as one character for all that look alike, and where what is behind it starts. */
export interface Gap {
  kind: string;
  end: number;
}

/** By unit: the separator it is. */
function separatorOf(unit: number): string {
  switch (unit) {
    case 32:
    case 9:
      return ' ';
    case 45:
    case 0x2212:
      return '-';
    case 46:
      return '.';
    case 47:
      return '/';
    case 43:
      return '+';
    case 58:
      return ':';
    case 95:
      return '_';
    case 0xb7:
      return '·';
    case 44:
      return ',';
    default:
      if (isWideSpace(unit)) return ' ';
      return unit >= 0x2010 && unit <= 0x2015 ? '-' : '';
  }
}

/** By unit below 256: its class. */
const KINDS = Uint8Array.from({ length: 256 }, (_, unit) => {
  if (isDigit(unit)) return DIGIT;
  return isLetter(unit) ? LETTER : separatorOf(unit) === '' ? OTHER : GAP;
});

/** The class of the unit at `i`. */
function kindAt(text: string, i: number): number {
  if (i >= text.length) return OTHER;
  const unit = text.charCodeAt(i);
  return unit < 256 ? KINDS[unit]! : separatorOf(unit) === '' ? OTHER : GAP;
}

/** Whether a letter or digit that numbers may have is at `i`. */
export function isOfWord(text: string, i: number): boolean {
  const unit = i < text.length ? text.charCodeAt(i) : 256;
  return unit < 256 && KINDS[unit]! <= LETTER;
}

/** The separator at `i`: one character, two spaces (tabs part cells), or a hyphen or slash between spaces. */
export function gapAt(text: string, i: number): Gap | undefined {
  const kind = separatorOf(unitAt(text, i));
  if (kind === '') return undefined;
  if (kindAt(text, i + 1) <= LETTER) return { kind, end: i + 1 };
  if (kind !== ' ') return undefined;
  if (text[i] === text[i + 1] && text[i] !== '\t' && kindAt(text, i + 2) <= LETTER) return { kind, end: i + 2 };
  const second = separatorOf(unitAt(text, i + 1));
  if ((second === '-' || second === '/') && separatorOf(unitAt(text, i + 2)) === ' ')
    return { kind: second, end: i + 3 };
  return undefined;
}

/** A letter that numbers may have. */
export function isLetter(unit: number): boolean {
  return isAsciiLetter(unit) || unit === 0xc4 || unit === 0xd6 || unit === 0xdc;
}

/** Layouts that a text has from one place on, up to `end`, where a word ends. */
export interface LayoutEnding {
  layouts: readonly PiiLayout[];
  end: number;
  /** its letters and digits */
  id: string;
  /** its separators, as {@link gapAt} has them */
  separators: string;
}

/** The layouts that begin at `start`, the shortest first, of those nodes that are `live`. */
export function endingsAt(
  { next, ends }: LayoutTree,
  live: Uint8Array,
  text: string,
  start: number,
): readonly LayoutEnding[] | undefined {
  let found: LayoutEnding[] | undefined;
  let node = 0;
  let [id, separators] = ['', ''];
  let from = start;
  for (let i = start; ; ) {
    const unit = i < text.length ? text.charCodeAt(i) : 0;
    const kind = unit < 256 ? KINDS[unit]! : kindAt(text, i);
    if (kind <= LETTER) i++;
    else {
      const layouts = ends[node];
      const goesOn = kind === GAP && live[next[node * 3 + GAP]!] === 1 && next[node * 3 + GAP] !== 0;
      if (!layouts && !goesOn) return found;
      id += text.slice(from, i);
      if (layouts) {
        found ??= [];
        found.push({ layouts, end: i, id, separators });
      }
      const gap = goesOn ? gapAt(text, i) : undefined;
      if (!gap) return found;
      separators += gap.kind;
      i = gap.end;
      from = i;
    }
    node = next[node * 3 + kind]!;
    if (node === 0 || live[node] === 0) return found;
  }
}
