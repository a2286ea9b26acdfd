/** Options and operands of a command. */
import type { Word } from './words.js';

export interface CommandOptions {
  /** letters of short options, and names of long ones */
  has(...names: readonly string[]): boolean;
  /** what is given to one of these: `-x value`, `-xvalue`, `--name value`, `--name=value` */
  value(...names: readonly string[]): string | undefined;
  /** what is no option, wherever it stands */
  operands: string[];
}

/** `valued`: letters and names of options whose value is the next word. */
export function optionsOf(words: readonly Word[], valued: readonly string[] = []): CommandOptions {
  const given = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  const takes = new Set(valued);
  for (let i = 0; i < words.length; i++) {
    const { text } = words[i]!;
    if (text === '--') {
      for (const rest of words.slice(i + 1)) operands.push(rest.text);
      break;
    }
    if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      const name = equals < 0 ? text.slice(2) : text.slice(2, equals);
      given.add(name);
      if (equals >= 0) values.set(name, text.slice(equals + 1));
      else if (takes.has(name) && words[i + 1]) values.set(name, words[++i]!.text);
    } else if (text.startsWith('-') && text.length > 1) {
      // a long option with one dash, such as those of find and terraform
      given.add(text.slice(1));
      for (let at = 1; at < Math.min(text.length, 24); at++) {
        const letter = text[at]!;
        given.add(letter);
        if (!takes.has(letter)) continue;
        const rest = text.slice(at + 1);
        if (rest !== '') values.set(letter, rest);
        else if (words[i + 1]) values.set(letter, words[++i]!.text);
        break;
      }
    } else operands.push(text);
  }
  return {
    has: (...names) => names.some((name) => given.has(name)),
    value: (...names) => {
      for (const name of names) if (values.has(name)) return values.get(name);
      return undefined;
    },
    operands,
  };
}

/** The program of a path, without the ending of Windows. */
export function nameOf(text: string): string {
  const at = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'));
  const name = text.slice(at + 1, at + 65).toLowerCase();
  if (name.startsWith('mkfs.') || name.startsWith('newfs_')) return name.slice(0, 4) === 'mkfs' ? 'mkfs' : 'newfs';
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}
