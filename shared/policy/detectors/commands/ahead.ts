/** What is searched for ahead in a script: the ends of quotes and of here-documents. Each unit that is looked at is taken from a budget. */
import type { LookSteps } from '../../engine/steps.js';

/** A script, as far as it is searched. */
export interface SearchedScript {
  text: string;
  to: number;
  ahead: LookSteps;
}

/** Where the quote that begins at `from` ends; -1: nowhere. `escapes`: what takes the sense of the next unit in double quotes. */
export function quoteEnd({ text, to, ahead }: SearchedScript, from: number, escapes: string): number {
  const sign = text[from];
  let end = from + 1;
  for (; end < to; end++) {
    const each = text[end];
    if (each === sign) break;
    if (sign === '"' && each === escapes) end++;
  }
  ahead.left -= end - from;
  return end < to && ahead.left >= 0 ? end : -1;
}

/** Where `$'…'` ends whose text begins at `from`; -1: nowhere. */
export function ansiEnd({ text, to, ahead }: SearchedScript, from: number): number {
  let end = from;
  while (end < to && text[end] !== "'") end += text[end] === '\\' ? 2 : 1;
  ahead.left -= end - from;
  return end < to && ahead.left >= 0 ? end : -1;
}

/**
 * The body of a here-document that begins at `start`, up to the line `end`, and where that line ends; undefined: there is none. `tabs`: before
 * that line may stand some.
 */
export function documentBody(
  { text, to, ahead }: SearchedScript,
  start: number,
  { end, tabs }: { end: string; tabs: boolean },
): { body: string; last: number } | undefined {
  let line = start;
  while (line < to) {
    const found = text.indexOf('\n', line);
    const last = found < 0 || found > to ? to : found;
    ahead.left -= last - line + 1;
    if (ahead.left < 0) return undefined;
    if (last - line <= end.length + 64) {
      const said = text.slice(line, last);
      if ((tabs ? said.replace(/^\t+/, '') : said).trimEnd() === end) return { body: text.slice(start, line), last };
    }
    line = last + 1;
  }
  return undefined;
}
