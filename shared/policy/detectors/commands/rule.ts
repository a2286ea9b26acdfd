/** What a rule says of a command. */
import type { ShellCommand, Word } from './words.js';

/** In the order that documents name them. */
export const COMMAND_KINDS = ['destructive', 'remote_code', 'exfiltration', 'privilege'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** One program with its arguments, behind `sudo` and the like. */
export interface Call {
  name: string;
  args: readonly Word[];
  command: ShellCommand;
  /** the folder that `cd` led to; '' is where the script began */
  folder: string;
  /** its arguments come from its input, as those of `xargs` */
  fed: boolean;
}

export type CommandRule = (call: Call) => CommandKind | undefined;
