/** What is known of the variables of a script. */
import type { LookSteps } from '../../engine/steps.js';
import { type ShellCommand, SOMETHING, UNKNOWN, type Word } from './words.js';

/** A longer value is not known. */
export const LONGEST_VALUE = 256;
const MOST_VARIABLES = 256;

export const NAME = /^[A-Za-z_]\w*/;
const ASSIGNED = /^([A-Za-z_]\w{0,63})\+?=/;

/** What each shell knows. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['IFS', ' '],
  ['HOME', '~'],
  ['SHELL', 'sh'],
  ['BASH', 'bash'],
  ['PWD', '.'],
  ['OLDPWD', SOMETHING],
  ['TMPDIR', '/tmp'],
  ['RANDOM', SOMETHING],
  ['USER', SOMETHING],
  ['PATH', SOMETHING],
]);

/** Values by name, as far as the script has set them. */
export type Variables = Map<string, string>;

/** The value of a variable. `ahead`: units that values may still add to a text. */
export function valueNamed(name: string, variables: Variables, ahead: LookSteps): string {
  const value = variables.get(name) ?? KNOWN.get(name);
  if (value === undefined) return UNKNOWN;
  ahead.left -= value.length;
  return ahead.left < 0 ? UNKNOWN : value;
}

/** What stands between `${` and `}`. */
export function valueInBraces(inside: string, variables: Variables, ahead: LookSteps): string {
  const name = NAME.exec(inside)?.[0] ?? '';
  const rest = inside.slice(name.length);
  if (name === '') return inside.startsWith('#') ? SOMETHING : UNKNOWN;
  const value = valueNamed(name, variables, ahead);
  if (rest === '') return value;
  if (/^:?\?/.test(rest)) return value === UNKNOWN ? SOMETHING : value;
  const standIn = /^:?[-=](.*)$/s.exec(rest);
  if (standIn) {
    if (value !== UNKNOWN) return value;
    const plain = standIn[1]!;
    return plain.includes('$') ? SOMETHING : plain.replace(/["']/g, '');
  }
  return UNKNOWN;
}

/** Keeps what the command says of variables. Assignments before a command are taken off it. */
export function noteVariables(command: ShellCommand, variables: Variables): void {
  const { words } = command;
  if (words[0]?.text === 'for' && words[2]?.text === 'in') {
    set(
      variables,
      words[1]!.text,
      words.length === 4 ? words[3]!.text : (words.slice(3).find(({ text: t }) => /^[/~]/.test(t))?.text ?? SOMETHING),
    );
    return;
  }
  if (words[0]?.text === 'set' && words[1]?.text === '--') giveArguments(words.slice(2), variables);
  if (words[0]?.text === 'alias') {
    for (const { text } of words.slice(1, 32)) {
      const found = /^([\w.-]{1,64})=/.exec(text);
      if (found) set(variables, aliasKey(found[1]!), text.slice(found[0].length));
    }
  }
  if (words[0]?.text === 'read') for (const { text: name } of words.slice(1)) variables.delete(name);
  let count = 0;
  for (const { text: said } of words) {
    const name = ASSIGNED.exec(said)?.[1];
    if (name === undefined) {
      if (count === 0 && /^(?:export|local|declare|readonly|typeset)$/.test(said) && words.length < 32) {
        for (const { text: each } of words) {
          const found = ASSIGNED.exec(each);
          if (found) set(variables, found[1]!, each.slice(found[0].length));
        }
      }
      break;
    }
    set(variables, name, said.slice(ASSIGNED.exec(said)![0].length));
    count++;
  }
  if (count > 0) words.splice(0, count);
}

/** Under what name the variables have an alias. */
export const aliasKey = (name: string): string => `alias ${name}`;

/** Sets `$1` and those behind it, and `$@`. */
export function giveArguments(words: readonly Word[], variables: Variables, first = 1): void {
  for (const [i, { text }] of words.slice(0, 10 - first).entries()) set(variables, String(i + first), text);
  set(variables, '@', words.map(({ text }) => text).join(' '));
}

function set(variables: Variables, name: string, value: string): void {
  if (variables.size < MOST_VARIABLES || variables.has(name)) {
    variables.set(name, value.length > LONGEST_VALUE ? SOMETHING : value);
  }
}
