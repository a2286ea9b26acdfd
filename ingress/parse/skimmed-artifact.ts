/**
 * Reads the body of an artifact without making a text of its image, which would take as long as all else that the service does with
 * the image but for decoding it. Only an image in plain base64 is left out: its string can have no mistake.
 */
import { areDigits } from '../../shared/base64.js';
import { memberAt, valueStart } from '../../shared/json.js';
import { skim } from '../../shared/skim.js';

/** Bytes above which a string is left out. */
const LONG = 32 * 1024;

/**
 * The value of `body`, valid UTF-8, with a string of the same length in place of the image; and its JSON without the image. Undefined
 * where it must be read in full.
 */
export function skimmedArtifact(body: Buffer): { value: unknown; json: string } | undefined {
  const { json, long } = skim(body, LONG);
  const [only, ...others] = long;
  if (!only || others.length > 0) return undefined;
  const [at, data] = only;
  const value = parsed(json);
  const content = value?.content;
  if (typeof content !== 'object' || content === null || typeof content.data !== 'string') return undefined;
  if (memberAt(json, memberAt(json, valueStart(json), 'content'), 'data') !== at) return undefined;
  if (!isBase64(data)) return undefined;
  // Its length is what is checked of it. Such a text takes no memory for its characters.
  content.data = 'A'.repeat(data.length);
  return { value, json };
}

/** Undefined for what is no JSON: reading it in full says where. */
function parsed(json: string): { content?: { data?: unknown } | null } | null | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const PADDING = 61;

function isBase64(data: Buffer): boolean {
  const end = data.length;
  const padding = data[end - 1] !== PADDING ? 0 : data[end - 2] !== PADDING ? 1 : 2;
  return areDigits(data.subarray(0, end - padding));
}
