/**
 * Evidence as it is stored: JSON that answers paste, and beside it what only few of them ask for.
 *
 *     {"<policy id>":[{"detector":"terms","view":"folded","source":"text","path":"/a","start":2,"end":7}]},[0,1,6,4,9],[0,14,19]
 *
 * The list behind the entries has five numbers for each one whose offsets differ from unit to unit: its place among all entries, start and end in
 * code points, start and end in bytes. It is 0 where all are the same. The last list has three numbers for each one that is elsewhere in the
 * text of the content than in what its path leads to: its place, where it begins in that text and where it ends. It is left out where it is
 * empty. The text of content is what detectors look at: all strings of it, joined by newlines.
 *
 * In the record of a check whose content is kept with marks, a further list of the same form says where each entry is in the text that is
 * kept; both 0: that is not told. Rows of history have these places in the list before, since they stand beside that text alone.
 */
import type { CountedRange } from '../../text-counts.js';
import type { OffsetUnit } from '../offset-units.js';
import type { PolicyEvidence } from '../types.js';

/** Most entries of evidence that are kept: of one policy, and of all policies of an item. */
export const MOST_EVIDENCE = 32;
export const MOST_ENTRIES = 256;

/** An entry of evidence with what is stored beside it. */
export interface PlacedEvidence extends PolicyEvidence {
  /** its offsets in other units; absent: they are the same */
  counted?: CountedRange | undefined;
  /** where it is in the text of the content; absent: from `start` to `end` */
  within?: readonly [start: number, end: number] | undefined;
  /** where it is in the text that is kept, which has marks; absent: it is kept as it was sent */
  kept?: readonly [start: number, end: number] | undefined;
}

/** The evidence of one policy that is flagged. */
export interface Explained {
  id: string;
  evidence: readonly PlacedEvidence[];
}

type StoredExplanation = [
  severities: string,
  evidence?: Record<string, PolicyEvidence[]>,
  counted?: 0 | readonly number[],
  within?: readonly number[],
  kept?: readonly number[],
];

/** What is written behind the severities; '' where there is no evidence. At most so many entries as are kept. */
export function writeEvidence(flagged: readonly Explained[]): string {
  let found = '';
  let place = 0;
  let counted = '';
  let within = '';
  let kept = '';
  for (const { id, evidence } of flagged) {
    const count = Math.min(evidence.length, MOST_EVIDENCE, MOST_ENTRIES - place);
    if (count === 0) continue;
    let entries = '';
    for (let i = 0; i < count; i++, place++) {
      const entry = evidence[i]!;
      entries += i === 0 ? entryOf(entry) : `,${entryOf(entry)}`;
      if (entry.counted) counted += `${counted === '' ? '' : ','}${place},${entry.counted.join()}`;
      if (entry.within) within += `${within === '' ? '' : ','}${place},${entry.within.join()}`;
      if (entry.kept) kept += `${kept === '' ? '' : ','}${place},${entry.kept.join()}`;
    }
    found += `${found === '' ? '' : ','}"${id}":[${entries}]`;
  }
  if (found === '') return '';
  const more = kept !== '' ? `,[${within}],[${kept}]` : within === '' ? '' : `,[${within}]`;
  return `,{${found}},${counted === '' ? 0 : `[${counted}]`}${more}`;
}

/** Names of detectors and views are few. */
const names = new Map<string, string>();
const MOST_NAMES = 1000;

function nameJson(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const made = JSON.stringify(name);
  if (names.size >= MOST_NAMES) names.clear();
  names.set(name, made);
  return made;
}

/** JSON of an entry. A score has four digits. */
function entryOf({ detector, view, source, path, index, start, end, score }: PolicyEvidence): string {
  let entry = `{"detector":${nameJson(detector)},"view":${nameJson(view)},"source":"${source}"`;
  if (path !== undefined) entry += `,"path":${JSON.stringify(path)}`;
  if (index !== undefined) entry += `,"index":${index}`;
  entry += `,"start":${start},"end":${end}`;
  return score === undefined ? `${entry}}` : `${entry},"score":${Math.round(score * 1e4) / 1e4}}`;
}

/** What an explanation says. `counted` false: an earlier release wrote it, which counted in UTF-16 units alone. */
export function readExplanation(explained: string): { severities: string; flagged: Explained[]; counted: boolean } {
  const [severities, evidence = {}, counted, within = [], kept = []] = JSON.parse(explained) as StoredExplanation;
  const flagged = Object.entries(evidence).map(([id, entries]) => ({ id, evidence: entries as PlacedEvidence[] }));
  const all = flagged.flatMap((policy) => policy.evidence);
  const numbers = counted || [];
  for (let i = 0; i + 5 <= numbers.length; i += 5) {
    const [place, from, to, fromByte, toByte] = numbers.slice(i, i + 5) as [number, number, number, number, number];
    const entry = all[place];
    if (entry) entry.counted = [from, to, fromByte, toByte];
  }
  for (let i = 0; i + 3 <= within.length; i += 3) {
    const entry = all[within[i]!];
    if (entry) entry.within = [within[i + 1]!, within[i + 2]!];
  }
  for (let i = 0; i + 3 <= kept.length; i += 3) {
    const entry = all[kept[i]!];
    if (entry) entry.kept = [kept[i + 1]!, kept[i + 2]!];
  }
  return { severities, flagged, counted: counted !== undefined };
}

/** An explanation without the names of fields, which are content: of a place in JSON only the detector is left. */
export function withoutPaths(explained: string): string {
  if (!explained.includes('"path":')) return explained;
  const { severities, flagged } = readExplanation(explained);
  const bare = ({ path, index, within, kept, ...rest }: PlacedEvidence): PlacedEvidence =>
    path === undefined
      ? { ...rest, ...(index === undefined ? {} : { index }) }
      : { ...rest, start: 0, end: 0, counted: undefined };
  const all = flagged.map(({ id, evidence }) => ({ id, evidence: evidence.map(bare) }));
  return `["${severities}"${writeEvidence(all)}]`;
}

/** An explanation as it stands beside the text that is kept. */
export function besideKept(explained: string): string {
  const { severities, flagged } = readExplanation(explained);
  const placed = ({ kept, ...rest }: PlacedEvidence): PlacedEvidence => (kept ? { ...rest, within: kept } : rest);
  const all = flagged.map(({ id, evidence }) => ({ id, evidence: evidence.map(placed) }));
  return `["${severities}"${writeEvidence(all)}]`;
}

/** How evidence is shown, where it is not as it is stored. */
export interface EvidenceView {
  unit: OffsetUnit;
  /** the text of the content, of which each entry has what was found; undefined: it is not at hand, or not asked for */
  text?: string | undefined;
  /** it is the text that is kept, not what was sent */
  isKept?: boolean | undefined;
}

/** Code points of one entry's text that are shown, and units of all texts of an item. */
const MOST_MATCHED = 1024;
const MOST_MATCHED_ALL = 64 * 1024;

/** Cuts what was found out of a text, one entry after the other; undefined where it is not told. */
function cutter({ text, isKept }: Omit<EvidenceView, 'unit'>): (entry: PlacedEvidence) => string | undefined {
  let left = MOST_MATCHED_ALL;
  return ({ source, start, end, within = [start, end], kept }) => {
    const [from, to] = (isKept && kept) || within;
    if (text === undefined || source !== 'text' || from >= to || to > text.length) return undefined;
    const matched = wholeStart(text, from, to);
    left -= matched.length;
    return left < 0 ? undefined : matched;
  };
}

/** What each policy has found in a text that is kept, as it is shown; `explained`: of a row. */
export function foundTexts(explained: string, text: string): { policy: string; texts: string[] }[] {
  const matchedIn = cutter({ text, isKept: true });
  return readExplanation(explained).flagged.map(({ id, evidence }) => {
    return { policy: id, texts: evidence.flatMap((entry) => matchedIn(entry) ?? []) };
  });
}

/** JSON of the evidence by policy. */
export function shownEvidence(explained: string, { unit, ...of }: EvidenceView): Map<string, string> {
  const { flagged, counted } = readExplanation(explained);
  const matchedIn = cutter(of);
  const shown = (entry: PlacedEvidence): string => {
    const matched = matchedIn(entry);
    const json = entryOf({ ...entry, ...offsetsIn(entry, unit, counted) });
    return matched === undefined ? json : `${json.slice(0, -1)},"matched":${JSON.stringify(matched)}}`;
  };
  return new Map(flagged.map(({ id, evidence }) => [id, `[${evidence.map(shown).join()}]`]));
}

/** Both 0, which says that a place is not told, where it was not counted in this unit. */
function offsetsIn(
  { start, end, counted }: PlacedEvidence,
  unit: OffsetUnit,
  known: boolean,
): Pick<PolicyEvidence, 'start' | 'end'> {
  if (unit === 'utf16') return { start, end };
  if (!known) return { start: 0, end: 0 };
  if (!counted) return { start, end };
  const [from, to, fromByte, toByte] = counted;
  return unit === 'codepoints' ? { start: from, end: to } : { start: fromByte, end: toByte };
}

const isSplit = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** From `start` to `end` of a text, whole characters, and no more than are shown. */
function wholeStart(text: string, start: number, end: number): string {
  const from = isSplit(text, start) ? start - 1 : start;
  let to = from;
  for (let i = 0; i < MOST_MATCHED && to < end; i++) to += text.codePointAt(to)! > 0xffff ? 2 : 1;
  return text.slice(from, to);
}
