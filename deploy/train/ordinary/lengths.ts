/** Classes of length of ordinary texts, and excerpts of a class. */
import type { TrainingRandom } from '../random.js';

/** UTF-16 units that a text of a class has, from more than the class before. */
export const LENGTHS = [80, 320, 1280, 4000] as const;
export type LengthClass = (typeof LENGTHS)[number];

export const lengthClassOf = (text: string): LengthClass =>
  LENGTHS.find((most) => text.length <= most) ?? LENGTHS.at(-1)!;

/** An excerpt of that class that begins at a line or a word; undefined where the text is too short for one. */
export function excerptOf(text: string, most: LengthClass, random: TrainingRandom): string | undefined {
  const least = (LENGTHS[LENGTHS.indexOf(most) - 1] ?? 8) + 1;
  const size = least + random.below(most - least);
  if (text.length < least) return undefined;
  const at = random.below(Math.max(1, text.length - size));
  const line = text.lastIndexOf('\n', at) + 1;
  const from = at - line < most / 2 ? line : text.indexOf(' ', at) + 1;
  const cut = text.slice(from, from + size);
  const end = Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf(' '));
  const excerpt = (end > least && from + size < text.length ? cut.slice(0, end) : cut).trim();
  return excerpt.length >= least && excerpt.length <= most ? excerpt : undefined;
}
