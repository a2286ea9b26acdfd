/** Reads what the tagger of names learns from: lists of names and words (`lists/`), and sentences with slots (`sentences/`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../shared/paths.js';
import { readPhrases } from '../phrases.js';

const LISTS = ['persons', 'places', 'organisations', 'others'] as const;
const SENTENCES = ['chat', 'forms', 'none', 'capitals', 'more', 'languages'] as const;

export type NameLists = ReadonlyMap<string, readonly string[]>;

export interface NameSentences {
  /** `en`, or a language */
  language: string;
  /** how often a sentence is drawn, against others */
  weight: number;
  sentences: string[];
}

export interface NameTexts {
  lists: NameLists;
  sections: NameSentences[];
}

/** Throws an `Error` that names the file and what was expected. */
export function readNameTexts(): NameTexts {
  const lists = new Map<string, readonly string[]>();
  for (const file of LISTS) {
    for (const [name, { words }] of readPhrases(`names/lists/${file}`).lists) lists.set(name, words);
  }
  return { lists, sections: SENTENCES.flatMap(readSentences) };
}

const HEADING = /^\[(\w+)\] (\d+) each/;

function readSentences(name: string): NameSentences[] {
  const path = join(packageRoot, 'deploy/train/names/sentences', `${name}.txt`);
  const sections: NameSentences[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('# ')) continue;
    const [, section, each] = HEADING.exec(line) ?? [];
    if (section !== undefined) {
      const language = section.length === 2 ? section : 'en';
      sections.push({ language, weight: Number(each), sentences: [] });
    } else if (sections.length === 0) throw new Error(`${path}: expected [name] 40 each before sentences`);
    else sections.at(-1)!.sentences.push(line.replace(/^\\/, '').replaceAll('\\n', '\n'));
  }
  return sections;
}
