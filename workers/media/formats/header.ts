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
