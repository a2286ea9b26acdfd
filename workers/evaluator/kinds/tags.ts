/** The tags of an item: values in its metadata whose paths its team names (`tags` of a team). They stay as long as its verdict. */
import { LIMITS } from '../../../shared/api/limits.js';
import { charactersExceed } from '../../../shared/api/validate/measure.js';
import { memberAt, sourceAt } from '../../../shared/json.js';
import type { Plan, TagPath } from '../../../shared/policy/plan.js';
import type { Tag } from '../../rows/row-types.js';
import type { Entry } from '../draft.js';

export const NO_TAGS: readonly Tag[] = [];
const NO_PATHS: readonly TagPath[] = [];

/** Metadata of any shape. `at`: where they stand in `json`. */
export interface TaggedMetadata {
  value: unknown;
  json: string;
  at(): number;
}

/** What the team of an entry names. Without a plan nothing is known of the team. */
export const tagPathsOf = (plan: Plan | null, { header }: Pick<Entry, 'header'>): readonly TagPath[] =>
  plan?.teams.get(header.team)?.tags ?? NO_PATHS;

/** Of each path the value in the first of `holders` that has one. */
export function tagsIn(paths: readonly TagPath[], holders: readonly TaggedMetadata[]): readonly Tag[] {
  if (paths.length === 0) return NO_TAGS;
  const tags: Tag[] = [];
  for (const { path, names } of paths) {
    const value = holders.map((holder) => textAt(holder, names)).find((text) => text !== '');
    if (value !== undefined) tags.push([path, value]);
  }
  return tags;
}

/** A string, or a number, true or false as it was written. Empty where there is none, and where it is longer than a name may be. */
function textAt({ value, json, at }: TaggedMetadata, names: readonly string[]): string {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return '';
    found = (found as Record<string, unknown>)[name];
  }
  const text =
    typeof found === 'string'
      ? found
      : typeof found === 'number' || typeof found === 'boolean'
        ? // A large number would lose digits and be another one.
          sourceAt(
            json,
            names.reduce((place, name) => memberAt(json, place, name), at()),
          )
        : '';
  return charactersExceed(text, LIMITS.nameCharacters) ? '' : text;
}
