/** Trains the models of other languages that Weir ships, and writes their page. */
import { languagesCard } from './card.js';
import { languageFigures } from './figures.js';
import { type LanguagesOptions, trainLanguages } from './train.js';

/** The bytes of the models, and their page. Throws where the data cannot be read. */
export function trainBuiltinLanguages(
  options: LanguagesOptions,
  report: (line: string) => void,
): { bytes: Uint8Array; card: () => string } {
  const trained = trainLanguages(options, report);
  return { bytes: trained.bytes, card: () => languagesCard(trained, languageFigures(trained), options.folds) };
}
