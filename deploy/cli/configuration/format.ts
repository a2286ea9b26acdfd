/** Formats the text of a configuration: one way of indenting, comments and order kept. */
import { createRequire } from 'node:module';
import { readSource } from '../../../shared/configuration/read/source.js';

const require = createRequire(import.meta.url);

/** The text could not be formatted, in a sentence. It stays as it is. */
export class NotFormatted extends Error {}

const WIDTH = 120;
/** A comment that moves may move once more. */
const MOST_ROUNDS = 4;

/** `text`: YAML or JSON that parses. Throws {@link NotFormatted} where its meaning or a comment would be lost. */
export function formatted(text: string): string {
  const json = jsonOf(text);
  if (json !== undefined) return `${JSON.stringify(json, null, 2)}\n`;
  let before = text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const made = formattedOnce(before);
    if (made === before) return keptIn(text, made);
    before = made;
  }
  throw new NotFormatted('its comments stand where they cannot be kept in place');
}

function formattedOnce(text: string): string {
  const { parseDocument } = require('yaml') as typeof import('yaml');
  const document = parseDocument(text);
  return document.toString({ lineWidth: WIDTH, indentSeq: false, flowCollectionPadding: false });
}

/** `made`, once it is known that it means what `text` means. */
function keptIn(text: string, made: string): string {
  const meaning = (of: string): string => JSON.stringify(readSource(of).value);
  if (meaning(made) !== meaning(text)) throw new NotFormatted('it would mean something else');
  const [before, after] = [commentsIn(text), commentsIn(made)];
  if (before.join('\n') !== after.join('\n')) throw new NotFormatted('a comment would be lost');
  return made;
}

/** Sorted: a comment may come to stand on the other side of a bracket. */
function commentsIn(text: string): string[] {
  const { Lexer } = require('yaml') as typeof import('yaml');
  const comments: string[] = [];
  for (const lexeme of new Lexer().lex(text)) if (lexeme.startsWith('#')) comments.push(lexeme.trim());
  return comments.sort();
}

function jsonOf(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
