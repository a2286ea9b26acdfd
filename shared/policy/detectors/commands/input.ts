/** What a program has in its input. */
import { ansi } from './expand.js';
import { nameOf } from './options.js';
import { DECODES, type ShellCommand } from './words.js';

export interface Input {
  text?: string;
  /** it was made to look like something else */
  decoded?: boolean;
}

/** What a command writes, where that can be told. */
export function saidBy(command: ShellCommand, depth = 0): Input {
  const { group } = command;
  if (group && command.words.length === 0 && depth < 4) {
    const said = group.map((each) => saidBy(each, depth + 1).text).filter((text) => text !== undefined);
    return said.length > 0 ? { text: said.join('\n') } : {};
  }
  const [first, ...rest] = command.words.map(({ text }) => text);
  const name = nameOf(first ?? '');
  if (name === 'echo' || name === 'printf') {
    const words = rest.filter((arg) => !/^-[neE]+$/.test(arg));
    const text = words.join(' ');
    return { text: text.includes('\\') ? ansi(text) : text };
  }
  if (name === 'cat' && command.document !== undefined) return { text: command.document };
  if (name === 'write-output') return { text: rest.join(' ') };
  const before = command.from ? (depth < 6 ? saidBy(command.from, depth + 1) : {}) : { text: command.document };
  if (name === 'sudo' || name === 'tee') return before as { text?: string };
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
