/** A script that is read as a shell does: where reading stands, and what is known so far. */
import type { LookSteps } from '../../engine/steps.js';
import { type CommandGroups, commandGroups } from './groups.js';
import type { Variables } from './variables.js';
import type { Dialect, ShellCommand } from './words.js';

/** Substitutions within each other. */
const DEEPEST = 12;

export interface ShellScript {
  text: string;
  from: number;
  to: number;
  dialect: Dialect;
  /** what is known of variables; the script adds its own */
  variables: Variables;
  /** units that may be searched ahead, and that variables may add */
  ahead: LookSteps;
}

/** A here-document whose body is behind the line that is read. */
interface Awaited {
  command: ShellCommand;
  end: string;
  tabs: boolean;
}

export interface ShellReading extends ShellScript {
  at: number;
  /** lists within each other */
  depth: number;
  groups: CommandGroups;
  /** where the double quote ends that was searched for last; -1: there is none */
  doubleEnd: number;
  waiting: Awaited[];
  /** commands of that line, which are told when the bodies are read */
  delayed: ShellCommand[];
  /** where the bodies of functions begin, by name */
  functions: Map<string, number>;
  tell(command: ShellCommand): void;
  /** Reads commands up to `closing` ('' is the end of the script). Returns the last one. */
  list(reading: ShellReading, closing: string): ShellCommand | undefined;
}

export const beginReading = (
  { text, from, to, dialect, variables, ahead }: ShellScript,
  { tell, list }: Pick<ShellReading, 'tell' | 'list'>,
): ShellReading => ({
  text,
  from,
  to,
  dialect,
  variables,
  ahead,
  at: from,
  depth: 0,
  groups: commandGroups(),
  doubleEnd: -1,
  waiting: [],
  delayed: [],
  functions: new Map(),
  tell,
  list,
});

export interface InnerList {
  last: ShellCommand | undefined;
  group: readonly ShellCommand[];
}

/** Reads the list within the one that is read, up to `closing`; undefined where too many are within each other. */
export function readInner(reading: ShellReading, closing: string): InnerList | undefined {
  if (reading.depth >= DEEPEST) return undefined;
  reading.depth++;
  const level = reading.groups.open();
  const last = reading.list(reading, closing);
  const group = reading.groups.close(level);
  reading.depth--;
  return { last, group };
}

export const isSpace = (sign: string): boolean => sign === ' ' || sign === '\t' || sign === '\r' || sign === '\n';

/** Whether `sign`, which stands where reading does, ends a command. */
export const endsCommand = ({ text, at }: ShellReading, sign: string): boolean =>
  sign === '\n' || sign === ';' || sign === '|' || sign === ')' || (sign === '&' && text[at + 1] !== '>');
