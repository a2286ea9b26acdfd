/**
 * Classes of words. A model sees a word also as its class, so that what it learns of one group or one insult holds of others. The
 * lexicon (`lexicon.ts`) says the class of a word; its words are in `deploy/train/words/`.
 */

/** Number of each class, 1 to 63. `known` has words that mean nothing to a model but tell where a run of letters can be split. */
export const CLASSES = {
  known: 1,
  religion: 2,
  race: 3,
  woman: 4,
  lgbt: 5,
  disabled: 6,
  migrant: 7,
  slur: 8,
  femaleSlur: 9,
  profanity: 10,
  insult: 11,
  dehumanising: 12,
  negative: 13,
  hate: 14,
  violence: 15,
  removal: 16,
  positive: 17,
  love: 18,
  modal: 19,
  negation: 20,
  self: 21,
  you: 22,
  they: 23,
  single: 24,
  say: 25,
  judge: 26,
  think: 27,
  wish: 28,
  thing: 29,
  animal: 30,
  trade: 31,
  person: 32,
  all: 33,
  be: 34,
  question: 35,
  place: 36,
  sexual: 37,
  selfHarm: 38,
  weapon: 39,
  technical: 40,
  death: 41,
  relative: 42,
  fiction: 43,
  crime: 44,
  oppose: 45,
  term: 46,
  domestic: 47,
} as const;

export type ClassName = keyof typeof CLASSES;

/** Classes of what is said about whom, 1 to 15. Sequences of them are features. */
const COARSE: Partial<Record<ClassName, number>> = {
  religion: 1,
  race: 1,
  woman: 1,
  lgbt: 1,
  disabled: 1,
  migrant: 1,
  slur: 2,
  insult: 3,
  femaleSlur: 3,
  dehumanising: 4,
  crime: 4,
  negative: 5,
  hate: 6,
  violence: 7,
  removal: 7,
  positive: 8,
  love: 8,
  modal: 9,
  wish: 9,
  you: 10,
  they: 10,
  single: 10,
  say: 11,
  term: 11,
  judge: 12,
  oppose: 12,
  thing: 13,
  animal: 13,
  trade: 13,
  technical: 13,
  fiction: 13,
  person: 14,
  relative: 14,
  self: 15,
};

/** By class: its coarse class, 0 for none. */
export const COARSE_OF = new Uint8Array(64);
for (const [name, coarse] of Object.entries(COARSE)) COARSE_OF[CLASSES[name as ClassName]] = coarse;

/** By coarse class: 1 if a negation before it turns it. The turned class is 16 more. */
export const TURNS = new Uint8Array(16);
for (const coarse of [2, 3, 4, 5, 6, 7, 8, 12]) TURNS[coarse] = 1;

/** Classes of words of prompt injection, 1 to 16. */
export const INJECTION_CLASSES = {
  ignore: 1,
  prior: 2,
  instructions: 3,
  secret: 4,
  reveal: 5,
  role: 6,
  free: 7,
  rules: 8,
  encode: 9,
  code: 10,
  fresh: 11,
  comply: 12,
  mode: 13,
  machine: 14,
  send: 15,
  harm: 16,
  story: 17,
  task: 18,
} as const;

export type InjectionClass = keyof typeof INJECTION_CLASSES;

/** Classes of words of violence, self-harm and sex, and of what such words mean elsewhere, 1 to 31. */
export const HARM_CLASSES = {
  kill: 1,
  hurt: 2,
  die: 3,
  weapon: 4,
  agent: 5,
  make: 6,
  body: 7,
  gore: 8,
  target: 9,
  self: 10,
  will: 11,
  means: 12,
  despair: 13,
  end: 14,
  thin: 15,
  act: 16,
  organ: 17,
  porn: 18,
  desire: 19,
  undress: 20,
  hide: 21,
  crowd: 22,
  tech: 23,
  play: 24,
  kitchen: 25,
  nature: 26,
  care: 27,
  news: 28,
  idiom: 29,
  negation: 30,
} as const;

export type HarmClass = keyof typeof HARM_CLASSES;
