/**
 * Kubernetes Secrets: manifests whose values are encoded in Base64. A text is read once for all of its manifests, however many say that
 * they are a Secret.
 */
import type { Find } from '../../engine/probes/probe.js';
import { isDescription, isExample } from './placeholders.js';
import type { PlaceRule } from './rule.js';

/** So far before and behind its kind a manifest is read. */
const REACH = 4000;
const KIND = /kind"?: ?["']?[Ss]ecret\b["']?(?=[\s,}]|$)/g;
const KIND_LENGTH = 6;
const BOUNDARY = /^---|^[ \t]{0,80}"?kind"?:/m;
const DATA = /(?:^|[\s{,])"?(?:data|stringData)"?:/;
const DATA_LENGTH = 14;
const ENTRY =
  /(?<![\w.-])["']?([\w.-]{1,100})["']?:[ \t]{0,8}(?:[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40})?["']?([A-Za-z0-9+/]{8,4000}={0,2})["']?(?=[\s,}]|$)/g;

interface Manifests {
  text: string;
  /** by where the kind stands: what is found in its manifest, and not in those before */
  finds: ReadonlyMap<number, readonly Find[]>;
  /** all of them, in their order */
  all: readonly Find[];
}

/** Those of the text that was read last. They are asked for at each value, so they are kept however long the text is. */
let known: Manifests = { text: '', finds: new Map(), all: [] };

function manifestsIn(text: string): Manifests {
  if (known.text !== text) known = readManifests(text);
  return known;
}

/** How far the manifests before were read. */
interface ManifestProgress {
  end: number;
  /** what ends them there: their length, the kind of another one, or the end of a document. Data may stand before its kind */
  by: 'length' | 'kind' | 'document';
  /** their data has begun */
  inData: boolean;
}

function readManifests(text: string): Manifests {
  const finds = new Map<number, readonly Find[]>();
  const progress: ManifestProgress = { end: 0, by: 'document', inData: false };
  for (const { index } of text.matchAll(KIND)) {
    const found = readManifest(text, index, progress);
    if (found.length > 0) finds.set(index, found);
  }
  return { text, finds, all: [...finds.values()].flat() };
}

/** Reads the manifest whose kind is at `at`, as far as it was not read with those before. */
function readManifest(text: string, at: number, progress: ManifestProgress): Find[] {
  const isWithin = at < progress.end;
  if (isWithin && progress.by !== 'length') return [];
  const start = isWithin ? -1 : startOf(text, at, progress.end);
  const goesOn = start < 0 && progress.by !== 'document';
  const from = start < 0 ? progress.end : start;
  const { end, by } = endOf(text, Math.max(from, at + KIND_LENGTH), at + REACH);
  const data = goesOn && progress.inData ? from : behindData(text, goesOn ? from - DATA_LENGTH : from, end);
  Object.assign(progress, { end, by, inData: data >= 0 });
  return data < 0 ? [] : entriesIn(text, data, progress);
}

/** Where the manifest begins: at the boundary before its kind; -1: none stands there behind `earliest`. */
function startOf(text: string, at: number, earliest: number): number {
  const from = Math.max(earliest, at - REACH);
  const before = text.slice(from, at);
  const kind = before.lastIndexOf('kind:');
  const document = before.slice(Math.max(0, kind)).lastIndexOf('\n---');
  if (document >= 0) return from + Math.max(0, kind) + document;
  return kind >= 0 ? from + kind : from > earliest ? from : -1;
}

function endOf(text: string, from: number, most: number): Pick<ManifestProgress, 'end' | 'by'> {
  const boundary = BOUNDARY.exec(text.slice(from, most));
  if (!boundary) return { end: Math.min(text.length, Math.max(from, most)), by: 'length' };
  return { end: from + boundary.index, by: boundary[0] === '---' ? 'document' : 'kind' };
}

/** Behind the name of the data; -1: there is none. */
function behindData(text: string, from: number, end: number): number {
  const start = Math.max(0, from);
  const data = DATA.exec(text.slice(start, end));
  return data ? start + data.index + data[0].length : -1;
}

function entriesIn(text: string, from: number, progress: ManifestProgress): Find[] {
  const finds: Find[] = [];
  const { end, by } = progress;
  for (const { 0: entry, 1: name, 2: value, index } of text.slice(from, end).matchAll(ENTRY)) {
    const start = from + index + entry.lastIndexOf(value!);
    // What goes on behind is read again with the next one.
    if (by === 'length' && start + value!.length === end) progress.end = from + index;
    if (NO_DATA.test(name!) || !isSecretData(value!)) continue;
    finds.push({ start, end: start + value!.length, score: 0.7, label: 'secrets:kubernetes-secret' });
  }
  return finds;
}

const NO_DATA = /^(?:name|namespace|type|apiVersion|kind|Opaque)$/;

/** Base64 of text or of random bytes, and no placeholder. */
function isSecretData(value: string): boolean {
  if (value.length % 4 !== 0) return false;
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return (
    !isExample(decoded) && !isDescription(decoded) && !decoded.startsWith('-----BEGIN CERT') && decoded.length >= 5
  );
}

/** Whether the Base64 at `at` is within a Kubernetes Secret, which `kubernetes-secret` reports. */
export function isInKubernetesSecret(text: string, at: number): boolean {
  const { all } = manifestsIn(text);
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.end > at) high = middle;
    else low = middle + 1;
  }
  return low < all.length && all[low]!.start <= at;
}

export const KUBERNETES: PlaceRule = {
  kind: 'place',
  name: 'kubernetes-secret',
  provider: 'Kubernetes',
  what: 'values of a Secret, encoded in Base64',
  group: 'places',
  score: 0.7,
  literals: ['kind: ', '"kind":'],
  look: (text, at) => {
    const found = manifestsIn(text).finds.get(text[at] === '"' ? at + 1 : at);
    return found as Find[] | undefined;
  },
};
