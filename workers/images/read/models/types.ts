/** What travels between the models and their processes; frames as in `child-process/frames.ts`. */
import type { ModelInput, ModelOutput } from './file.js';

/** Where the process finds the model: a file that its parent has opened. */
export const MODEL_FD = 4;

/** A file as it was when its description was read: should it be another one by now, it is not loaded. */
export interface ModelPath {
  /** absolute */
  path: string;
  size: number;
  mtimeMs: number;
}

/** Sent once, first. */
export interface LoadRequest {
  file: ModelPath;
  /** resident bytes above which the process ends itself */
  memoryBytes: number;
  input: ModelInput;
  output: Omit<ModelOutput, 'labels'> & { labels: number };
}

/** Every further frame has the pixels of one image as its body, and this header. */
export type RunRequest = Record<string, never>;

export type ModelReply =
  /** its shapes and types were checked, and it gave scores for a black image */
  | { status: 'loaded' }
  /** it cannot be used; `message` says why. `lasting`: it is the model itself, and trying again does not help */
  | { status: 'refused'; message: string; lasting: boolean }
  /** it holds more than its limit and has ended itself */
  | { status: 'memory' }
  /** 0 to 1, in the order of the labels */
  | { status: 'scores'; scores: number[] }
  /** this image could not be scored */
  | { status: 'failed'; message: string };

export const MAX_MESSAGE_LENGTH = 500;
