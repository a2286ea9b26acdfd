/** What a program has in its input. */
import { ansi, formatted } from './expand.js';
import { nameOf } from './options.js';
import { LONGEST_VALUE } from './variables.js';
import { DECODES, type ShellCommand } from './words.js';

export interface Input {
  text?: string;
  /** it was made to look like something else */
  decoded?: boolean;
}

/** What `tr` makes of a text. */
function translated(text: string, from: string, to: string): string {
  const [given, made] = [signsOf(from), signsOf(to)];
  return Array.from(text, (sign) => {
    const at = given.indexOf(sign);
    return at < 0 ? sign : (made[at] ?? made.at(-1) ?? '');
  }).join('');
}

/** `a-cx` is `abcx`. */
const signsOf = (said: string): string =>
  said.slice(0, 64).replace(/(\w)-(\w)/g, (whole, first: string, last: string) => {
    const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)];
    if (high < low) return whole;
    return String.fromCharCode(...Array.from({ length: high - low + 1 }, (_, i) => low + i));
  });

/** What a command writes, where that can be told. */
export function saidBy(command: ShellCommand, depth = 0): Input {
  const { group } = command;
  if (group && command.words.length === 0 && depth < 4) {
    const said = group.map((each) => saidBy(each, depth + 1).text).filter((text) => text !== undefined);
    return said.length > 0 ? { text: said.join('\n') } : {};
  }
  const [first, ...rest] = command.words.map(({ text }) => text);
  const name = nameOf(first ?? '');
  if (name === 'printf') return { text: formatted(rest) };
  if (name === 'echo') {
    const words = rest.filter((arg) => !/^-[neE]+$/.test(arg));
    const text = words.join(' ');
    return { text: text.includes('\\') ? ansi(text) : text };
  }
  if (name === 'cat' && command.document !== undefined) return { text: command.document };
  if (name === 'write-output') return { text: rest.join(' ') };
  const before = command.from ? (depth < 6 ? saidBy(command.from, depth + 1) : {}) : { text: command.document };
  if (name === 'sudo' || name === 'tee') return before as { text?: string };
  if (name === 'tr' && before.text !== undefined && rest.length === 2)
    return { text: translated(before.text.slice(0, LONGEST_VALUE), rest[0]!, rest[1]!), decoded: true };
  if (!DECODES.has(name)) return {};
  const unmakes =
    rest.some((arg) => /^(?:-d|-D|--decode|-di|-r|-rp|-p|enc|-d\w*)$/.test(arg)) ||
    name === 'rev' ||
    name === 'uudecode';
  if (!unmakes) return {};
  const { text } = before;
  if (name === 'base64' && text !== undefined)
    return { text: Buffer.from(text, 'base64').toString('utf8'), decoded: true };
  if (name === 'rev' && text !== undefined) return { text: Array.from(text).reverse().join(''), decoded: true };
  if (name === 'xxd' && text !== undefined)
    return { text: Buffer.from(text.replace(/\s+/g, ''), 'hex').toString('utf8'), decoded: true };
  return { decoded: true };
}
