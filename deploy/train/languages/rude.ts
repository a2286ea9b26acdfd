/** The rude words of the term bundles of a language: what they count for alone, and that none is taken for an ordinary one. */
import { dataLines } from '../../../shared/data-file.js';
import { LANGUAGES as LISTED } from '../../../shared/policy/detectors/terms/bundles.js';
import { LANGUAGES } from './list.js';
import type { LanguageExample, LanguageTargets } from './targets.js';

export interface RudeWords {
  has(language: number, word: string): boolean;
  examples: LanguageExample[];
}

const TARGETS: Readonly<Record<string, LanguageTargets>> = {
  profanity: [[1, 0.5], undefined, undefined],
  insults: [[1, 1], undefined, undefined],
  slurs: [[1, 1], [1, 0.5], undefined],
};

export function readRude(): RudeWords {
  const words = LANGUAGES.map(() => new Set<string>());
  const examples: LanguageExample[] = [];
  for (const [language, { code }] of LANGUAGES.entries()) {
    if (!LISTED.some((listed) => listed === code)) continue;
    let bundle = '';
    for (const line of dataLines(`policy/detectors/terms/bundles/language_${code}`)) {
      const heading = /^\[\w+ \w+ (\w+)/.exec(line);
      if (heading) bundle = heading[1]!;
      else
        for (const text of line.split(',').flatMap(formsOf)) {
          words[language]!.add(text);
          const targets = TARGETS[bundle];
          if (targets) examples.push({ language, text, targets, source: 'rude', group: text });
        }
    }
  }
  return { has: (language, word) => words[language]!.has(word), examples };
}

/** A root, and it with each of the endings behind its strokes. */
function formsOf(part: string): string[] {
  const [root = '', ...endings] = part.trim().split('/');
  return root === '' ? [] : [root, ...endings.map((ending) => root + ending)];
}
