/** Messages between the models and their processes, as frames of `child-process/frames.ts`. */
import type { ImageDescription, ModelOutput, TextDescription } from './file.js';

/** The descriptors of the files, which the parent has opened: the model, and of a model of texts its tokenizer. */
export const MODEL_FD = 4;
export const TOKENIZER_FD = 5;

/** A file as it was when its description was read. If it has changed by now, it is not loaded. */
export interface ModelPath {
  /** absolute */
  path: string;
  size: number;
  mtimeMs: number;
}

type Counted<D extends { output: ModelOutput }> = Omit<D, 'output'> & {
  output: Omit<ModelOutput, 'labels'> & { labels: number };
};

interface LoadFiles {
  file: ModelPath;
  /** resident bytes above which the process ends itself */
  memoryBytes: number;
}

/** Sent once, first. The header of each further frame is empty, and its body has the pixels of one image. */
export type ImageLoad = LoadFiles & Counted<ImageDescription>;
/** Sent once, first. Each further frame is a {@link TextRequest}. */
export type TextLoad = LoadFiles & Counted<TextDescription> & { tokenizer: ModelPath };
export type LoadRequest = ImageLoad | TextLoad;

/** Its body has the texts, one behind the other, as UTF-16. */
export interface TextRequest {
  /** UTF-16 units of each text */
  lengths: readonly number[];
  /** numbers of the labels whose scores are wanted */
  labels: readonly number[];
  /** how long it may take; it is looked at between inferences */
  limitMs: number;
}

/** Most bytes of texts in a request, unless it is a single text. */
export const TEXT_BYTES = 64 * 1024;
export const TEXTS_AT_ONCE = 8;
/** of a text by itself; the largest body of a request to the service is smaller */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export type ModelReply =
  /** its shapes and types were checked, and it gave scores for a black image or a few words */
  | { status: 'loaded' }
  /** it cannot be used, `message` says why; `lasting`: the model itself is at fault, and another try does not help */
  | { status: 'refused'; message: string; lasting: boolean }
  /** last words: it holds too much memory */
  | { status: 'memory' }
  /** 0 to 1, in the order of the labels */
  | { status: 'scores'; scores: number[] }
  /**
   * Windows of each text; 0: it needs too many. The body has for each window its offsets, in units, and the scores of the
   * labels: numbers of 64 bits.
   */
  | { status: 'windows'; counts: number[] }
  /** the time of the request was over */
  | { status: 'late' }
  /** this image, or one of these texts, could not be scored */
  | { status: 'failed'; message: string };

export const MAX_MESSAGE_LENGTH = 500;
