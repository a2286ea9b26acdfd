/** How people spell words of the bundles otherwise, with letters alone: rules that are applied to a root, at most two at a time. */

/** Further spellings of one root. */
const MAX_SPELLINGS = 48;

type Rule = readonly [pattern: RegExp, by: string];

/** For every root. */
const COMMON: readonly Rule[] = [
  [/^f/, 'ph'],
  [/ck/, 'k'],
  [/^c(?=[aoulr])/, 'k'],
  [/s$/, 'z'],
];

/** For roots that are plain however they are written. */
const BOLD: readonly Rule[] = [
  ...COMMON,
  [/ck/, 'c'],
  [/ck/, 'q'],
  [/ck/, 'cc'],
  [/cks?$/, 'x'],
  [/k$/, 'c'],
  [/ss/, 'zz'],
  [/u/, 'v'],
  [/i/, 'y'],
  [/y$/, 'i'],
  [/y$/, 'ie'],
  [/er$/, 'a'],
  [/er$/, 'ah'],
  [/er$/, 'uh'],
  [/er$/, 'or'],
  [/er$/, 'ar'],
  [/tch/, 'ch'],
];

/** A doubled consonant, one of which is dropped. Short words become others. */
const DOUBLED: Rule = [/([bcdfglmnprstz])\1/, '$1'];
const LONG = 6;
/** The first vowel that is left out or crossed out, in words that stay plain all the same. */
const FIRST_VOWEL = /(?<=^[^aeiou]{1,2})[aeiou](?=[^aeiou])/;

/** Spellings of `root` beside its own. `bold`: it may be changed further, and be without its vowel. */
export function spellingsOf(root: string, bold: boolean): string[] {
  if (root.includes(' ') || root.length < 4) return [];
  const rules = bold ? BOLD : COMMON;
  const known = root.length >= LONG ? [...rules, DOUBLED] : rules;
  const once = applied([root], known);
  const all = new Set([...once, ...applied(once, known)]);
  if (bold) for (const by of ['', 'x']) all.add(root.replace(FIRST_VOWEL, by));
  all.delete(root);
  return [...all].filter((spelling) => spelling.length >= 4).slice(0, MAX_SPELLINGS);
}

function applied(words: readonly string[], rules: readonly Rule[]): string[] {
  return words.flatMap((word) =>
    rules.map(([pattern, by]) => word.replace(pattern, by)).filter((each) => each !== word),
  );
}

/** Endings of inflected terms. */
export const ENDINGS = 's es z ez ed d er ers erz in inn ing ings inz y ies ie ier iest ish'.split(' ');

/** Second parts of compounds. */
export const PARTS = (
  'bag bags ball balls bandit bandits bird bite biter biters boi boy boys brain brains breath bucket burger butt canoe chugger ' +
  'clown clowns cake cakes dumpster dust eater eaters eating ed face faced faces fest flap flaps freak goblin gobbler gobblers hat hats ' +
  'head headed heads hed hole holes hound house job jobs jockey jockeys jocky jockies jokey jokeys juice junkie kisser kissing knocker knuckle knuckles ' +
  'less licker lickers licking lips load loads lord lover lovers master milk monger mongers monkey monkeys mouth munch muncher munchers ' +
  'munching nibbler nozzle nugget nut off offs pants pie pile pirate pirates pipe poor puppet rag rags ranger rider riding sack sacks ' +
  'sandwich shot shots skin slap slapper slapping slut smoker smokers snot sniffer splat stain stains star stick sticks ' +
  'suck sucka suckas sucked sucker suckers sucking sucks succ succa succas succer succers suk suka sukas sukka sukkas sukker swab tard tards tease teaser tickler trap twit up ups wad wads waffle ' +
  'weasel weed whacker whole whistle wipe wipes wit wits witted wizard worm wrangler zilla'
).split(' ');
