/** What is hidden or encoded in a text is a text of its own: all detectors look at the one, and those that ask for it at the other. */
import type { Evidence } from '../types.js';
import { addFailed, type Finds, MAX_EVIDENCE, MAX_MORE, type WantedDetectors } from './scan.js';
import type { LookSteps } from './steps.js';
import { decodedIn, MAX_DEPTH } from './views/decoded.js';
import { hiddenIn } from './views/hidden.js';
import type { Payload } from './views/payload.js';

/** Scans one text as it is. `all`: all finds are asked for. */
export type ScanText = (text: string, wanted: WantedDetectors, all: boolean, steps: LookSteps) => Finds | undefined;

export interface PayloadHolder {
  text: string;
  /** every unit is below 128, so nothing is hidden */
  ascii: boolean;
  wanted: WantedDetectors;
  /** it holds nothing that is encoded */
  plain?: boolean;
  /** finds that end at or before this offset do not count */
  from: number;
  /** all finds are asked for */
  all: boolean;
  /** steps that are left for sweeps over all that it holds */
  steps: LookSteps;
}

const NONE: readonly Payload[] = [];
const NO_PAYLOADS: readonly (readonly [Payload, WantedDetectors])[] = [];

export { MAX_DEPTH };

/** `finds` of the text itself, with those in what it holds, whose evidence is where that stands in the text. */
export function withPayloads(
  finds: Finds | undefined,
  holder: PayloadHolder,
  scan: ScanText,
  depth = 1,
): Finds | undefined {
  let known = finds;
  for (const [payload, wanted] of payloadsIn(holder)) {
    const { text } = payload;
    // Of what has one place, few finds are enough.
    const all = holder.all && payload.inPlace === true;
    let found = scan(text, wanted, all, holder.steps);
    if (depth < MAX_DEPTH) {
      found = withPayloads(found, { text, ascii: false, wanted, from: 0, all, steps: holder.steps }, scan, depth + 1);
    }
    if (found) known = addWithin(known, found, payload, holder);
  }
  return known;
}

/** What a text holds that counts and can be read, with what is wanted of it. */
export function payloadsIn({
  text,
  ascii,
  wanted,
  plain,
  from,
}: PayloadHolder): readonly (readonly [Payload, WantedDetectors])[] {
  const { decoded, turned, words } = wanted;
  const hidden = ascii ? NONE : hiddenIn(text);
  const encoded = decoded && !plain ? decodedIn(text, turned !== undefined, words) : NONE;
  if (hidden.length === 0 && encoded.length === 0) return NO_PAYLOADS;
  return [
    ...hidden.map((payload) => [payload, wanted] as const),
    ...encoded.map((payload) => [payload, (payload.inPlace ? turned : decoded) ?? wanted] as const),
  ].filter(([payload]) => payload.text !== '' && payload.end > from);
}

/** Adds what was found in a payload to the finds of its holder. */
export function addWithin(
  known: Finds | undefined,
  found: Finds,
  payload: Payload,
  { from, all: every }: Pick<PayloadHolder, 'from' | 'all'>,
): Finds {
  const most = every ? MAX_MORE : MAX_EVIDENCE;
  const all = known ?? { evidence: new Map<number, Evidence[]>(), failed: new Set<number>() };
  for (const [detector, evidence] of found.evidence) {
    const kept = all.evidence.get(detector) ?? [];
    for (const one of payload.inPlace || payload.places ? evidence : bestOf(evidence, payload)) {
      const [start, end] = placeOf(payload, one);
      if (end <= from || (payload.places && isKept(kept, one.detector, start - from, end - from))) continue;
      if (kept.length >= most) break;
      kept.push({ ...one, view: payload.view, start: Math.max(start - from, 0), end: end - from });
    }
    if (kept.length > 0) all.evidence.set(detector, kept);
  }
  addFailed(all, payload.view === 'decoded' ? withoutForeign(found) : found);
  if (found.over) all.over = true;
  return all;
}

/** What is encoded in a text is no reason not to judge it: short words and data read as another language. */
function withoutForeign({ failed, passing, foreign }: Finds): Pick<Finds, 'failed' | 'passing'> {
  const others = foreign ? new Set([...failed].filter((detector) => !foreign.has(detector))) : failed;
  return passing ? { failed: others, passing } : { failed: others };
}

/** Where in the holder a find in a payload is. */
function placeOf({ start, end, inPlace, places }: Payload, find: Pick<Evidence, 'start' | 'end'>): [number, number] {
  if (places) return [places[find.start]!, places[find.end]!];
  return inPlace ? [start + find.start, start + find.end] : [start, end];
}

/** So many finds are held against one that was found as it stands, too. */
const MOST_HELD = 64;

const isKept = (kept: readonly Evidence[], label: string, start: number, end: number): boolean =>
  kept.slice(-MOST_HELD).some((one) => one.detector === label && one.start <= start && one.end >= end);

/** The best find of each label. */
function bestOf(evidence: readonly Evidence[], { start, end, view }: Payload): Evidence[] {
  const best = new Map<string, number>();
  for (const { detector: label, score = 1 } of evidence) best.set(label, Math.max(score, best.get(label) ?? 0));
  return [...best].map(([detector, score]) => {
    return { detector, view, source: 'text', start, end, ...(score < 1 ? { score } : {}) };
  });
}
