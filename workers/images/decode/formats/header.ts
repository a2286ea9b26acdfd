/** What the header of an image file says, before anything is decoded. */
export interface Header {
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
 * Segments, chunks or blocks that are looked at in one file. Headers are read on the loop that everything else of a worker
 * shares, and a file may consist of nothing but the smallest of them. Real ones hold far fewer: a GIF of the largest size
 * some 41,000.
 */
export const MAX_PARTS = 65_536;

/** Four letters as they stand in a file, as one number: made once, compared without making text of each part. */
export const tag = (letters: string): number => Buffer.from(letters, 'latin1').readUInt32BE(0);
