/** Which commands stand in a subshell, in braces or in a loop. What takes the output of such a group takes that of each of them. */
import type { ShellCommand } from './words.js';

/** Commands of a group that are kept. */
const MOST = 8;
/** Groups within each other. */
const DEEPEST = 64;

export interface CommandGroups {
  note(command: ShellCommand): void;
  /** begins a group that only `close` with what is returned ends */
  open(): number;
  close(level: number): ShellCommand[];
  /** a word of the grammar, which may begin or end a group; gives the commands of one that ends */
  keyword(word: string): ShellCommand[] | undefined;
}

export function commandGroups(): CommandGroups {
  const groups: ShellCommand[][] = [[]];
  let base = 1;
  const bases: number[] = [];
  const note = (command: ShellCommand): void => {
    const top = groups.at(-1)!;
    // Of a pipe the last one says what all of it says.
    const { from } = command;
    while (from && top.length > 0 && (top.at(-1) === from || from.group?.includes(top.at(-1)!))) top.pop();
    if (top.length < MOST) top.push(command);
  };
  return {
    note,
    open: () => {
      groups.push([]);
      bases.push(base);
      base = groups.length;
      return base;
    },
    close: (level) => {
      groups.length = level;
      base = bases.pop() ?? 1;
      return groups.pop()!;
    },
    keyword: (word) => {
      if (word === '{' || word === 'do' || word === 'if') {
        if (groups.length < DEEPEST) groups.push([]);
      } else if ((word === '}' || word === 'done' || word === 'fi') && groups.length > base) {
        const inner = groups.pop()!;
        inner.forEach(note);
        return inner;
      }
      return undefined;
    },
  };
}
