/**
 * Views: the forms of a text that detectors look at, so that a disguised spelling is found. A new view is a name in `VIEWS` and an
 * entry of `KINDS`. Leetspeak, masked and squashed letters are readings of terms: `probes/terms/`.
 *
 * The engine scans the text as sent, and then each view that can differ from its base. Where a view cannot differ, the pass over its
 * base serves it, so that plain text is scanned once.
 */
import { type InBytes, MAX_BYTES } from '../automaton.js';
import { changeOf } from './change.js';
import { compatible, fold, foldTerm, squeeze } from './normalise.js';
import { type Offsets, offsetFrom, offsetsOf } from './offsets.js';

/** As sent; compatibility form without invisible characters; folded. A view stands behind its base. */
export const VIEWS = ['raw', 'nfkc', 'folded'] as const;
export type View = (typeof VIEWS)[number];

export interface ViewText extends Offsets {
  view: View;
  text: string;
}

export interface ViewKind {
  name: View;
  /** its place in `VIEWS` */
  place: number;
  /** the view that serves this one where the two do not differ; the text as sent has none */
  base: ViewKind | undefined;
  /**
   * A cheap test: whether the view may hold something that a scan of its base does not come upon. The scan ignores case, so a view
   * that differs by case alone does not differ. It is asked at each place that is looked at.
   */
  differs(views: Views): boolean;
  /** where it does not differ, it is the same as its base, case included */
  exact: boolean;
  make(views: Views): ViewText;
  /** a term as it reads in this view */
  term(term: string): string;
}

const raw: ViewKind = {
  name: 'raw',
  place: 0,
  base: undefined,
  differs: () => true,
  exact: true,
  make: ({ sent }) => inPlace('raw', sent),
  term: squeeze,
};

const COMPATIBLE = changeOf(compatible);
const FOLDED = changeOf((piece) => fold(compatible(piece)));

const nfkc: ViewKind = {
  name: 'nfkc',
  place: 1,
  base: raw,
  differs: (views) => compatibleOf(views) !== undefined,
  exact: true,
  make(views) {
    const { sent } = views;
    const text = compatibleOf(views);
    return text === undefined ? inPlace('nfkc', sent) : { view: 'nfkc', text, ...offsetsOf(sent, text, COMPATIBLE) };
  },
  term: (term) => squeeze(compatible(term)),
};

const folded: ViewKind = {
  name: 'folded',
  place: 2,
  base: nfkc,
  differs: (views) => !views.ascii && foldedOf(views) !== (compatibleOf(views) ?? views.sent),
  exact: false,
  make(views) {
    const { sent, ascii } = views;
    if (ascii) return inPlace('folded', sent.toLowerCase());
    const text = foldedOf(views);
    if (text === sent) return inPlace('folded', sent);
    return { view: 'folded', text, ...offsetsOf(sent, text, FOLDED) };
  },
  term: foldTerm,
};

/** By name. Code that runs at each find passes kinds, not names: a look-up by a name that varies is slow. */
export const KINDS: Readonly<Record<View, ViewKind>> = { raw, nfkc, folded };

const same = (offset: number): number => offset;

/** A view whose characters are where they were sent. */
function inPlace(view: View, text: string): ViewText {
  return { view, text, toRaw: same, endToRaw: same };
}

/** The views of one text. Each is made when it is first asked for. */
export interface Views {
  readonly sent: string;
  /** every unit is below 128 */
  readonly ascii: boolean;
  /** the text as sent as bytes, up to the next {@link viewsOf}; undefined where it is not ASCII, or is long */
  readonly inBytes: InBytes | undefined;
  /** the compatibility form; undefined: not made yet; null: the same as the text as sent */
  compatible: string | null | undefined;
  /** the folded form of a text that is not ASCII; undefined: not made yet */
  folded: string | undefined;
  /** by place of the view */
  readonly made: (ViewText | undefined)[];
}

/** The unit in the middle tells most texts of other scripts, whose bytes take longer to count. */
const mayBeAscii = (text: string): boolean => text.length === 0 || text.charCodeAt(text.length >> 1) < 128;

/** Every unit is below 128: others are several bytes each. Bytes are counted in a fifth of the time that a pattern takes. */
export const isAscii = (text: string): boolean => mayBeAscii(text) && Buffer.byteLength(text) === text.length;

/** Texts of up to {@link MAX_BYTES} units are written here, each over the one before. */
const scratch = Buffer.allocUnsafeSlow(MAX_BYTES * 3);
const WRITTEN: InBytes = { bytes: scratch, at: 0 };

/** `known`: where the text stands as bytes already. */
export function viewsOf(sent: string, known?: InBytes): Views {
  const inBytes = sent.length <= MAX_BYTES ? (known ?? written(sent)) : undefined;
  const ascii = inBytes !== undefined || known !== undefined || (sent.length > MAX_BYTES && isAscii(sent));
  return {
    sent,
    ascii,
    inBytes,
    compatible: ascii ? null : undefined,
    folded: undefined,
    made: [undefined, undefined, undefined],
  };
}

/** A scan of bytes takes half of the time of one of units. The number of bytes says whether the text is ASCII. */
const written = (text: string): InBytes | undefined =>
  mayBeAscii(text) && scratch.write(text) === text.length ? WRITTEN : undefined;

/** The compatibility form; undefined where it is the text as sent. */
function compatibleOf(views: Views): string | undefined {
  if (views.compatible === undefined) {
    const text = compatible(views.sent);
    views.compatible = text === views.sent ? null : text;
  }
  return views.compatible ?? undefined;
}

/** The folded form. Where it is the same as the compatibility form, it is that very string. */
function foldedOf(views: Views): string {
  if (views.folded === undefined) {
    const text = compatibleOf(views) ?? views.sent;
    const folded = fold(text);
    views.folded = folded === text ? text : folded;
  }
  return views.folded;
}

export function viewOf(views: Views, kind: ViewKind): ViewText {
  const view = views.made[kind.place] ?? kind.make(views);
  views.made[kind.place] = view;
  return view;
}

/** The view whose pass serves `kind`: itself, or its base where the two do not differ. */
export function passOf(views: Views, kind: ViewKind): ViewKind {
  let pass = kind;
  while (pass.base && !pass.differs(views)) pass = pass.base;
  return pass;
}

/**
 * The view `kind` as it is looked at in the pass over `pass`. Undefined where another pass serves it, and where it is the same as its
 * base and the base is `asked` for, too.
 */
export function viewInPass(
  views: Views,
  pass: ViewKind,
  kind: ViewKind,
  asked?: readonly ViewKind[],
): ViewText | undefined {
  if (kind === pass) return viewOf(views, kind);
  const { base, exact } = kind;
  if (!base || passOf(views, kind) !== pass || (exact && asked?.includes(base))) return undefined;
  return viewOf(views, kind);
}

/** A term as it is looked for in `view`. */
export function termIn(term: string, view: View): string {
  return KINDS[view].term(term);
}

/** The offset in `view` of what is at `offset` in the text as sent. */
export const offsetIn = (view: ViewText, offset: number): number =>
  offset === 0 || view.view === 'raw' ? offset : offsetFrom(view, offset);
