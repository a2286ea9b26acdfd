/** Sentences from phrases, as `README.md` of the folder above describes them. */
import type { TrainingRandom } from '../random.js';

export type Vocabulary = ReadonlyMap<string, readonly string[]>;

const MAX_DEPTH = 6;

/** `lists` has those of all slots: what reads the files holds that. `english`: its article is "an" before a vowel. */
export function expand(phrase: string, lists: Vocabulary, random: TrainingRandom, english = true): string {
  const kept = new Map<string, string>();
  let text = phrase;
  for (let depth = 0; depth < MAX_DEPTH && /[{[]/.test(text); depth++) {
    text = text.replace(/\[([^[\]]*\|[^[\]]*)\]/g, (_, options: string) => random.pick(options.split('|')));
    text = text.replace(/\{([\w]+)(:\w+)?\}/g, (_, name: string, key?: string) => {
      const list = lists.get(name)!;
      if (key === undefined) return random.pick(list);
      const known = kept.get(name + key) ?? random.pick(list);
      kept.set(name + key, known);
      return known;
    });
  }
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,.!?])/g, '$1')
    .trim();
  return english ? plain.replaceAll(/\b(a) (?=[aei]|o(?!ne)|u(?!s|ni))/gi, '$1n ') : plain;
}

/** Writes a sentence as people do: begins with a capital or not, ends with a full stop or not. */
export function dress(sentence: string, random: TrainingRandom): string {
  let text = sentence;
  if (random.chance(0.7)) text = text[0]!.toUpperCase() + text.slice(1);
  if (random.chance(0.06)) text = text.toUpperCase();
  if (/[\w]$/.test(text)) text += random.pick(['', '', '.', '.', '.', '!', '!!']);
  return text;
}

/** Errors as people make them, or to hide a word: letters left out, swapped, apart, or as digits; words run together. */
export function misspell(sentence: string, random: TrainingRandom): string {
  const words = sentence.split(' ');
  const long = words.map((word, i) => [word, i] as const).filter(([word]) => /^[A-Za-z]{4,}[.!?]?$/.test(word));
  if (long.length === 0) return sentence;
  const [word, at] = random.pick(long);
  const kind = random.below(6);
  const i = 1 + random.below(word.length - 2);
  if (kind === 0) words[at] = word.slice(0, i) + word.slice(i + 1);
  else if (kind === 1) words[at] = word.slice(0, i) + word[i + 1]! + word[i]! + word.slice(i + 2);
  else if (kind === 2) words[at] = word.split('').join(random.pick([' ', ' ', '.', '-']));
  else if (kind === 3 && at + 1 < words.length) words.splice(at, 2, word + words[at + 1]!.toLowerCase());
  else if (kind === 4)
    words[at] = word.replace(
      /[aeiost]/gi,
      (c) => ({ a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' })[c.toLowerCase()]!,
    );
  else words[at] = word.slice(0, i) + word[i]! + word.slice(i);
  return words.join(' ');
}
