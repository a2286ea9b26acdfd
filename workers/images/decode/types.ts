/** What is asked of the decoder, and how that travels between it and its processes. */
import type { FailureReason } from '../failure.js';
import type { ImageProperties } from './sniff.js';

/** How an image of another shape comes into the size asked for. */
export type Fit =
  /** stretched to exactly that size */
  | 'fill'
  /** cut to that shape around its centre */
  | 'cover'
  /** whole, with white beside it */
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
export interface Pixels {
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

/** PDQ of an image as one sees it: upright, on white. Made in the decoding process, so that its pixels need not travel. */
export interface ImageHash {
  /** 0 (featureless) to 100 */
  quality: number;
  /** 64 hexadecimal digits each: the image, then turned and mirrored, in the order of `TRANSFORMS` (`pdq.ts`) */
  hashes: string[];
}

/** What is known of an image once its pixels are: of those, whatever its header says. */
export interface Measured {
  /** pixels as one sees it, upright */
  width: number;
  height: number;
  /** when it was asked for */
  hash?: ImageHash;
}

/** Header of the frame that carries an image to a process. */
export interface DecodeRequest {
  /** as its header says, which may be wrong about the size */
  image: Pick<ImageProperties, 'kind' | 'width' | 'height'>;
  renditions: Rendition[];
  /** whether it is hashed */
  hashed: boolean;
}

/** What only the decoder may find wrong with an image. */
export type Refusal = Extract<FailureReason, 'corrupt' | 'side_too_long' | 'too_many_pixels'>;

/** Header of a frame from a process. */
export type DecodeReply =
  | { status: 'ready' }
  /** with a hash, when renditions were asked for as well: they follow */
  | { status: 'hashed'; measured: Measured }
  /** the body has the pixels, one rendition behind the other; `resident`: memory of the process, in bytes */
  | {
      status: 'done';
      measured: Measured;
      pixels: { width: number; height: number; channels: 1 | 3 }[];
      resident: number;
    }
  | { status: 'refused'; reason: Refusal; resident: number }
  /** it has ended itself: it holds more than its limit, or has computed for too long */
  | { status: 'memory' }
  | { status: 'costly' };
