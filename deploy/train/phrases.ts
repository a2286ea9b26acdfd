/**
 * Reads files of lists and phrases. People write them by hand: `README.md` beside this file has their grammar. They are a part of the
 * repository and not of the package.
 */
import { join } from 'node:path';
import { cannotRead, FileError, readTextAtMost } from '../../shared/files.js';
import { packageRoot } from '../../shared/paths.js';

export interface WordList {
  words: string[];
  /** file and line, for messages */
  at: string;
}

export interface PhraseSection {
  name: string;
  /** texts that are made of a phrase; 0: its heading has no numbers */
  each: number;
  /** how many of a hundred have errors in writing */
  misspelt: number;
  phrases: string[];
  at: string;
}

export interface PhraseFile {
  lists: Map<string, WordList>;
  sections: PhraseSection[];
  /** by name of a slot: where it stands first */
  slots: Map<string, string>;
}

const MOST_BYTES = 1024 * 1024;
const LIST = /^([A-Za-z]\w*(?: \w+)*):\s+(.+)$/;
const HEADING = /^\[([\w:]+)\](?: ([1-9]\d{0,3}) each, (\d\d?)% misspelt)?$/;
/** What is no phrase: it has no choice in its first brackets. */
const LIKE_HEADING = /^\[[^|\]]*(\]|$)/;
const SLOT = /\{(\w+)(?::\w+)?\}/g;

/** The file `deploy/train/NAME.txt`. Throws an `Error` with file, line and what was expected. */
export function readPhrases(name: string): PhraseFile {
  const path = join(packageRoot, 'deploy/train', `${name}.txt`);
  return parsePhrases(textOf(path), path);
}

/** `path`: for messages. */
export function parsePhrases(text: string, path: string): PhraseFile {
  const file: PhraseFile = { lists: new Map(), sections: [], slots: new Map() };
  for (const { line, at } of linesOf(text, path)) {
    if (LIKE_HEADING.test(line)) addSection(file, line, at);
    else if (file.sections.length > 0) addPhrase(file, line, at);
    else addList(file, line, at);
  }
  const empty = file.sections.find(({ phrases }) => phrases.length === 0);
  if (empty) throw new Error(`${empty.at}: [${empty.name}]: expected a phrase below`);
  return file;
}

function textOf(path: string): string {
  try {
    return readTextAtMost(path, MOST_BYTES);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOENT') throw cannotRead(path, error);
    throw new Error(
      `${path}: there is no such file. What the models that Weir ships learn from is part of its repository, not of its package: train them in a clone`,
    );
  }
}

/** What is no comment, with lines that are continued put together. */
function linesOf(text: string, path: string): { line: string; at: string }[] {
  const found: { line: string; at: string }[] = [];
  let inSections = false;
  for (const [i, whole] of text.split('\n').entries()) {
    const line = whole.trimEnd();
    const at = `${path}:${i + 1}`;
    const before = found.at(-1);
    if (line === '' || line.startsWith('#')) continue;
    if (LIKE_HEADING.test(line)) inSections = true;
    if (!/^\s/.test(line)) found.push({ line, at });
    else if (before && !inSections) before.line += ` ${line.trimStart()}`;
    else
      throw new Error(
        `${at}: expected a line without an indent: only lists go on in the next line, and they stand before sections`,
      );
  }
  return found;
}

function addSection({ sections }: PhraseFile, line: string, at: string): void {
  const [, name, each = 0, misspelt = 0] = HEADING.exec(line) ?? [];
  if (name === undefined) {
    throw new Error(
      `${at}: expected [name] or [name] 40 each, 10% misspelt; before a phrase that begins so, write a backslash`,
    );
  }
  if (sections.some((other) => other.name === name)) throw new Error(`${at}: [${name}] stands in this file twice`);
  sections.push({ name, each: Number(each), misspelt: Number(misspelt), phrases: [], at });
}

function addPhrase(file: PhraseFile, line: string, at: string): void {
  const phrase = line.startsWith('\\') ? line.slice(1) : line;
  readSlots(file, phrase, at);
  file.sections.at(-1)!.phrases.push(phrase);
}

function addList(file: PhraseFile, line: string, at: string): void {
  const [, name, rest] = LIST.exec(line) ?? [];
  if (name === undefined) throw new Error(`${at}: expected a list such as "name: one, two", or [name] before phrases`);
  if (file.lists.has(name)) throw new Error(`${at}: the list "${name}" stands in this file twice`);
  const words = rest!.split(',').map((part) => {
    const word = part.trim();
    if (word === '') throw new Error(`${at}: the list "${name}": expected a word at each side of a comma; "-" is none`);
    readSlots(file, word, at);
    return word === '-' ? '' : word;
  });
  file.lists.set(name, { words, at });
}

/** Notes the slots of a phrase. */
function readSlots({ slots }: PhraseFile, phrase: string, at: string): void {
  const rest = phrase.replaceAll(SLOT, (_, name: string) => {
    if (!slots.has(name)) slots.set(name, at);
    return '';
  });
  if (/[{}]/.test(rest)) throw new Error(`${at}: expected slots as {name} or {name:1}, got "${phrase}"`);
  let open = 0;
  for (const sign of rest) {
    if (sign === '[') open++;
    if (sign === ']' && --open < 0) break;
  }
  if (open !== 0) throw new Error(`${at}: expected a "]" for each "[", got "${phrase}"`);
}
