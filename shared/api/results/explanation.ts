/**
 * What `explain=true` adds to a policies map, as it is stored beside the map, and what the query makes of a map.
 *
 * An explanation is JSON, made when the item is checked: severities as letters in the order of the map, and of flagged policies the
 * evidence by id (`stored-evidence.ts`). It is short, since every item has one:
 *
 *     ["hml",{"<policy id>":[{"detector":"pii:CREDIT_CARD","view":"raw","source":"text","start":18,"end":37}]},0]
 *
 * An item that nothing was evaluated for has ''.
 */
import { eachMember, nameOf, skipValue } from '../../json.js';
import type { OffsetUnit } from '../offset-units.js';
import type { Severity } from '../types.js';
import type { RecordItem, ResultRecord } from './record.js';
import { type EvidenceView, type Explained, shownEvidence, writeEvidence } from './stored-evidence.js';

/**
 * `severities`: a letter for each policy of the map, in its order. Written piece by piece: measured, that takes a fourth of the time that
 * `JSON.stringify` takes for it.
 */
export function writeExplanation(severities: string, flagged: readonly Explained[] = []): string {
  if (severities === '') return '';
  const evidence = flagged.length === 0 ? '' : writeEvidence(flagged);
  return evidence === '' ? severitiesAlone(severities) : `["${severities}"${evidence}]`;
}

/** Nearly every item has one of few: the same text is found again at once, where an equal one is read letter by letter. */
const alone = new Map<string, string>();
const MOST_ALONE = 500;

function severitiesAlone(severities: string): string {
  const known = alone.get(severities);
  if (known !== undefined) return known;
  const made = `["${severities}"]`;
  if (alone.size >= MOST_ALONE) alone.clear();
  alone.set(severities, made);
  return made;
}

/** What a caller wants to see of policies, by the query of its request. */
export interface PolicyView {
  /** severity of each policy, and evidence of flagged ones */
  explain: boolean;
  /** flagged policies only */
  flaggedOnly: boolean;
  /** the content with marks in place of what was found; of checks alone */
  redact?: boolean;
  /** its marks have numbers, and what they replace is sealed */
  reversible?: boolean;
  /** what offsets of evidence count; absent: UTF-16 units */
  offsets?: OffsetUnit;
  /** evidence has the text that was found */
  matched?: boolean;
}

/** The text of an item's content as it is kept, which may have marks. */
export interface KeptText {
  kept: string;
}

/** The text of an item's content, which evidence leads into (`stored-evidence.ts`); undefined: it is not at hand. */
export type TextOf<T> = (item: T) => string | undefined;

/** Answers as they are without any of it. */
export const PLAIN_VIEW: PolicyView = Object.freeze({ explain: false, flaggedOnly: false });

/** Whether it wants policies maps as they are stored. */
export const isPlainView = ({ explain, flaggedOnly }: PolicyView): boolean => !explain && !flaggedOnly;

const SEVERITIES: Readonly<Record<string, Severity>> = { l: 'low', m: 'medium', h: 'high' };

/** A member of a policies map. */
interface PolicyMember {
  id: string;
  flagged: boolean;
  /** JSON of it, without the brace behind */
  open: string;
}

/** A map that was read. */
interface ReadMap {
  members: readonly PolicyMember[];
  /** as views want it that need no evidence, by what they need */
  viewed: Map<string, string>;
}

/** Maps recur from request to request: reading one took most of the time that explaining an event does. */
const MOST_MAPS = 500;
/** A longer map is read each time. */
const LONGEST_MAP = 8192;
const maps = new Map<string, ReadMap>();

function readMap(policies: string): ReadMap {
  const known = maps.get(policies);
  if (known) return known;
  const all = Object.entries(JSON.parse(policies) as Record<string, { flagged: boolean }>);
  const made = all.map(([id, result]): PolicyMember => {
    return { id, flagged: result.flagged, open: `${JSON.stringify(id)}:${JSON.stringify(result).slice(0, -1)}` };
  });
  const read = { members: made, viewed: new Map<string, string>() };
  if (maps.size >= MOST_MAPS) maps.clear();
  if (policies.length <= LONGEST_MAP) maps.set(policies, read);
  return read;
}

/** JSON of the evidence by policy, as it is written there: parsing it took longer than all else. */
function evidenceIn(explained: string): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  const at = explained.indexOf('{');
  if (at < 0) return all;
  eachMember(explained, at, (start, name) => {
    const end = skipValue(explained, start);
    all.set(nameOf(explained, name), explained.slice(start, end));
    return end;
  });
  return all;
}

/** Ways that a map is viewed in; the configurations of then had other severities. */
const MOST_VIEWED = 8;

/** Whether evidence is shown as it is stored. */
const isAsStored = ({ offsets = 'utf16' }: PolicyView, text: string | KeptText | undefined): boolean =>
  offsets === 'utf16' && text === undefined;

const textIn = (text: string | KeptText | undefined): Pick<EvidenceView, 'text' | 'isKept'> =>
  typeof text === 'object' ? { text: text.kept, isKept: true } : { text };

/** JSON of the policies map `policies` as `view` wants it; `explained`: its explanation; `text`: of the content, where it is shown. */
function viewedMap(policies: string, explained: string, view: PolicyView, text?: string | KeptText): string {
  const { explain, flaggedOnly } = view;
  const severities = explain ? explained.slice(2, explained.indexOf('"', 2)) : '';
  const { members, viewed } = readMap(policies);
  const way = flaggedOnly ? `flagged ${severities}` : severities;
  const known = viewed.get(way);
  if (known !== undefined) return known;
  let evidence: ReadonlyMap<string, string> | undefined;
  let map = '';
  for (const [place, { id, flagged, open }] of members.entries()) {
    if (flaggedOnly && !flagged) continue;
    map += `${map === '' ? '{' : ','}${open}`;
    const severity = SEVERITIES[severities[place] ?? ''];
    if (severity) map += `,"severity":"${severity}"`;
    if (severity && flagged) {
      evidence ??= isAsStored(view, text)
        ? evidenceIn(explained)
        : shownEvidence(explained, { unit: view.offsets ?? 'utf16', ...textIn(text) });
      map += `,"evidence":${evidence.get(id) ?? '[]'}`;
    }
    map += '}';
  }
  const made = map === '' ? '{}' : `${map}}`;
  if (!evidence && viewed.size < MOST_VIEWED) viewed.set(way, made);
  return made;
}

/** A stored item or artifact as `view` wants it: the same one where that is all. `text`: of its content, where it is shown. */
export function viewedItem<T extends { policies: string; explained: string }>(
  item: T,
  view: PolicyView,
  text?: string | KeptText,
): T {
  return isPlainView(view) ? item : { ...item, policies: viewedMap(item.policies, item.explained, view, text) };
}

/** A record as `view` wants it. Each map is made once, however many items have it, but for those with a text of their own. */
export function viewedRecord(record: ResultRecord, view: PolicyView, textOf?: TextOf<RecordItem>): ResultRecord {
  if (isPlainView(view)) return record;
  const inPlace = view.explain ? undefined : viewedInPlace(record, view);
  if (inPlace) return inPlace;
  const fragments = [...record.fragments];
  const made = new Map<number, number>();
  const add = ({ policies, explained }: RecordItem, text?: string): number => {
    const { [policies]: map = '{}', [explained]: explanation = '' } = record.fragments;
    return fragments.push(viewedMap(map, explanation, view, text)) - 1;
  };
  const items = record.items.map((item): RecordItem => {
    const text = textOf?.(item);
    if (text !== undefined) return { ...item, policies: add(item, text) };
    // A number for each pair; nothing that explains is -1.
    const key = item.policies * (record.fragments.length + 1) + item.explained;
    let policies = made.get(key);
    if (policies === undefined) {
      policies = add(item);
      made.set(key, policies);
    }
    return { ...item, policies };
  });
  return { ...record, items, fragments };
}

/**
 * The same without explanations: what is viewed of a map follows from the map alone and takes its place, so items stay as they are.
 * Undefined where something else of the record has the place of a map, such as metadata of the same text.
 */
function viewedInPlace(record: ResultRecord, view: PolicyView): ResultRecord | undefined {
  const fragments = [...record.fragments];
  const places = new Set<number>();
  for (const { policies } of record.items) {
    if (places.has(policies)) continue;
    const map = record.fragments[policies];
    if (map === undefined) return undefined;
    fragments[policies] = viewedMap(map, '', view);
    places.add(policies);
  }
  for (const { metadata, explained, marks } of record.items) {
    if (places.has(metadata) || places.has(explained) || (typeof marks === 'number' && places.has(marks)))
      return undefined;
  }
  return { ...record, fragments };
}
