/**
 * Terms as a trie over the letters a to z, made for words that are disguised: see `sweep.ts`. A term may be inflected and be part
 * of compounds, as its form says; endings and second parts have tries of their own.
 */
import type { InBytes } from '../../automaton.js';
import type { LookSteps } from '../../steps.js';
import { type Allowed, allowedOf } from './allow.js';
import { SPACE_EDGE } from './units.js';

/**
 * How a term stands in a text: as written; with endings (`-s`, `-ing`); as part of compounds (`-head`), too; anywhere within a word.
 */
export const FORMS = ['whole', 'inflected', 'compound', 'within'] as const;
export type TermForm = (typeof FORMS)[number];

export interface LexiconTerm {
  /** lower-case letters a to z, words parted by single spaces */
  text: string;
  form: TermForm;
  /** Further spellings. One that the form lets stand within words is taken for part of a compound only. */
  spellings?: readonly string[];
  /** its place among what the caller knows of terms */
  id: number;
}

/** Nodes of tries, children side by side in the order of their letters. */
export interface Tries {
  /** by node: bit n is set if there is a child for letter n */
  edges: Int32Array;
  /** by node: its first child */
  first: Int32Array;
  ends: readonly (NodeEnd | undefined)[];
}

/** A term that ends at a node, and how what was read of it may go on. */
export interface TermEnd {
  term: LexiconTerm;
  form: TermForm;
}

/** What ends at a node. */
export interface NodeEnd {
  terms: readonly TermEnd[];
  ending: boolean;
  part: boolean;
}

export interface TermLexicon {
  tries: Tries;
  /** node where all terms begin */
  terms: number;
  /** node where those begin that may stand within a word; -1: there are none */
  within: number;
  endings: number;
  parts: number;
  /** most spaces of a phrase */
  spaces: number;
  allowed: Allowed;
}

interface DraftNode {
  next: Map<number, DraftNode>;
  terms: TermEnd[];
  ending: boolean;
  part: boolean;
}

const draft = (): DraftNode => ({ next: new Map(), terms: [], ending: false, part: false });

function enter(root: DraftNode, text: string): DraftNode {
  let node = root;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] === ' ' ? SPACE_EDGE : text.charCodeAt(i) - 97;
    let to = node.next.get(letter);
    if (!to) {
      to = draft();
      node.next.set(letter, to);
    }
    node = to;
  }
  return node;
}

/** Whether a text can be entered: letters a to z, and single spaces between words. */
export const isPlainTerm = (text: string): boolean => /^[a-z]+(?: [a-z]+)*$/.test(text);

export interface LexiconParts {
  terms: readonly LexiconTerm[];
  /** endings of inflected terms, such as `ing` */
  endings?: readonly string[];
  /** second parts of compounds, such as `head` */
  parts?: readonly string[];
  /** innocent words and phrases: no find lies within one */
  allowed?: readonly string[];
}

export function buildLexicon({ terms, endings = [], parts = [], allowed = [] }: LexiconParts): TermLexicon {
  const roots = { terms: draft(), within: draft(), endings: draft(), parts: draft() };
  for (const term of terms) {
    const { text, form, spellings = [] } = term;
    enter(roots.terms, text).terms.push({ term, form });
    if (form === 'within') enter(roots.within, text).terms.push({ term, form });
    const other = form === 'within' ? 'compound' : form;
    for (const spelling of new Set(spellings)) {
      if (spelling !== text) enter(roots.terms, spelling).terms.push({ term, form: other });
    }
  }
  for (const text of endings) enter(roots.endings, text).ending = true;
  for (const text of parts) enter(roots.parts, text).part = true;
  const order = [roots.terms, roots.within, roots.endings, roots.parts];
  return {
    tries: lay(order),
    terms: 0,
    within: roots.within.next.size === 0 ? -1 : 1,
    endings: 2,
    parts: 3,
    spaces: mostSpaces(terms),
    allowed: allowedOf(allowed),
  };
}

function mostSpaces(terms: readonly LexiconTerm[]): number {
  let most = 0;
  for (const { text, spellings = [] } of terms) {
    for (const each of [text, ...spellings]) most = Math.max(most, each.split(' ').length - 1);
  }
  return most;
}

/** Lays nodes out breadth first, so that the children of each stand side by side. */
function lay(roots: readonly DraftNode[]): Tries {
  const order = [...roots];
  const firsts: number[] = [];
  const edges: number[] = [];
  for (let n = 0; n < order.length; n++) {
    const letters = [...order[n]!.next.keys()].sort((a, b) => a - b);
    firsts.push(order.length);
    edges.push(letters.reduce((bits, letter) => bits | (1 << letter), 0));
    for (const letter of letters) order.push(order[n]!.next.get(letter)!);
  }
  const ends = order.map(({ terms, ending, part }): NodeEnd | undefined => {
    return terms.length > 0 || ending || part ? { terms, ending, part } : undefined;
  });
  return { edges: Int32Array.from(edges), first: Int32Array.from(firsts), ends };
}

/** The child of `node` for the letter whose bit is `bit`, which it has. */
export function childOf({ edges, first }: Tries, node: number, bit: number): number {
  return first[node]! + ones(edges[node]! & (bit - 1));
}

/** Bits that are set. */
function ones(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** How a term was read: as it stands, or through a disguise. These are names of views. */
export const READINGS = ['folded', 'leetspeak', 'masked', 'squashed'] as const;
export type TermReading = (typeof READINGS)[number];
export const ALL_READINGS = (1 << READINGS.length) - 1;
export const readingBit = (reading: TermReading): number => 1 << READINGS.indexOf(reading);

export interface SweepFind {
  start: number;
  end: number;
  reading: TermReading;
  term: LexiconTerm;
}

/** Takes a find. False: no more are of use. */
export type Take = (find: SweepFind) => boolean;

export interface SweepHow {
  /** By id, bits of the readings of a term that are asked for; others may be missing. Absent: all are told. */
  terms?: Uint8Array | undefined;
  /** those that may be taken */
  steps?: LookSteps | undefined;
  /** the text, where it stands as bytes already */
  inBytes?: InBytes | undefined;
}

/** Tells `take` what is in the text, in the order of the starts, until no more is of use. */
export type Sweep = (text: string, take: Take, how?: SweepHow) => void;
