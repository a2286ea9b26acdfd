/**
 * The development set of `pii`: sentences with numbers that were made for it, by the algorithms of the standards. By entity:
 * `finds` have what is between the brackets found at the default threshold, `weak` only at a low one; `none` have nothing found at the
 * default threshold, `never` nothing at all. Half of the set are innocent look-alikes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#weir/shared/paths';

export interface Cases {
  finds: string[];
  weak: string[];
  none: string[];
  never: string[];
}

const FOLDER = join(packageRoot, 'test/detection/pii');

/** By file, and in it by entity. */
export const FILES: Record<string, Record<string, Cases>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))]),
);

export const SET: Record<string, Cases> = Object.assign({}, ...Object.values(FILES));

export const textOf = (marked: string): string => marked.replace(/[⟦⟧]/g, '');

/** What is between the brackets. */
export const spansOf = (marked: string): string[] => [...marked.matchAll(/⟦(.*?)⟧/g)].map(([, span]) => span!);
