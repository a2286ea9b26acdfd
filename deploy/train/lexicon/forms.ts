/** Forms of a word: plurals, forms of verbs, and typing errors. */

const VOWELS = 'aeiou';

export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  if (/(s|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  if (/[^o]man$/.test(noun) || noun === 'man') return `${noun.slice(0, -3)}men`;
  return `${noun}s`;
}

export function formsOf(verb: string): string[] {
  const third = /[^aeiou]y$/.test(verb) || /(s|x|z|ch|sh)$/.test(verb) ? pluralOf(verb) : `${verb}s`;
  if (verb.endsWith('e')) return [third, `${verb}d`, `${verb.slice(0, -1)}ing`];
  if (/[^aeiou]y$/.test(verb)) return [third, `${verb.slice(0, -1)}ied`, `${verb}ing`];
  const doubles = verb.length <= 4 && /[aeiou][^aeiouwxy]$/.test(verb) && !VOWELS.includes(verb.at(-3) ?? 'a');
  const stem = doubles ? verb + verb.at(-1) : verb;
  return [third, `${stem}ed`, `${stem}ing`];
}

/** One letter left out, two neighbours swapped, or one doubled. The first letter stays, since people misspell it least. */
export function typosOf(word: string): string[] {
  const typos = new Set<string>();
  for (let i = 1; i < word.length; i++) {
    typos.add(word.slice(0, i) + word.slice(i + 1));
    if (i + 1 < word.length) typos.add(word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2));
    typos.add(word.slice(0, i) + word[i] + word.slice(i));
  }
  typos.delete(word);
  return [...typos];
}
