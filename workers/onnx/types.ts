/** Messages between the models and their processes, as frames of `child-process/frames.ts`. */
import type { ModelInput, ModelOutput } from './file.js';

/** The descriptor of the model file, which the parent has opened. */
export const MODEL_FD = 4;

/** A file as it was when its description was read. If it has changed by now, it is not loaded. */
export interface ModelPath {
  /** absolute */
  path: string;
  size: number;
  mtimeMs: number;
}

/** Sent once, first. The header of each further frame is empty, and its body has the pixels of one image. */
export interface LoadRequest {
  file: ModelPath;
  /** resident bytes above which the process ends itself */
  memoryBytes: number;
  input: ModelInput;
  output: Omit<ModelOutput, 'labels'> & { labels: number };
}

export type ModelReply =
  /** its shapes and types were checked, and it gave scores for a black image */
  | { status: 'loaded' }
  /** it cannot be used, `message` says why; `lasting`: the model itself is at fault, and another try does not help */
  | { status: 'refused'; message: string; lasting: boolean }
  /** last words: it holds too much memory */
  | { status: 'memory' }
  /** 0 to 1, in the order of the labels */
  | { status: 'scores'; scores: number[] }
  /** this image could not be scored */
  | { status: 'failed'; message: string };

export const MAX_MESSAGE_LENGTH = 500;
