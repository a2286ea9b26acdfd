/**
 * Packs: policies that ship with Weir. A configuration names a pack, and its policies are written out when the configuration is
 * read. What is stored has the policies and not the names, so an update of Weir changes nothing before the file is applied again.
 */
import { DETECTORS, type DetectorName, isDetectorName } from '../policy/detectors/registry.js';
import { uuidOf } from './read/derived-ids.js';
import { readSource } from './read/source.js';

/** The packs there are. */
export interface PackSource {
  /** in the order of messages */
  names(): readonly string[];
  /** The text of a pack, by one of the names. */
  read(name: string): string;
}

export interface Pack {
  name: string;
  /** rises when what the policies flag may change */
  version: number;
  title: string;
  policies: readonly PackPolicy[];
}

export interface PackPolicy {
  /** its name within the pack; never changes, since the id of the policy follows from it */
  key: string;
  /** as a policy of a configuration is written, without id and team */
  fields: Readonly<Record<string, unknown>>;
}

const KEY = /^[a-z][a-z0-9-]{0,63}$/;

/** Reads a pack. Throws an error that says what is wrong: packs come with Weir, so it is a mistake of Weir. */
export function readPack(source: PackSource, name: string): Pack {
  const { value, errors } = readSource(source.read(name));
  const wrong = (what: string): Error => new Error(`the pack "${name}" is broken: ${what}`);
  if (errors.length > 0) throw wrong(errors[0]!.message);
  const { version, title, policies } = value as { version: unknown; title: unknown; policies: unknown };
  if (!Number.isSafeInteger(version) || typeof title !== 'string') throw wrong('it needs a version and a title');
  if (!Array.isArray(policies) || policies.length === 0) throw wrong('it has no policies');
  const read = policies.map((each: Record<string, unknown>): PackPolicy => {
    const { key, ...fields } = each;
    if (typeof key !== 'string' || !KEY.test(key)) throw wrong('each policy needs a key');
    return { key, fields };
  });
  if (new Set(read.map(({ key }) => key)).size < read.length) throw wrong('a key is used twice');
  return { name, version: version as number, title, policies: read };
}

/** The id that a policy of a pack has in a team: always the same, and another one in each team. */
export const packPolicyId = (team: string, pack: string, key: string): string => uuidOf([team, pack, key]);

const hasThreshold = (name: DetectorName): boolean => 'threshold' in DETECTORS[name].parameters;

/** `detect` with this threshold in each detector that takes one; undefined: none does. */
export function withThreshold(detect: unknown, threshold: number): unknown {
  let changed = false;
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([word, inner]: [string, unknown]) => {
        // The detector that escalates has a band in place of a threshold.
        if (word === 'escalate') return [word, { ...(inner as object), to: change((inner as { to: unknown }).to) }];
        if (!isDetectorName(word)) return [word, change(inner)];
        if (word === 'image_text')
          return [word, { ...(inner as object), detect: change((inner as { detect: unknown }).detect) }];
        if (!hasThreshold(word)) return [word, inner];
        changed = true;
        return [word, { ...(inner as object), threshold }];
      }),
    );
  };
  const made = change(detect);
  return changed ? made : undefined;
}
