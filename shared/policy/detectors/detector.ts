/** What a detector is. Each has a module in this folder (of images: `images/`), which holds all of it, and a line in `registry.ts`. */
import type { Cursor } from '../../configuration/read/fields.js';
import { type DetectTree, NO, type Truth, UNKNOWN, YES } from '../detect-expression.js';
import type { OpenFrom } from '../engine/open.js';
import type { Interest } from '../engine/probes/probe.js';
import { NO_MODELS, type OwnModels } from '../models/own.js';
import type { AskedBackend, AskedModel, Evidence, ImageContent, Source, TextAnswer, Window } from '../types.js';

/** An expression over detectors of texts. Its leaves are untyped: the registry, which has their types, imports this. */
export type TextTree = DetectTree<object>;

export interface Detector<P extends object> {
  /** Completes "fires on". For documents and `weir check-config --help`. */
  help: string;
  /** By parameter, in the order that messages name them: what it takes, its default in brackets. */
  parameters: { readonly [K in keyof P]-?: string };
  /**
   * Reads the parameters at `cursor` and reports what is wrong with them; undefined where nothing can be read. `readTexts` reads
   * an expression that only detectors of texts may be in.
   */
  read(cursor: Cursor, readTexts: (cursor: Cursor) => TextTree): P | undefined;
  /** How it looks at texts; absent: it cannot. Its parameters have `context`, unless it has a question. */
  text?: TextLook<P>;
  /** How it looks at images; absent: it cannot. */
  image?(parameters: P): ImageLook;
  /** The least score with which it fires; `fired`: for evidence of this name, undefined where that is not its own. Absent: it has no scores. */
  least?(parameters: P, fired?: string): LeastScore | undefined;
  /** Which of both it looks at with these parameters. Absent: at all that it can. */
  source?(parameters: P): Source;
}

/** A least score, and the one that its figures are of. */
export interface LeastScore {
  least: number;
  /** where the parameters leave it open; undefined: that of a model which is not at hand */
  usual: number | undefined;
}

/** What a configuration names and does not hold. */
export interface Resources {
  models: OwnModels;
}

export const NO_RESOURCES: Resources = { models: NO_MODELS };

export interface TextLook<P extends object> {
  /** what the engine looks for in a text; a probe whose resource is not there throws {@link NotThere} when it looks */
  interests(parameters: P, resources: Resources): Interest[];
  /** Most characters of plain ASCII that a find can span. Absent: no bound. */
  reach?(parameters: P): number;
  /**
   * Where a text that goes on is open: more of it may still become a find that begins there, or decide of one. Absent: that has no bound, and
   * a text that goes on is judged sentence by sentence, or when it ends.
   */
  open?(parameters: P): OpenFrom | undefined;
  /** Whether a find in a text may vanish behind earlier texts, as that of `^` does. Absent: no. */
  anchored?(parameters: P): boolean;
  /** The word for a find where it is taken out of a text, by what the evidence calls it. Absent: its finds are not taken out. */
  mark?(label: string): string;
  /** What a backend or a model is asked about the text; absent: the detector looks at it itself. */
  question?(parameters: P): TextQuestion;
}

export interface TextQuestion {
  /** A backend is named by its id, which is one of the team. */
  about: AskedBackend<string> | AskedModel;
  /** Where it fires, by what was said of `text`; none: it does not. */
  evidence(said: TextAnswer, text: string): Evidence[];
}

/** What an image must be measured for before the detector looks at it, and the look. */
export interface ImageLook {
  /** a list of known hashes; only images of at least this quality are held against it */
  list?: { name: string; maxDistance: number; minQuality: number };
  /** a model that scores the image */
  model?: string;
  /** judges the text that is read from the image */
  text?: TextTree;
  look(image: ImageContent, found: MeasuredImage): ImageOutcome;
}

/** What was found out about an image for all of its detectors together. */
export interface MeasuredImage {
  /** to the nearest hash of a list; Infinity where none is as near as a detector asks */
  distanceTo(list: string): number;
  /** the verdict of `ImageLook.text` on a text */
  judge(text: string): ImageOutcome;
}

export interface ImageOutcome {
  truth: Truth;
  evidence: Evidence[];
  /** the truth is unknown since the text is in this language */
  foreign?: string;
}

export const NOT_FOUND: ImageOutcome = { truth: NO, evidence: [] };
export const COULD_NOT_RUN: ImageOutcome = { truth: UNKNOWN, evidence: [] };

/** `found`: where, and the score. */
export function firedOnText(detector: string, { start, end, score }: Window): Evidence {
  const evidence: Evidence = { detector, view: 'raw', source: 'text', start, end };
  return score < 1 ? { ...evidence, score } : evidence;
}

/** An image has no offsets: what fired is the evidence. `score`: 0 to 1, of detectors that have one. */
export function firedOnImage(detector: string, view: string, score = 1): ImageOutcome {
  const evidence: Evidence = { detector, view, source: 'image', start: 0, end: 0 };
  return { truth: YES, evidence: [score < 1 ? { ...evidence, score } : evidence] };
}

/** What a detector looks at; without parameters: what it may look at. */
export function sourcesOf({ text, image, source }: Detector<object>, parameters?: object): Source[] {
  if (source && parameters) return [source(parameters)];
  return [...(text ? (['text'] as const) : []), ...(image ? (['image'] as const) : [])];
}
