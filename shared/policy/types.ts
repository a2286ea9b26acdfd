/**
 * Vocabulary of evaluation, which is a pure function of (plan, content, context): no I/O, no clock, no randomness.
 */
import type { EventType, Severity } from '../api/types.js';
import type { BackendConfiguration } from '../configuration/backend.js';
import type { DecodedText } from './content/content.js';
import type { InBytes } from './engine/automaton.js';
import type { LongScans } from './engine/long-scans.js';

/** What adapters do with content that violates a policy: refuse it, or let it pass without what was found. */
export type Action = 'block' | 'redact';
export type Direction = 'input' | 'output' | 'any';
export type Source = 'text' | 'image';

export const IMAGE_KINDS = ['jpeg', 'png', 'webp', 'gif'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/** Where a detector fired. Never holds the matched content. */
export interface Evidence {
  /** detector and what of it, for example `pii:CREDIT_CARD`, `terms`, `regex:0`, `secrets:aws-access-key-id` */
  detector: string;
  /** form of the text that it looked at, for example `raw` or `folded` */
  view: string;
  source: Source;
  /** offset in UTF-16 units into the text as it was checked, whatever the view; of an image 0, as is `end` */
  start: number;
  /** behind the last unit */
  end: number;
  /** 0 to 1; absent: 1 */
  score?: number;
  /** of an image in a session: its number among those of the message, from 0 */
  image?: number;
}

export interface Violation {
  id: string;
  name: string;
  severity: Severity;
  sources: readonly Source[];
  evidence: readonly Evidence[];
}

/** What the policies in the shadow say of an item. Nothing of it is in an answer, nor in how the item counts. */
export interface ShadowVerdict {
  /** ids of those that were evaluated */
  evaluated: readonly string[];
  violations: readonly Violation[];
  /** those that apply and could not be evaluated */
  notEvaluated: number;
}

/** A part of a text, and what it is replaced by, without brackets. Offsets as those of evidence. */
export interface Mark {
  start: number;
  end: number;
  label: string;
}

export interface Redaction {
  /** in ascending order, apart from each other; none where it cannot be done */
  marks: readonly Mark[];
  /** why it cannot be done; '' where it can */
  why: string;
  /** violated policies do not let the content pass with its marks */
  blocked: boolean;
}

/** What the policies say of one item. */
export interface Verdict {
  flagged: boolean;
  /** JSON text of the policies map (2.1 or 2.2); equal outcomes share one string, which saves memory */
  policies: string;
  /** ids of the policies that were evaluated */
  evaluated: readonly string[];
  /** how severe each policy of the map is, in its order: `l`, `m` or `h` */
  severities: string;
  violations: readonly Violation[];
  /** applicable policies that could not be evaluated; they are in neither `policies` nor `evaluated` */
  notEvaluated: number;
  /** those, and the ones that are flagged because the team fails closed or another source triggered them */
  unknown: number;
  /** so many are left out, since they do not know the language; absent: none */
  foreign?: number;
  /** some could not be evaluated because the conditions took too many steps */
  stopped?: true;
  /** some could not be evaluated because something was not there. A repetition may have them evaluated; else it changes nothing */
  passing?: true;
  /** empty when there is nothing to say */
  note: string;
  /** absent: no policy in the shadow is for the item */
  shadow?: ShadowVerdict;
  /** of texts that are to be redacted */
  redaction?: Redaction;
  /** what backends and models may decide of what could not be evaluated; absent where they were asked already */
  asks?: Asks;
  /** of a text whose finds are all asked for */
  found?: AllFound;
}

/** All that violated policies have found in a text, where evidence has the first of it. */
export interface AllFound {
  violations: readonly Violation[];
  /** there is more than is kept */
  over?: true;
}

/** What to ask about one text. It is data: it goes from a thread to the main one. */
export interface Asks {
  text: string;
  /** in the order of the policies */
  of: readonly DetectorQuestion[];
}

/** A question of one detector. */
export type DetectorQuestion<About = AskedBackend | AskedModel> = {
  detector: number;
  /** id of the first policy that it may decide */
  policy: string;
} & About;

/** A language model, and what it judges by. */
export interface AskedBackend<Backend = BackendConfiguration> {
  backend: Backend;
  criteria: Criteria;
}

/** A model of the operator, and which of its scores matters. */
export interface AskedModel {
  model: string;
  label: string;
}

/** What a model judges by, in words. */
export interface Criteria {
  flagged_content: string;
  allowed_content: string;
  examples: { content: string; flagged: boolean }[];
}

/** What a backend says of a text. */
export interface BackendAnswer {
  flagged: boolean;
  /** 0 to 1: how sure it is that the text is to be flagged */
  score: number;
}

/** A part of a text, as a model saw it, and its score for a label, 0 to 1. */
export interface Window {
  /** offsets as those of evidence */
  start: number;
  end: number;
  score: number;
}

/** Of a backend, or of a model: windows that together are the whole text. */
export type TextAnswer = BackendAnswer | { windows: readonly Window[] };

/** A text is longer than may be asked about, so there is never an answer. */
export const TOO_LONG = 'too_long';

/** What backends and models have said of a text, by detector. A detector that is missing has no answer now, and may have one later. */
export type Answers = ReadonlyMap<number, TextAnswer | typeof TOO_LONG>;

/** One event as the engine sees it. */
export interface EventContent {
  type: EventType;
  /** the checkable field that is present, for example `content` or `output` */
  field: string;
  role: string;
  name: string;
  /** what is checked: the string itself, or the keys, strings and numbers of a JSON value in order, joined by newlines */
  text: string;
  /** the text, where it is known to stand somewhere as bytes */
  inBytes?: InBytes | undefined;
  /** what is in JSON within strings of the text; it is checked as well */
  decoded?: DecodedText | undefined;
  /** of backends and models; absent: they have not been asked */
  answers?: Answers | undefined;
  /** request metadata, for conditions */
  metadata: Record<string, unknown>;
  /** the verdict is to have a {@link Redaction} */
  redact?: boolean | undefined;
  /** of its long texts; absent: they are scanned at once. With it, evaluating may throw {@link Paused} */
  scans?: LongScans | undefined;
}

/**
 * Hamming distance of an image to the nearest hash of a list that is at most `maxDistance` (0 to 31) away; null: there is none.
 * A pure function. Its cost grows with the distance.
 */
export type Search = (maxDistance: number) => number | null;

/**
 * What was measured of an image before it is judged. Lists that cannot be searched, models that do not run and a text that could
 * not be read are absent. The detectors that need them count as "could not run".
 */
export interface ImageContent {
  kind: ImageKind;
  /** pixels, as it is shown */
  width: number;
  height: number;
  /** as received */
  bytes: number;
  /** more than one frame; only the first is looked at */
  animated: boolean;
  /** its metadata says where it was taken */
  hasGps: boolean;
  /** quality of its PDQ hash, 0 to 100; null when none was made */
  quality: number | null;
  /** by list of known hashes: searches it */
  lists: ReadonlyMap<string, Search>;
  /** text that was read from it; null when nothing could read it */
  text: string | null;
  /** by model and label: score, 0 to 1 */
  scores: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** What must be measured of an image beyond its properties before it is judged. */
export interface ImageWants {
  /** lists of known hashes that it is compared with */
  lists: readonly string[];
  /** its text */
  text: boolean;
  /** models that score it */
  models: readonly string[];
}

/** The last message of a session as the engine sees it. */
export interface SessionContent {
  direction: 'input' | 'output';
  /** null: it has no text part */
  text: string | null;
  /** as those of an event */
  decoded?: DecodedText | undefined;
  redact?: boolean | undefined;
  /** the verdict is to have all that is found */
  every?: boolean | undefined;
  answers?: Answers | undefined;
  scans?: LongScans | undefined;
}

/** Several messages of a session that are checked as one. */
export interface MessagesContent {
  /** what is said in each direction; evidence has offsets in all of them, joined by newlines */
  texts: readonly { direction: 'input' | 'output'; text: string; decoded?: DecodedText | undefined }[];
  /** null is one that could not be looked at */
  images: readonly (ImageContent | null)[];
  /** of the images */
  direction: 'input' | 'output';
  redact?: boolean | undefined;
  answers?: Answers | undefined;
  scans?: LongScans | undefined;
}
