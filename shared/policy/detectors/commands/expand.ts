/** What quotes, braces and substitutions stand for. */
import { LONGEST_VALUE } from './variables.js';
import { DECODES, FETCHED, FETCHES, type ShellCommand, SOMETHING } from './words.js';

/** Pieces that an unquoted `{a,b}` may stand for. */
const MOST_BRACES = 32;

/** What a substitution gives, where it can be told. */
export function outputOf({ words, from, document }: ShellCommand): string {
  const [name, ...said] = words.map((each) => each.text);
  const tool = name?.slice(name.lastIndexOf('/') + 1) ?? '';
  if (FETCHES.has(tool)) return FETCHED;
  if (DECODES.has(tool) && (from || document !== undefined)) return FETCHED;
  if (tool === 'cat' && said.length === 0) return document?.slice(0, LONGEST_VALUE) ?? SOMETHING;
  if (from) return SOMETHING;
  if (tool === 'pwd') return '.';
  if (tool === 'ls' && said.every((each) => each.startsWith('-'))) return '*';
  if (tool === 'echo' && said.length < 8)
    return said
      .slice(said[0] === '-n' ? 1 : 0)
      .join(' ')
      .slice(0, LONGEST_VALUE);
  if ((tool === 'printf' || tool === 'which') && said.length === 1) return said[0]!.slice(0, LONGEST_VALUE);
  return SOMETHING;
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\u001b', a: '\u0007', b: '\b' };

/** What `$'…'` says. */
export const ansi = (text: string): string =>
  text.replace(/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))/gs, (_, hex, unicode, octal, other) =>
    hex || unicode
      ? String.fromCharCode(Number.parseInt(hex ?? unicode, 16))
      : octal
        ? String.fromCharCode(Number.parseInt(octal, 8))
        : (CONTROLS[other] ?? other),
  );

/** `a{b,c}d` is `abd acd`; of several braces the first is read. */
export function bracesOf(text: string): string[] {
  const found = /^([^{}]{0,256})\{([^{}]{1,1024})\}([^{}]{0,256})$/.exec(text);
  if (!found || !found[2]!.includes(',')) return [text];
  return found[2]!
    .split(',', MOST_BRACES)
    .map((each) => `${found[1]}${each}${found[3]}`)
    .filter((each) => each !== '');
}
