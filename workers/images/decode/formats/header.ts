/** What the header of an image file says, before anything is decoded. */
export interface ImageHeader {
  /** as stored, before the orientation is applied */
  width: number;
  height: number;
  /** more than one frame */
  animated: boolean;
  /** EXIF orientation, 1 to 8; 1 when there is none */
  orientation: number;
  /** EXIF holds a latitude or longitude */
  hasGps: boolean;
}

/** What EXIF data adds to a header. */
export interface Exif {
  orientation: number;
  hasGps: boolean;
}

export const NO_EXIF: Exif = { orientation: 1, hasGps: false };

/**
 * Segments, chunks or blocks that are read of one file, at most. Headers are read on the event loop of the worker, and a file
 * may consist of nothing but the smallest parts. Real files have far fewer: a GIF of the largest size has about 41,000.
 */
export const MAX_PARTS = 65_536;

/** Four letters of a file as one number, so that comparing them needs no string for each part. */
export const tag = (letters: string): number => Buffer.from(letters, 'latin1').readUInt32BE(0);
