/** Classes of words that the tagger is told of: a bit each, by the hash of the word (`hashOfWord`). */
export const WORD_CLASSES = {
  given: 1,
  surname: 2,
  city: 4,
  region: 8,
  street: 16,
  /** Inc, GmbH */
  company: 32,
  /** University, Bank */
  institution: 64,
  /** a word of the name of a known organisation */
  known: 128,
  /** Mr, Dr */
  title: 256,
  /** what is usually written in small letters */
  common: 512,
  /** months, days, languages, nationalities, products: a capital, and none of the entities */
  other: 1024,
  /** van, de, bin */
  particle: 2048,
  /** of the names of places: New, San, Saint */
  place: 4096,
  /** a direction or a unit of an address: North, Apt, Suite */
  unit: 8192,
  /** what is usually written with a capital within sentences */
  proper: 16_384,
  /** of a unit or state in two letters: CA, NSW */
  state: 32_768,
} as const;

export type WordClass = keyof typeof WORD_CLASSES;

/** What may be a name where it is written in small letters. */
export const NAMES =
  WORD_CLASSES.given |
  WORD_CLASSES.surname |
  WORD_CLASSES.city |
  WORD_CLASSES.region |
  WORD_CLASSES.known |
  WORD_CLASSES.place |
  WORD_CLASSES.institution;
