/** What is hidden or encoded in a text is a text of its own: all detectors look at the one, and those that ask for it at the other. */
import type { Evidence } from '../types.js';
import { type Finds, MAX_EVIDENCE, type Wanted } from './scan.js';
import { decodedIn, MAX_DEPTH } from './views/decoded.js';
import { hiddenIn } from './views/hidden.js';
import type { Payload } from './views/payload.js';

/** Scans one text as it is. */
export type ScanText = (text: string, wanted: Wanted) => Finds | undefined;

export interface Holder {
  text: string;
  /** every unit is below 128, so nothing is hidden */
  ascii: boolean;
  wanted: Wanted;
  /** finds that end at or before this offset do not count */
  from: number;
}

const NONE: readonly Payload[] = [];

/** `finds` of the text itself, with those in what it holds, whose evidence is where that stands in the text. */
export function withPayloads(finds: Finds | undefined, holder: Holder, scan: ScanText, depth = 1): Finds | undefined {
  const { text, ascii, wanted, from } = holder;
  const { decoded } = wanted;
  const hidden = ascii ? NONE : hiddenIn(text);
  const encoded = decoded ? decodedIn(text) : NONE;
  if (hidden.length === 0 && encoded.length === 0) return finds;
  const inner = [
    ...hidden.map((payload) => [payload, wanted] as const),
    ...encoded.map((payload) => [payload, decoded ?? wanted] as const),
  ];
  let all = finds;
  for (const [payload, of] of inner) {
    if (payload.text === '' || payload.end <= from) continue;
    let found = scan(payload.text, of);
    if (depth < MAX_DEPTH) {
      found = withPayloads(found, { text: payload.text, ascii: false, wanted: of, from: 0 }, scan, depth + 1);
    }
    if (found) all = add(all, found, payload, from);
  }
  return all;
}

function add(known: Finds | undefined, found: Finds, { view, start, end }: Payload, from: number): Finds {
  const all = known ?? { evidence: new Map<number, Evidence[]>(), failed: new Set<number>() };
  for (const [detector, evidence] of found.evidence) {
    const kept = all.evidence.get(detector) ?? [];
    const best = new Map<string, number>();
    for (const { detector: label, score = 1 } of evidence) best.set(label, Math.max(score, best.get(label) ?? 0));
    const at = { start: Math.max(start - from, 0), end: end - from };
    for (const [label, score] of best) {
      if (kept.length >= MAX_EVIDENCE) break;
      kept.push({ detector: label, view, source: 'text', ...at, ...(score < 1 ? { score } : {}) });
    }
    all.evidence.set(detector, kept);
  }
  for (const detector of found.failed) all.failed.add(detector);
  return all;
}
