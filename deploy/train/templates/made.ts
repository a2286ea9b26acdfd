/** Sets of templates, and the examples that are made from one. */
import type { Example } from '../example.js';
import { createRandom, hashOf } from '../random.js';
import { type Targets, targetsOf } from '../sources.js';
import { dress, expand, misspell, type Vocabulary } from './grammar.js';

export interface Made {
  source: string;
  templates: readonly string[];
  vocabulary: Vocabulary;
  each: number;
  targets(text: string): Targets;
  /** how many of a hundred have errors in writing */
  misspelt?: number;
}

export function make({ source, templates, vocabulary, each, targets, misspelt = 0 }: Made, seed: number): Example[] {
  return templates.flatMap((template) => {
    // Each template has random numbers of its own: a new one changes no other.
    const random = createRandom(seed ^ hashOf(template));
    const texts = new Set<string>();
    for (let i = 0; i < each; i++) {
      let text = dress(expand(template, vocabulary, random), random);
      if (random.below(100) < misspelt) text = misspell(text, random);
      texts.add(text);
    }
    return [...texts].map((text) => ({ text, targets: targetsOf(targets(text)), source, group: template }));
  });
}

/** What an innocent text is not. */
export const NO_HARM: Targets = {
  sexual: [0, 1],
  violence: [0, 1],
  self_harm: [0, 1],
  toxicity: [0, 0.5],
  hate: [0, 0.5],
  sexism: [0, 0.2],
};
