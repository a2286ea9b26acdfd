/**
 * Orientation and GPS position from EXIF data (TIFF structure: byte order, offset of a directory, entries of 12 bytes).
 * Reads the main directory and up to four GPS directories that it names, at most 512 entries of each. Every offset is checked;
 * what does not fit counts as absent.
 */
import { type Exif, NO_EXIF } from './header.js';

const MAX_ENTRIES = 512;
const MAX_GPS_DIRECTORIES = 4;
const ENTRY_BYTES = 12;

const ORIENTATION = 0x0112;
const GPS_DIRECTORY = 0x8825;
const GPS_LATITUDE = 0x0002;
const GPS_LONGITUDE = 0x0004;

const SHORT = 3;
const LONG = 4;

interface Tiff {
  u16(offset: number): number;
  u32(offset: number): number;
  length: number;
}

/** `data` is the content of the EXIF block, with or without the leading `Exif` and two zero bytes. */
export function readExif(data: Buffer): Exif {
  const prefixed = data.length >= 6 && data.toString('latin1', 0, 6) === 'Exif\0\0';
  const tiff = openTiff(prefixed ? data.subarray(6) : data);
  if (!tiff) return NO_EXIF;
  const exif = { ...NO_EXIF };
  let directories = 0;
  for (const entry of entries(tiff, tiff.u32(4))) {
    if (entry.tag === ORIENTATION && entry.type === SHORT) {
      const value = tiff.u16(entry.value);
      if (value >= 1 && value <= 8) exif.orientation = value;
    } else if (entry.tag === GPS_DIRECTORY && entry.type === LONG && directories++ < MAX_GPS_DIRECTORIES) {
      // Readers differ in which one of several counts.
      exif.hasGps ||= hasPosition(tiff, tiff.u32(entry.value));
    }
  }
  return exif;
}

function openTiff(data: Buffer): Tiff | undefined {
  if (data.length < 8) return undefined;
  const order = data.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return undefined;
  const little = order === 'II';
  const tiff = {
    u16: (offset: number) => (little ? data.readUInt16LE(offset) : data.readUInt16BE(offset)),
    u32: (offset: number) => (little ? data.readUInt32LE(offset) : data.readUInt32BE(offset)),
    length: data.length,
  };
  return tiff.u16(2) === 42 ? tiff : undefined;
}

/** The entries of the directory at `offset` that are within the data; `value` is the offset of the 4 bytes of the value. */
function* entries(tiff: Tiff, offset: number): Generator<{ tag: number; type: number; value: number }> {
  if (offset < 8 || offset + 2 > tiff.length) return;
  const count = Math.min(tiff.u16(offset), MAX_ENTRIES);
  for (let i = 0; i < count; i++) {
    const at = offset + 2 + i * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return;
    yield { tag: tiff.u16(at), type: tiff.u16(at + 2), value: at + 8 };
  }
}

function hasPosition(tiff: Tiff, offset: number): boolean {
  for (const { tag } of entries(tiff, offset)) if (tag === GPS_LATITUDE || tag === GPS_LONGITUDE) return true;
  return false;
}
