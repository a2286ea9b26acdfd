/** What changes from one configuration to another, in words: a line for each thing that is added, removed or changed. */
import type { Configuration } from './types.js';

type Thing = Readonly<Record<string, unknown>>;

/** Longest value that is printed, in characters. */
const MOST_CHARACTERS = 160;
/** Entries of a list that are named. */
const MOST_NAMED = 8;

/** Sections whose entries have an id. The others are compared as one thing. */
const LISTS = [
  'teams',
  'keys',
  'backends',
  'policies',
  'metrics',
  'deployments',
  'environments',
  'notify',
  'logins',
] as const;
const SINGLE = ['risk', 'retention'] as const;

export interface ConfigurationChange {
  what: 'added' | 'changed' | 'removed';
  /** name and id of an entry; empty for a section without entries */
  title: string;
  /** of what changed: path, and the value before and after */
  fields: string[];
}

/** What changes, by section; sections without a change are left out. An entry is the same one if it has the same id. */
export type ConfigurationDiff = ReadonlyMap<string, readonly ConfigurationChange[]>;

/** Empty: the configurations mean the same. Of the fields in `hidden`, by their paths, it is told that they changed, and no value. */
export function configurationDiff(
  before: Configuration,
  after: Configuration,
  hidden: ReadonlySet<string> = new Set(),
): ConfigurationDiff {
  const diff = new Map<string, readonly ConfigurationChange[]>();
  for (const name of LISTS) diff.set(name, entries(written(before, name), written(after, name), hidden));
  for (const name of SINGLE) {
    const changed = fields(before[name], after[name], hidden);
    diff.set(name, changed.length > 0 ? [{ what: 'changed', title: '', fields: changed }] : []);
  }
  for (const [name, changes] of diff) if (changes.length === 0) diff.delete(name);
  return diff;
}

/** With the mode of live policies, which is not stored. A login is known by its group. */
function written(configuration: Configuration, name: (typeof LISTS)[number]): readonly object[] {
  if (name === 'policies') return configuration[name].map((policy) => ({ mode: 'live', ...policy }));
  if (name === 'logins') return (configuration[name] ?? []).map(({ group, ...login }) => ({ id: group, ...login }));
  return configuration[name] ?? [];
}

/** The diff as lines: each section, its entries, and their fields below them. */
export function diffLines(diff: ConfigurationDiff): string[] {
  return [...diff].flatMap(([section, changes]) => [
    section,
    ...changes.flatMap(changeLines).map((line) => `  ${line}`),
  ]);
}

function changeLines({ what, title, fields }: ConfigurationChange): string[] {
  return title === '' ? fields : [`${what} ${title}`, ...fields.map((line) => `  ${line}`)];
}

/** Such as `policies: 1 added, 2 changed; risk changed`. */
export function diffSummary(diff: ConfigurationDiff): string {
  const parts = [...diff].map(([section, changes]) => {
    if (changes[0]?.title === '') return `${section} changed`;
    const counts = (['added', 'changed', 'removed'] as const)
      .map((what) => [what, changes.filter((change) => change.what === what).length] as const)
      .filter(([, count]) => count > 0);
    return `${section}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`;
  });
  return parts.join('; ');
}

function entries(
  before: readonly object[],
  after: readonly object[],
  hidden: ReadonlySet<string> = new Set(),
): ConfigurationChange[] {
  const [old, now] = [byId(before), byId(after)];
  const changes: ConfigurationChange[] = [];
  for (const [id, thing] of now) {
    const earlier = old.get(id);
    const changed = earlier === undefined ? [] : fields(earlier, thing, hidden);
    if (earlier === undefined) changes.push({ what: 'added', title: titleOf(thing), fields: [] });
    else if (changed.length > 0) changes.push({ what: 'changed', title: titleOf(thing), fields: changed });
  }
  for (const [id, thing] of old) if (!now.has(id)) changes.push({ what: 'removed', title: titleOf(thing), fields: [] });
  return changes;
}

const byId = (things: readonly object[]): Map<string, Thing> =>
  new Map(things.map((thing) => [String((thing as Thing).id), thing as Thing]));

const titleOf = ({ id, name }: Thing): string =>
  typeof name === 'string' && name !== id ? `${JSON.stringify(name)} (${id})` : `${id}`;

/** The fields that differ, by their paths. */
function fields(before: object, after: object, hidden: ReadonlySet<string>): string[] {
  const lines: string[] = [];
  compare(before, after, '', { lines, hidden });
  return lines;
}

interface FoundFields {
  lines: string[];
  hidden: ReadonlySet<string>;
}

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const haveIds = (values: readonly unknown[]): values is Thing[] =>
  values.length > 0 && values.every((value) => isThing(value) && typeof value.id === 'string');
const areScalars = (values: readonly unknown[]): boolean =>
  values.every((value) => typeof value !== 'object' || value === null);

function compare(before: unknown, after: unknown, path: string, found: FoundFields): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const { lines, hidden } = found;
  if (hidden.has(path)) {
    lines.push(`${path}: another value`);
    return;
  }
  if (isThing(before) && isThing(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(before[key], after[key], path === '' ? shownKey(key) : `${path}.${shownKey(key)}`, found);
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, found);
  else lines.push(`${path}: ${shown(before)} → ${shown(after)}`);
}

/** In quotes where it could be taken for more than a key. */
const shownKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

function compareLists(before: readonly unknown[], after: readonly unknown[], path: string, found: FoundFields): void {
  const { lines } = found;
  if (haveIds([...before, ...after])) {
    lines.push(
      ...entries(before as Thing[], after as Thing[])
        .flatMap(changeLines)
        .map((line) => `${path}: ${line}`),
    );
    return;
  }
  if (areScalars([...before, ...after])) {
    // Lists of words have a hundred thousand.
    const [old, now] = [new Set(before), new Set(after)];
    const added = after.filter((value) => !old.has(value));
    const removed = before.filter((value) => !now.has(value));
    const parts = [named('added', added), named('removed', removed)].filter((part) => part !== '');
    lines.push(`${path}: ${parts.length > 0 ? parts.join('; ') : 'another order'}`);
    return;
  }
  if (before.length !== after.length) {
    lines.push(`${path}: ${shown(before)} → ${shown(after)}`);
    return;
  }
  for (const [i, value] of before.entries()) compare(value, after[i], `${path}[${i}]`, found);
}

function named(what: string, values: readonly unknown[]): string {
  if (values.length === 0) return '';
  const more = values.length > MOST_NAMED ? ` and ${values.length - MOST_NAMED} more` : '';
  return `${what} ${values.slice(0, MOST_NAMED).map(shown).join(', ')}${more}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
