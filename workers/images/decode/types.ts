/** What can be asked of the decoder, and the messages between it and its processes. */
import type { FailureReason } from '../failure.js';
import type { ImageProperties } from './sniff.js';

/** How an image of another shape is fitted into the size asked for. */
export type Fit =
  /** stretched to exactly that size */
  | 'fill'
  /** cut to that shape around its centre */
  | 'cover'
  /** whole, with white margins */
  | 'contain'
  /** whole, at most that size, never enlarged: the result may be smaller */
  | 'inside';

/** Pixels as a detector needs them. */
export interface Rendition {
  /** 1 to 4,096 */
  width: number;
  height: number;
  /** `rgb`: three bytes a pixel, sRGB. `gray`: one byte, luma 0.299 R + 0.587 G + 0.114 B */
  kind: 'gray' | 'rgb';
  fit: Fit;
}

/** Rows from top to bottom without gaps, `width × height × channels` bytes. */
export interface DecodedPixels {
  width: number;
  height: number;
  channels: 1 | 3;
  data: Buffer;
}

export const RENDITION_LIMITS = { count: 8, side: 4096, bytes: 32 * 1024 * 1024 } as const;

/** Bytes of all pixels asked for, at most. */
export function renditionBytes(renditions: readonly Rendition[]): number {
  return renditions.reduce((sum, { width, height, kind }) => sum + width * height * (kind === 'rgb' ? 3 : 1), 0);
}

/** PDQ of an image as people see it: upright, on white. Computed in the decoding process, so that no pixels are sent. */
export interface ImageHash {
  /** 0 (featureless) to 100 */
  quality: number;
  /** 64 hexadecimal digits each: the image, then turned and mirrored, in the order of `TRANSFORMS` (`pdq.ts`) */
  hashes: string[];
}

/** Properties of what was decoded, whatever the header says. */
export interface ImageMeasures {
  /** pixels, upright */
  width: number;
  height: number;
  /** if it was asked for */
  hash?: ImageHash;
}

/** What is asked about an image: the header of a frame to a process, whose body is the image. */
export interface DecodeRequest {
  /** what its header says; the size may be wrong */
  image: Pick<ImageProperties, 'kind' | 'width' | 'height'>;
  renditions: Rendition[];
  /** whether it is hashed */
  hashed: boolean;
}

/** Faults of an image that only decoding finds. */
export type ImageRefusal = Extract<FailureReason, 'corrupt' | 'side_too_long' | 'too_many_pixels'>;

/** Header of a frame from a process. */
export type DecodeReply =
  | { status: 'ready' }
  /** the image has been hashed, and renditions follow */
  | { status: 'hashed'; measured: ImageMeasures }
  /** the body has the pixels of all renditions in order; `resident`: memory of the process, in bytes */
  | {
      status: 'done';
      measured: ImageMeasures;
      pixels: { width: number; height: number; channels: 1 | 3 }[];
      resident: number;
    }
  | { status: 'refused'; reason: ImageRefusal; resident: number }
  /** last words: it holds too much memory, or has computed for too long */
  | { status: 'memory' }
  | { status: 'costly' };
