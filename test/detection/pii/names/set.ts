/** The development set of names: sentences that the tagger did not learn from. `development.txt` says how they are marked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#weir/shared/paths';

export interface NamedSentence {
  text: string;
  /** UTF-16 units */
  names: { entity: string; start: number; end: number }[];
}

const ENTITIES: Record<string, string> = { P: 'PERSON', L: 'LOCATION', O: 'ORGANIZATION', A: 'POSTAL_ADDRESS' };

function sentenceOf(line: string): NamedSentence {
  const sentence: NamedSentence = { text: '', names: [] };
  let behind = 0;
  for (const match of line.matchAll(/⟦([PLOA])\|([^⟧]*)⟧/g)) {
    sentence.text += line.slice(behind, match.index);
    const start = sentence.text.length;
    sentence.text += match[2]!;
    sentence.names.push({ entity: ENTITIES[match[1]!]!, start, end: sentence.text.length });
    behind = match.index + match[0].length;
  }
  sentence.text += line.slice(behind);
  return sentence;
}

export const NAMED: readonly NamedSentence[] = readFileSync(
  join(packageRoot, 'test/detection/pii/names/development.txt'),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => sentenceOf(line.replaceAll('\\n', '\n')));

export interface NameFigures {
  entity: string;
  /** names of the set, and those of them that are found from the first letter to the last */
  names: number;
  exact: number;
  /** finds, and those of them that are exact */
  finds: number;
}

/** By entity, at the default threshold; `find` tells what is found in a text as `pii:ENTITY` with its place. */
export function nameFigures(
  find: (text: string) => readonly { detector: string; start: number; end: number }[],
): NameFigures[] {
  const rows = new Map(
    Object.values(ENTITIES).map((entity): [string, NameFigures] => [entity, { entity, names: 0, exact: 0, finds: 0 }]),
  );
  for (const { text, names } of NAMED) {
    const found = find(text);
    for (const { detector } of found) rows.get(detector.slice('pii:'.length))!.finds++;
    for (const { entity, start, end } of names) {
      const row = rows.get(entity)!;
      row.names++;
      if (found.some((one) => one.detector === `pii:${entity}` && one.start === start && one.end === end)) row.exact++;
    }
  }
  return [...rows.values()];
}
