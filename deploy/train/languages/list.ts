/** The languages that models are trained for, beside English. */
import type { Reading } from '../../../shared/policy/models/languages/features.js';
import type { LanguageLabel } from '../../../shared/policy/models/languages/format.js';

export interface LanguagePlan {
  code: string;
  name: string;
  reading: Reading;
  labels: readonly LanguageLabel[];
  /** the folder of the compiler's messages in the language */
  messages?: string;
}

const ALL: readonly LanguageLabel[] = ['toxicity', 'hate', 'injection'];
const ATTACKS: readonly LanguageLabel[] = ['injection'];
/** Words are apart, and their endings matter. */
const WORDS: Reading = { shortest: 2, longest: 4, words: true };
/** A character is a syllable or a word. */
const SYLLABLES: Reading = { shortest: 1, longest: 3, words: true };
const CHARACTERS: Reading = { shortest: 1, longest: 3, words: false };

const language = (
  [code, name, messages]: readonly [string, string, string?],
  reading: Reading,
  labels = ALL,
): LanguagePlan => ({ code, name, reading, labels, ...(messages === undefined ? {} : { messages }) });

/** The order is a part of the weights: a new one is added at the end. */
export const LANGUAGES: readonly LanguagePlan[] = [
  language(['de', 'German', 'de'], WORDS),
  language(['fr', 'French', 'fr'], WORDS),
  language(['es', 'Spanish', 'es'], WORDS),
  language(['pt', 'Portuguese', 'pt-br'], WORDS),
  language(['it', 'Italian', 'it'], WORDS),
  language(['nl', 'Dutch'], WORDS),
  language(['pl', 'Polish', 'pl'], WORDS),
  language(['tr', 'Turkish', 'tr'], WORDS),
  language(['id', 'Indonesian'], WORDS),
  language(['ru', 'Russian', 'ru'], WORDS),
  language(['zh', 'Chinese', 'zh-cn'], CHARACTERS),
  language(['ja', 'Japanese', 'ja'], CHARACTERS),
  language(['ko', 'Korean', 'ko'], SYLLABLES),
  language(['ar', 'Arabic'], WORDS),
  language(['hi', 'Hindi'], WORDS),
  language(['vi', 'Vietnamese'], WORDS, ATTACKS),
  language(['uk', 'Ukrainian'], WORDS, ATTACKS),
  language(['sv', 'Swedish'], WORDS, ATTACKS),
  language(['cs', 'Czech', 'cs'], WORDS, ATTACKS),
];
