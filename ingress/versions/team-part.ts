/** What of a version of the configuration a team is shown: its own part, bounded. Pure, and slow for large versions: it runs on a thread. */
import type {
  ChangedEntry,
  ConfiguredPolicies,
  ConfiguredPolicy,
  VersionChanges,
} from '../../shared/api/configuration.js';
import { LIMITS } from '../../shared/api/limits.js';
import { configurationDiff, diffSummary } from '../../shared/configuration/diff.js';
import { NO_LISTS, ownPart } from '../../shared/configuration/own-part.js';
import type { Configuration, PolicyConfiguration } from '../../shared/configuration/types.js';

/** Of these it is told that they changed, and no value: secrets, and where they are, and addresses. By their paths within an entry. */
const HIDDEN: ReadonlySet<string> = new Set([
  'sha256',
  'without_key_from',
  'url',
  'api_key_env',
  'api_key_file',
  'secret_env',
]);
/** Most characters of a line about a field. */
const MOST_LINE = 600;

/** `before`: JSON; undefined: nothing */
export interface ComparedVersions {
  team: string;
  before: string | undefined;
  after: string;
}

export type TeamChanges = Pick<VersionChanges, 'summary' | 'changes' | 'left_out'> & {
  /** entries that changed */
  count: number;
};

export function teamChanges({ team, before, after }: ComparedVersions): TeamChanges {
  const now = ownPart(JSON.parse(after) as Configuration, team);
  // Compared with nothing, what holds for all teams is no change.
  const old = before === undefined ? { ...NO_LISTS, risk: now.risk, retention: now.retention } : partOf(before, team);
  const diff = configurationDiff(old, now, HIDDEN);
  const changes: ChangedEntry[] = [];
  let [lines, left, count] = [0, 0, 0];
  for (const [section, entries] of diff) {
    count += entries.length;
    for (const { what, title, fields } of entries) {
      const room = LIMITS.configurationChangeLines - lines;
      if (room <= 0) {
        left += 1 + fields.length;
        continue;
      }
      const shown = fields.slice(0, room - 1).map((line) => clipped(line, MOST_LINE));
      changes.push({ section, what, title: clipped(title, MOST_LINE), fields: shown });
      lines += 1 + shown.length;
      left += fields.length - shown.length;
    }
  }
  return { count, summary: diffSummary(diff), changes, left_out: left };
}

const partOf = (text: string, team: string): Configuration => ownPart(JSON.parse(text) as Configuration, team);
const clipped = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

export interface AskedPolicies {
  team: string;
  /** JSON */
  text: string;
  /** '': from the first */
  after: string;
  limit: number;
}

/** undefined: there is no policy `after` */
export function teamPolicies({
  team,
  text,
  after,
  limit,
}: AskedPolicies): Omit<ConfiguredPolicies, 'version'> | undefined {
  const { policies } = partOf(text, team);
  const start = after === '' ? 0 : policies.findIndex(({ id }) => id === after) + 1;
  if (after !== '' && start === 0) return undefined;
  const page = policies.slice(start, start + limit);
  return {
    policies: page.map(shownPolicy),
    ...(start + limit < policies.length ? { next: page.at(-1)!.id } : {}),
  };
}

function shownPolicy(policy: PolicyConfiguration): ConfiguredPolicy {
  const { id, name, severity, action, direction, sources, events, mode = 'live', unknown_language: language } = policy;
  const room: ShownRoom = { characters: LIMITS.shownDetectCharacters, cut: false };
  const detect = withinRoom(policy.detect, room);
  return {
    policy_id: id,
    policy_name: name,
    severity,
    action,
    direction,
    sources,
    events,
    mode,
    ...(language === undefined ? {} : { unknown_language: language }),
    detect,
    cut: room.cut,
  };
}

interface ShownRoom {
  /** that are left */
  characters: number;
  cut: boolean;
}

/** Most characters of one text in `detect`. */
const MOST_TEXT = 1000;

/** `value` with as much of its lists and texts as there is room for. What is left out of a list is counted at its end. */
function withinRoom(value: unknown, room: ShownRoom): unknown {
  if (typeof value === 'string') {
    const text = clipped(value, Math.min(MOST_TEXT, Math.max(0, room.characters)));
    room.characters -= text.length + 2;
    if (text !== value) room.cut = true;
    return text;
  }
  if (typeof value !== 'object' || value === null) {
    room.characters -= String(value).length;
    return value;
  }
  if (Array.isArray(value)) return listWithinRoom(value, room);
  const shown: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (room.characters <= 0) {
      room.cut = true;
      break;
    }
    room.characters -= name.length + 4;
    shown.push([name, withinRoom(inner, room)]);
  }
  return Object.fromEntries(shown);
}

function listWithinRoom(value: readonly unknown[], room: ShownRoom): unknown[] {
  const shown: unknown[] = [];
  for (const inner of value) {
    if (room.characters <= 0) break;
    room.characters -= 1;
    shown.push(withinRoom(inner, room));
  }
  if (shown.length === value.length) return shown;
  room.cut = true;
  return [...shown, `… and ${value.length - shown.length} more`];
}
