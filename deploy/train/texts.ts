/** All that was written for the training of the shipped models: phrases by topic, words by class, words of machines, sentences of the audit. */
import { CLASSES, HARM_CLASSES, INJECTION_CLASSES } from '../../shared/policy/models/classes.js';
import { readWords, type WordClasses } from './lexicon/words.js';
import { type PhraseFile, type PhraseSection, readPhrases } from './phrases.js';

/** By topic: its files in `corpus/`, in the order in which examples are made of them. */
const FILES = {
  hate: ['lists', 'open', 'context', 'more', 'frames', 'sexism', 'women', 'abuse', 'beside', 'quiet'],
  attacks: [
    'lists',
    'attacks',
    'more',
    'requests',
    'forms',
    'more-forms',
    'look-alikes',
    'oblique',
    'agents',
    'turns',
    'agents-quiet',
    'long',
    'beside',
    'quiet',
  ],
  harm: ['lists', 'harm', 'everyday', 'forms', 'more-forms', 'unsafe', 'more-unsafe', 'hints', 'beside', 'quiet'],
  ordinary: [
    'lists',
    'short',
    'figurative',
    'machines',
    'papers',
    'prose',
    'alike',
    'daily',
    'peoples',
    'desk',
    'comments',
    'web',
    'persons',
    'tasks',
    'sources',
    'things',
    'scenes',
    'changes',
    'code',
    'models',
    'mild',
  ],
} as const;
type TopicName = keyof typeof FILES;
/** Lists that the data give. */
const GIVEN = ['slur', 'slurs'];

/** Phrases draw from the lists of all files of their topic. */
export interface Topic {
  lists: Map<string, readonly string[]>;
  files: Map<string, readonly PhraseSection[]>;
}

export interface TrainingTexts {
  topics: Record<TopicName, Topic>;
  words: Record<'classes' | 'harm' | 'injection', WordClasses>;
  machine: PhraseFile['lists'];
  audit: PhraseFile;
}

/** Throws an `Error` that names file, line and what was expected. */
export function readTexts(): TrainingTexts {
  return {
    topics: {
      hate: readTopic('hate'),
      attacks: readTopic('attacks'),
      harm: readTopic('harm'),
      ordinary: readTopic('ordinary'),
    },
    words: {
      classes: readWords('classes', CLASSES),
      harm: readWords('harm', HARM_CLASSES),
      injection: readWords('injection', INJECTION_CLASSES),
    },
    machine: readPhrases('corpus/machine').lists,
    audit: readPhrases('corpus/audit'),
  };
}

function readTopic(name: TopicName): Topic {
  const read = FILES[name].map((file) => [file, readPhrases(`corpus/${name}/${file}`)] as const);
  const lists = new Map<string, readonly string[]>();
  for (const [, file] of read) {
    for (const [list, { words, at }] of file.lists) {
      if (lists.has(list)) throw new Error(`${at}: the list "${list}" stands in another file of "${name}", too`);
      lists.set(list, words);
    }
  }
  for (const [, { slots }] of read) {
    for (const [slot, at] of slots) {
      if (!lists.has(slot) && !GIVEN.includes(slot))
        throw new Error(`${at}: no file of "${name}" has the list "${slot}"`);
    }
  }
  return { lists, files: new Map(read.map(([file, { sections }]) => [file, sections])) };
}
