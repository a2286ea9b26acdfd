/**
 * Texts as a terminal may show them. What moves a cursor, ends a line, turns the direction of writing or is not seen stands there as
 * an escape such as `\u001b`. Names, file contents and content of callers may hold it to fake what people read.
 */

/** Control and format characters, separators of lines, and characters that show nothing. Selectors after an emoji only say how it is drawn. */
const UNSEEN = String.raw`(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const IN_LINE = new RegExp(UNSEEN, 'gu');
/** A carriage return is let through where a line feed follows. */
const IN_BLOCK = new RegExp(String.raw`(?!\n|\t|\r\n)${UNSEEN}`, 'gu');

const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** The escapes are those of JSON, so JSON on one line means the same afterwards. */
const escaped = (character: string): string =>
  SHORT[character] ??
  Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }).join('');

/** `text` on one line. */
export const onOneLine = (text: string): string => text.replace(IN_LINE, escaped);

/** `text` with its line ends and tabs. */
export const asBlock = (text: string): string => text.replace(IN_BLOCK, escaped);
