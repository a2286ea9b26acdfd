/**
 * Files of weights. One begins with eight characters that name its kind. The length of its header in four bytes, and the header as JSON,
 * follow, then its sections. Each of these begins at a multiple of 8, with zeros before it. Numbers are little-endian.
 */

/** What every header says. */
export interface FileHeader {
  /** the version of the features when it was trained; absent: 1 */
  features?: number | undefined;
}

export interface FileKind<Header extends FileHeader> {
  /** eight characters */
  magic: string;
  /** as errors call it */
  name: string;
  /** what to do about a file that cannot be used */
  remedy: string;
  /** the version of the features that it must have */
  features: number;
  /** what was expected of a header that cannot be used, which may be any object */
  expected: (header: Partial<Record<keyof Header, unknown>>) => string | undefined;
  /** bytes of each section */
  sizesOf: (header: Header) => readonly number[];
}

export interface Sections<Header> {
  header: Header;
  sections: readonly Uint8Array[];
}

const AT_LENGTH = 8;
const AT_HEADER = 12;
const MAX_HEADER = 1 << 20;
const aligned = (at: number): number => Math.ceil(at / 8) * 8;

export function writeSections<Header extends FileHeader>(
  { magic }: FileKind<Header>,
  { header, sections }: Sections<Header>,
): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const first = aligned(AT_HEADER + json.length);
  const bytes = new Uint8Array(sections.reduce((sum, { length }) => sum + aligned(length), first));
  bytes.set(new TextEncoder().encode(magic));
  new DataView(bytes.buffer).setUint32(AT_LENGTH, json.length, true);
  bytes.set(json, AT_HEADER);
  let at = first;
  for (const section of sections) {
    bytes.set(section, at);
    at += aligned(section.length);
  }
  return bytes;
}

/** Throws an `Error` that says what is wrong, and what to do, where `file` cannot be used. Its sections are not copied. */
export function readSections<Header extends FileHeader>(kind: FileKind<Header>, file: Uint8Array): Sections<Header> {
  try {
    return sectionsOf(kind, file);
  } catch (error) {
    throw new Error(`${(error as Error).message}; ${kind.remedy}`);
  }
}

function sectionsOf<Header extends FileHeader>(kind: FileKind<Header>, file: Uint8Array): Sections<Header> {
  const { name, magic } = kind;
  // Sections are read as numbers, which stand at multiples of their size in memory.
  const bytes = file.byteOffset % 8 === 0 ? file : Uint8Array.from(file);
  if (String.fromCharCode(...bytes.subarray(0, AT_LENGTH)) !== magic)
    throw new Error(`${name} does not begin with ${magic}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = AT_HEADER + (bytes.length < AT_HEADER ? 0 : view.getUint32(AT_LENGTH, true));
  if (end > AT_HEADER + MAX_HEADER || end > bytes.length) throw new Error(`${name} ends within its header`);
  // Memory that threads share cannot be decoded in place.
  const header = headerOf(kind, new TextDecoder().decode(bytes.slice(AT_HEADER, end)));
  let at = aligned(end);
  const sections = kind.sizesOf(header).map((length) => {
    const from = at;
    at += aligned(length);
    return bytes.subarray(from, from + length);
  });
  if (bytes.length === at) return { header, sections };
  const wrong = bytes.length < at ? 'is cut off' : 'is too long';
  throw new Error(`${name} ${wrong}: it has ${bytes.length} bytes, and its header says ${at}`);
}

/** The header, of which what is used is checked: the file may come from anywhere. */
function headerOf<Header extends FileHeader>(
  { name, features: version, expected }: FileKind<Header>,
  text: string,
): Header {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below, like any other JSON that is no object.
  }
  if (typeof value !== 'object' || value === null) throw new Error(`the header of ${name} is no JSON object`);
  const header = value as Header;
  const { features = 1 } = header;
  if (features !== version) {
    const made = `${name} was trained for version ${String(features).slice(0, 20)} of the features`;
    throw new Error(`${made}, and this version of Weir has version ${version}`);
  }
  const missing = expected(header);
  if (missing !== undefined) throw new Error(`the header of ${name} is damaged: expected ${missing}`);
  return header;
}

/** A section as numbers of 32 bits, which are not copied. */
export const numbersOf = ({ buffer, byteOffset, length }: Uint8Array): Int32Array =>
  new Int32Array(buffer, byteOffset, length / 4);
