/** Simple commands, as a shell reads them. */

/** Stands in a word for the value of a variable that is not known, and may be empty. */
export const UNKNOWN = '\ufdd0';
/** The same, of a value that is not empty. */
export const SOMETHING = '\ufdd1';

/** The same, of what was fetched or decoded. */
export const FETCHED = '\ufdd2';

/** Stands behind SOMETHING or FETCHED where that has secrets. */
export const SECRET = '\ufdd3';

/** Programs that fetch what they are told the address of. */
export const FETCHES = new Set(
  'curl wget fetch lwp-request aria2c iwr irm invoke-webrequest invoke-restmethod'.split(' '),
);
/** Programs that make a script of what does not look like one. */
export const DECODES = new Set('base64 base32 xxd openssl rev uudecode'.split(' '));

export interface Word {
  /** what it says, without quotes and escapes */
  text: string;
  start: number;
  end: number;
  /** some of it is quoted or escaped */
  quoted: boolean;
}

export interface Redirect {
  /** such as `>`, `>>`, `<`, `<<<` */
  op: string;
  target: Word;
}

export interface ShellCommand {
  words: Word[];
  redirects: Redirect[];
  /** what a here-document gives it */
  document: string | undefined;
  /** what is before it in a pipe, or calls the substitution that is its only argument */
  from: ShellCommand | undefined;
  /** the commands of a subshell, of braces or of a loop, where it stands for one; it has no words then */
  group?: readonly ShellCommand[];
  /** of a function that it calls, with what stands behind that */
  body?: string;
  start: number;
  end: number;
}

/** Signs that part words and commands, and that quote. */
export interface Dialect {
  escape: string;
  /** variables are `$name`, and `#` begins a comment */
  posix: boolean;
  /** a backtick begins a substitution; in prose it begins what is quoted */
  ticks: boolean;
}

export const POSIX: Dialect = { escape: '\\', posix: true, ticks: true };
export const WINDOWS: Dialect = { escape: '`', posix: false, ticks: false };
export const PROSE: Dialect = { ...POSIX, ticks: false };
