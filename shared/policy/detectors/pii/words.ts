/**
 * Words that speak for entities. Those of all entities are one tree, so that the words around a number are read once, however many
 * entities it could be.
 */
import { fold } from '../../engine/views/normalise.js';
import { isAscii } from '../../engine/views/views.js';

/** The words of one entity. */
export interface Words {
  readonly patterns: readonly string[];
}

interface Node {
  next: Map<string, Node>;
  /** of which a word ends here; `whole`: only if the word of the text ends, too */
  ends: { words: Words; whole: boolean }[];
}

const newNode = (): Node => ({ next: new Map(), ends: [] });
const root = newNode();

/**
 * Beginnings of words that speak for an entity, in any language; they are compared folded, that is in lower case without accents. `x?`
 * may be absent, `(a|b)` and `[ab]` are alternatives, and `\b` at the end demands the whole word.
 */
export function wordsOf(...patterns: readonly string[]): Words {
  const words: Words = { patterns };
  for (const pattern of patterns.flatMap((each) => each.split(/\|(?![^(]*\))/))) {
    const whole = pattern.endsWith('\\b');
    for (const text of variants(whole ? pattern.slice(0, -2) : pattern)) addWord(plain(text), words, whole);
  }
  return words;
}

function addWord(text: string, words: Words, whole: boolean): void {
  let node = root;
  for (const letter of text) {
    let next = node.next.get(letter);
    if (!next) {
      next = newNode();
      node.next.set(letter, next);
    }
    node = next;
  }
  node.ends.push({ words, whole });
}

/** The texts that a pattern stands for. */
function variants(pattern: string): string[] {
  const group = /\(([^()]*)\)(\??)|\[([^\]]*)\](\??)|(.)\?/u.exec(pattern);
  if (!group) return [pattern];
  const [whole, alternatives, mayLack, letters, mayLackLetter, optional] = group;
  const choices =
    alternatives !== undefined ? alternatives.split('|') : letters !== undefined ? [...letters] : [optional!];
  if (mayLack === '?' || mayLackLetter === '?' || optional !== undefined) choices.push('');
  const [head, tail] = [pattern.slice(0, group.index), pattern.slice(group.index + whole.length)];
  return choices.flatMap((choice) => variants(`${head}${choice}${tail}`));
}

/** The form in which words are compared. */
export const plain = (text: string): string => (isAscii(text) ? text.toLowerCase() : fold(text));

const NONE: ReadonlySet<Words> = new Set();

const isLetterOrDigit = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);

/** All words of which one stands in `text`, which is plain. */
export function wordsIn(text: string): ReadonlySet<Words> {
  let found: Set<Words> | undefined;
  for (let i = 0; i < text.length; i++) {
    if (i > 0 && isLetterOrDigit(text.charCodeAt(i - 1))) continue;
    let node: Node | undefined = root;
    for (let j = i; node; j++) {
      for (const { words, whole } of node.ends) {
        if (!whole || !isLetterOrDigit(text.charCodeAt(j))) found = (found ?? new Set()).add(words);
      }
      node = j < text.length ? node.next.get(text[j]!) : undefined;
    }
  }
  return found ?? NONE;
}
