/** Texts, arguments and states that a workload is made of, in one of the languages of `phrases/`. */
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../shared/paths.js';
import { readGiven } from '../given.js';
import type { WorkloadRandom } from './random.js';

export type Voice = 'user' | 'assistant' | 'reasoning' | 'output';
export type Language = 'en' | 'de';
type PhraseSlot = 'product' | 'city' | 'day' | 'name' | 'team' | 'tool' | 'service';

/** What the people, agents and tools of a workload say. Words in braces in a sentence are filled from the lists of `words`. */
interface Phrases {
  words: Readonly<Record<PhraseSlot, readonly string[]>>;
  /** what an agent is after */
  goal: string;
  sentences: Readonly<Record<Voice, readonly string[]>>;
}

const readPhrases = (name: string): Phrases =>
  parse(readGiven(join(packageRoot, 'bench', 'workloads', 'phrases', `${name}.yaml`)));

const PHRASES: Readonly<Record<Language, Phrases>> = { en: readPhrases('english'), de: readPhrases('german') };

export const TOOLS = ['find_order', 'check_stock', 'plan_route', 'open_ticket', 'refund', 'read_page', 'run_query'];

const fill = (sentence: string, { words }: Phrases, random: WorkloadRandom): string =>
  sentence.replaceAll(/\{(\w+)\}/g, (_, slot: PhraseSlot) => random.pick(words[slot]));

/** Sentences in the given voice, about `length` characters: at least one, and at most half a sentence more. */
export function speak(voice: Voice, length: number, random: WorkloadRandom, language: Language = 'en'): string {
  const phrases = PHRASES[language];
  const next = (): string => fill(random.pick(phrases.sentences[voice]), phrases, random);
  let text = next();
  for (;;) {
    const sentence = next();
    if (text.length + sentence.length / 2 > length) return text;
    text += ` ${sentence}`;
  }
}

/** Arguments of a tool call: an object of about `length` characters of JSON. */
export function toolArguments(
  length: number,
  random: WorkloadRandom,
  language: Language = 'en',
): Record<string, unknown> {
  const { words } = PHRASES[language];
  return {
    order: `A-${random.between(1000, 9999)}`,
    city: random.pick(words.city),
    limit: random.between(1, 50),
    include_closed: random.next() < 0.5,
    tags: [random.pick(words.team), random.pick(words.product)],
    query: speak('user', Math.max(20, length - 120), random, language),
  };
}

/** State of an agent between two steps: an object of about `length` characters of JSON. */
export function agentState(length: number, random: WorkloadRandom, language: Language = 'en'): Record<string, unknown> {
  const { goal, words } = PHRASES[language];
  return {
    step: random.between(1, 12),
    goal: fill(goal, PHRASES[language], random),
    owner: random.pick(words.name),
    pending: [random.pick(words.tool), random.pick(words.tool)],
    notes: speak('reasoning', Math.max(20, length - 150), random, language),
  };
}

/** Metadata of an event: which user, on which plan, by which model. */
export function eventMetadata(random: WorkloadRandom): Record<string, unknown> {
  return {
    user: { id: `u-${random.between(100, 999)}`, tier: random.pick(['free', 'trial', 'pro', 'team']) },
    model: random.pick(['small-1', 'large-2']),
  };
}
