/** What quotes, braces and substitutions stand for. */
import { receives } from './receives.js';
import { saysSecrets } from './secrets.js';
import { LONGEST_VALUE } from './variables.js';
import { DECODES, FETCHED, FETCHES, SECRET, type ShellCommand, SOMETHING } from './words.js';

/** Pieces that an unquoted `{a,b}` may stand for. */
const MOST_BRACES = 32;

/** What a substitution gives, where it can be told. */
export function outputOf(command: ShellCommand): string {
  const said = toldBy(command);
  if (!saysSecrets(command)) return said;
  return (said === FETCHED ? FETCHED : SOMETHING) + SECRET;
}

function toldBy(command: ShellCommand): string {
  const { words, from, document, group } = command;
  if (words.length === 0 && group) return group.length === 1 ? toldBy(group[0]!) : SOMETHING;
  const [name, ...said] = words.map((each) => each.text);
  const tool = name?.slice(name.lastIndexOf('/') + 1) ?? '';
  if (FETCHES.has(tool) || receives(command)) return FETCHED;
  if (DECODES.has(tool) && (from || document !== undefined)) return FETCHED;
  if (tool === 'cat' && said.length === 0) return document?.slice(0, LONGEST_VALUE) ?? SOMETHING;
  if (from) return SOMETHING;
  if (tool === 'pwd') return '.';
  if (tool === 'ls' && said.every((each) => each.startsWith('-'))) return '*';
  if (tool === 'echo' && said.length < 8) {
    const isOption = /^-[neE]{1,3}$/.test(said[0] ?? '');
    const text = said
      .slice(isOption ? 1 : 0)
      .join(' ')
      .slice(0, LONGEST_VALUE);
    return isOption && said[0]!.includes('e') ? ansi(text) : text;
  }
  if (tool === 'which' && said.length === 1) return said[0]!.slice(0, LONGEST_VALUE);
  if (tool === 'printf' && said.length > 0 && said.length < 8) return formatted(said).slice(0, LONGEST_VALUE);
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

/** What `printf` says with these arguments. */
export function formatted(args: readonly string[]): string {
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args;
  let next = 0;
  return ansi(format.slice(0, LONGEST_VALUE)).replace(/%(?:%|-?\d*[sbdq])/g, (sign) =>
    sign === '%%' ? '%' : sign.endsWith('b') ? ansi(values[next++] ?? '') : (values[next++] ?? ''),
  );
}

/** `a{b,c}d` is `abd acd`; of several braces the first is read. */
export function bracesOf(text: string): string[] {
  const found = /^([^{}]{0,256})\{([^{}]{1,1024})\}([^{}]{0,256})$/.exec(text);
  if (!found || !found[2]!.includes(',')) return [text];
  return found[2]!
    .split(',', MOST_BRACES)
    .map((each) => `${found[1]}${each}${found[3]}`)
    .filter((each) => each !== '');
}
