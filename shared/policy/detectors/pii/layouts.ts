/**
 * The layouts in which numbers are written, as one tree, so that a text is read once for all of them. A layout is a row of classes: `9` a
 * digit, `A` a letter, `*` either, and a space for one separator. `{n}` repeats what stands before it, `{n,m}` n to m times.
 */
import { isAsciiLetter, isDigit } from '../../engine/probes/characters.js';
import type { Words } from './words.js';

/** What a layout belongs to. */
export interface Layout {
  recogniser: Recogniser;
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
  words?: Words;
  /** excludes lesser finds, see `PiiFind` */
  sure?: boolean;
  /** Also found at the end of a word of small letters, where the space is missing: with a score of {@link GLUED}. */
  glued?: boolean;
  /** Without a check that means much, so it is an order number as well: see `lowered` in context.ts. */
  plain?: boolean;
}

/** Score of a number that stands at the end of a word. */
export const GLUED = 0.2;

interface Node {
  /** by class: digit, letter, separator */
  next: (Node | undefined)[];
  ends: Layout[];
}

const DIGIT = 0;
const LETTER = 1;
const GAP = 2;
const CLASSES: Readonly<Record<string, readonly number[]>> = {
  '9': [DIGIT],
  A: [LETTER],
  '*': [DIGIT, LETTER],
  ' ': [GAP],
};

const newNode = (): Node => ({ next: [undefined, undefined, undefined], ends: [] });

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

export type Tree = Node;

export function treeOf(recognisers: readonly Recogniser[]): Tree {
  const root = newNode();
  for (const recogniser of recognisers) {
    for (const [layout, score] of Object.entries(recogniser.layouts)) {
      for (const path of unfold(layout)) {
        for (const node of reach(root, path)) node.ends.push({ recogniser, score });
      }
    }
  }
  return root;
}

/** The nodes of a path, which are made where they are not there. */
function reach(root: Node, path: string): Node[] {
  let nodes = [root];
  for (const symbol of path) {
    nodes = nodes.flatMap((node) =>
      CLASSES[symbol]!.map((unit) => {
        node.next[unit] ??= newNode();
        return node.next[unit]!;
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
    case 0xa0:
    case 0x2009:
    case 0x202f:
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
      return unit >= 0x2010 && unit <= 0x2015 ? '-' : '';
  }
}

/** The separator at `i`: one character, or a hyphen or slash between spaces. */
export function gapAt(text: string, i: number): Gap | undefined {
  const kind = separatorOf(text.charCodeAt(i));
  if (kind === '') return undefined;
  const next = text.charCodeAt(i + 1);
  if (isDigit(next) || isLetter(next)) return { kind, end: i + 1 };
  const second = separatorOf(next);
  if (kind === ' ' && (second === '-' || second === '/') && separatorOf(text.charCodeAt(i + 2)) === ' ') {
    return { kind: second, end: i + 3 };
  }
  return undefined;
}

/** A letter that numbers may have. */
export function isLetter(unit: number): boolean {
  return isAsciiLetter(unit) || unit === 0xc4 || unit === 0xd6 || unit === 0xdc;
}

/** Calls `visit` for each end of layouts that begin at `start`, where a word ends: the layouts, the end, and the separators. */
export function eachLayout(
  tree: Tree,
  text: string,
  start: number,
  visit: (ends: readonly Layout[], end: number, separators: string) => void,
): void {
  let node: Node | undefined = tree;
  let separators = '';
  let i = start;
  while (node) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) node = node.next[DIGIT];
    else if (isLetter(unit)) node = node.next[LETTER];
    else {
      if (node.ends.length > 0) visit(node.ends, i, separators);
      const gap: Gap | undefined = node.next[GAP] && gapAt(text, i);
      if (!gap) return;
      separators += gap.kind;
      node = node.next[GAP];
      i = gap.end;
      continue;
    }
    i++;
  }
}
