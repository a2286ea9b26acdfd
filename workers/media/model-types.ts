/** What travels between the models and their processes; frames as in `decode-frames.ts`. */
import type { ModelInput, ModelOutput } from './model-file.js';

/** Sent once, first. */
export interface LoadRequest {
  /** absolute path of the model */
  path: string;
  input: ModelInput;
  output: Omit<ModelOutput, 'labels'> & { labels: number };
}

/** Every further frame has the pixels of one image as its body, and this header. */
export type RunRequest = Record<string, never>;

export type ModelReply =
  /** its shapes and types were checked, and it gave scores for a black image */
  | { status: 'loaded' }
  /** it cannot be used; `message` says why */
  | { status: 'refused'; message: string }
  /** 0 to 1, in the order of the labels */
  | { status: 'scores'; scores: number[] }
  /** this image could not be scored */
  | { status: 'failed'; message: string };

export const MAX_MESSAGE_LENGTH = 500;
