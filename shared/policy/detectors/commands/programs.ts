/** Programs whose arguments or input are scripts: shells, languages, clients of databases, and what runs commands elsewhere. */

import type { LookSteps } from '../../engine/steps.js';
import { type CodeLook, LONGEST_CODE, MONGO, readCode } from './code.js';
import { saidBy } from './input.js';
import { CLIENTS, CODE, SHELLS } from './names.js';
import { nameOf, optionsOf } from './options.js';
import type { CommandKind } from './rule.js';
import { isWide } from './rules/files.js';
import { fetches } from './rules/network.js';
import { readSql } from './sql.js';
import { isPrecious } from './targets.js';
import { giveArguments } from './variables.js';
import type { Dialect } from './words.js';
import { FETCHED, POSIX, type ShellCommand, WINDOWS, type Word } from './words.js';
import { behindOptions } from './wrappers.js';

/** A program that is run, and what its look may do. */
export interface Act {
  name: string;
  args: readonly Word[];
  command: ShellCommand;
  folder: string;
  ahead: LookSteps;
  variables: Map<string, string>;
  tell(kind: CommandKind | undefined): void;
  /** runs a script; without a dialect in that of the command */
  inner(text: string, dialect?: Dialect): void;
  /** runs a program with its arguments */
  call(words: readonly Word[]): void;
}

type ScriptProgram = (act: Act) => void;

const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

/** sh and its kin: `-c` has a script, and without a file it is in the input */
const shell: ScriptProgram = (act) => {
  const { args, tell } = act;
  const at = args.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/i.test(text));
  if (at >= 0) {
    const first = args.findIndex(({ text }, i) => i > at && !/^[-+]\w+$/.test(text));
    const script = first < 0 ? '' : args[first]!.text;
    if (first >= 0 && args.length > first + 1) giveArguments(args.slice(first + 1), act.variables, 0);
    if (script.includes(FETCHED)) tell('remote_code');
    act.inner(script, POSIX);
    return;
  }
  const options = optionsOf(args, ['o', 'O', 'rcfile', 'init-file']);
  const file = options.operands.find((text) => text !== '-');
  if (file === undefined || options.has('s') || /^\/dev\/(?:stdin|fd\/0)$/.test(file)) fromInput(act);
};

/** A script in the input: of a here-document, of what `echo` says, or of what is fetched or decoded. */
const fromInput: ScriptProgram = ({ command, tell, inner }) => {
  const { from, document } = command;
  if (document !== undefined) inner(document, POSIX);
  else if (fetches(from)) tell('remote_code');
  else if (from) {
    const said = saidBy(from);
    if (said.decoded) tell('remote_code');
    if (said.text !== undefined) inner(said.text, POSIX);
  }
};

const evaluate: ScriptProgram = ({ args, tell, inner }) => {
  inner(joined(args));
  if (args.some(({ text }) => text.includes(FETCHED))) tell('remote_code');
};

const source: ScriptProgram = ({ args, command, tell }) => {
  if (args.length === 0 && fetches(command.from)) tell('remote_code');
};

const asOther: ScriptProgram = ({ args, inner }) => {
  inner(optionsOf(args, ['c', 'command', 's', 'g']).value('c', 'command') ?? '', POSIX);
};

const ssh: ScriptProgram = ({ args, command, inner }) => {
  const words = behindOptions(
    [{ text: 'ssh', start: 0, end: 0, quoted: false }, ...args],
    'p i l o F J L R D E c m b B W w',
    1,
  );
  inner(joined(words) || (command.document ?? ''), POSIX);
};

const powershell: ScriptProgram = (act) => {
  const { args, command, tell, inner } = act;
  const encoded = args.findIndex(({ text }) => /^[-/](?:e|ec|en\w*)$/i.test(text));
  if (encoded >= 0 && args[encoded + 1]) {
    tell('remote_code');
    inner(Buffer.from(args[encoded + 1]!.text, 'base64').toString('utf16le'), WINDOWS);
    return;
  }
  // a script on another machine
  if (args.some(({ text }, i) => text.startsWith('\\\\') && /^[-/]f/i.test(args[i - 1]?.text ?? '')))
    tell('remote_code');
  let at = args.findIndex(({ text }) => /^[-/](?:c|co\w*|command)$/i.test(text)) + 1;
  if (at === 0) {
    at = args.findIndex(
      ({ text }, i) => !/^[-/]/.test(text) && !/^-(?:ep|ex\w*|w\w*|v\w*|i\w*|out\w*)$/i.test(args[i - 1]?.text ?? ''),
    );
    if (at < 0 && fetches(command.from)) tell('remote_code');
    if (at < 0 || /\.ps1$/i.test(args[at]!.text)) return;
  }
  const script = joined(args.slice(at));
  if (/\]::|New-Object/i.test(script)) readCode(script, act.folder, act.ahead, lookOf(act));
  inner(script, WINDOWS);
};

const cmd: ScriptProgram = ({ args, inner }) => {
  const at = args.findIndex(({ text }) => /^\/[ck]$/i.test(text));
  if (at >= 0) inner(joined(args.slice(at + 1)), WINDOWS);
};

function code({ name, args, command, folder, ahead, tell, inner }: Act, letters: readonly string[]): void {
  const options = optionsOf(args, letters);
  let text = name === 'deno' && options.operands[0] === 'eval' ? options.operands[1] : options.value(...letters);
  const isInput =
    options.operands.every((each) => each === '-') && !options.has('m', 'c', 'v', 'V', 'version', 'h', 'help');
  if (text === undefined && isInput) {
    if (fetches(command.from)) tell('remote_code');
    const said = command.from ? saidBy(command.from) : {};
    if (said.decoded) tell('remote_code');
    text = command.document ?? said.text;
  }
  if (text === undefined) return;
  readCode(text, folder, ahead, lookOf({ ahead, tell, inner }));
  if (name !== 'perl' && name !== 'ruby') return;
  const start = text.slice(0, LONGEST_CODE);
  const found = /(?:system|exec|`)\s*["'`]?(rm\s[^"'`;]{1,200})/.exec(start);
  if (found) inner(found[1]!, POSIX);
}

/** What is done with what a program runs. */
const lookOf = ({ ahead, tell, inner }: Pick<Act, 'ahead' | 'tell' | 'inner'>): CodeLook => ({
  runs: (script) => inner(script, POSIX),
  states: (text) => {
    readSql({ text, from: 0, to: text.length, lax: false, ahead }, ({ kind }) => tell(kind));
  },
  tell,
});

/** What awk runs: `system("…")` and `"…" | getline`. */
const awk: ScriptProgram = ({ args, folder, ahead, tell, inner }) => {
  const program = optionsOf(args, ['F', 'v', 'f']).operands[0] ?? '';
  readCode(program, folder, ahead, lookOf({ ahead, tell, inner }));
  if (/\/inet\/(?:tcp|udp)\//.test(program) && /\|&?\s*getline/.test(program)) tell('remote_code');
  const found = /"([^"\\]{1,512})"\s{0,8}\|\s{0,8}getline\b/.exec(program.slice(0, LONGEST_CODE));
  if (found) inner(found[1]!, POSIX);
};

function sql({ args, command, ahead, tell }: Act, names: readonly string[]): void {
  const options = optionsOf(args, ['U', 'h', 'd', 'p', 'P', 'u', 'D', 'host', 'user', 'port', 'dbname', ...names]);
  const said = [
    options.value(...names) ?? '',
    ...options.operands.filter((text) => text.includes(' ')),
    command.document ?? '',
    command.from ? (saidBy(command.from).text ?? '') : '',
  ];
  for (const text of said) {
    readSql({ text, from: 0, to: text.length, lax: false, ahead }, ({ kind }) => tell(kind));
  }
}

const redis: ScriptProgram = ({ args, command, tell }) => {
  const input = command.from ? (saidBy(command.from).text ?? '') : (command.document ?? '');
  if (/^\s*flush(?:all|db)\b/i.test(input)) tell('destructive');
  if (args.some(({ text }) => /^(?:flush(?:all|db)\b|shutdown$)/i.test(text))) tell('destructive');
};

const mongo: ScriptProgram = ({ args, command, tell }) => {
  const text = [
    optionsOf(args, ['eval', 'u', 'p']).value('eval') ?? '',
    command.document ?? '',
    command.from ? (saidBy(command.from).text ?? '') : '',
  ].join('\n');
  if (MONGO.test(text.slice(0, LONGEST_CODE))) tell('destructive');
};

/** What `-exec` of find runs on all that is found. */
const onFound: ScriptProgram = ({ args, folder, tell, call }) => {
  const said = args.map(({ text }) => text);
  for (let at = 0, n = 0; n < MOST_EXECS; n++) {
    at = said.findIndex((arg, i) => i >= at && /^-(?:exec|execdir|ok|okdir)$/.test(arg)) + 1;
    if (at === 0) return;
    const until = said.findIndex((arg, i) => i >= at && (arg === ';' || (arg === '+' && said[i - 1] === '{}')));
    const inner = args.slice(at, until < 0 ? undefined : until);
    const name = nameOf(inner[0]?.text ?? '');
    if (/^(?:rm|shred|unlink|truncate|rmdir)$/.test(name)) {
      if (isWide(said.slice(0, at), folder)) tell('destructive');
    } else if (name === 'chmod' || name === 'chown') {
      const path = said.find((arg) => !arg.startsWith('-')) ?? '.';
      const words = inner.map((word) => (word.text === '{}' ? { ...word, text: path } : word));
      call(name === 'chmod' ? [...words, { ...inner[0]!, text: '-R' }] : words);
    } else if (name !== 'find') call(inner);
  }
};

const MOST_EXECS = 8;

/** Options and settings of programs that are commands of their own. */
const ESCAPES: Readonly<Record<string, RegExp>> = {
  git: /^(?:alias\.[\w-]+=!|(?:core\.(?:sshCommand|editor|pager|fsmonitor)|credential\.helper|diff\.external)=!?)(.+)$/s,
  tar: /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command)=(.+)$/s,
  vim: /^:?!(.+)$/s,
  vi: /^:?!(.+)$/s,
  nvim: /^:?!(.+)$/s,
  ex: /^:?!(.+)$/s,
  less: /^\+?!(.+)$/s,
  sed: /^(?:\d+|\$|\/[^/]{0,64}\/)?e\s+(.+)$/s,
  expect: /^spawn\s+(.+)$/s,
  ssh: /^(?:-o)?(?:ProxyCommand|LocalCommand)[= ](.+)$/s,
  rsync: /^(?:-e|--rsh=)\s*((?:sh|bash)\s.+)$/s,
};

function escapes({ name, args, inner }: Act): void {
  const pattern = ESCAPES[name]!;
  args.slice(0, 32).forEach(({ text }, i) => {
    const isSetting = name === 'git' && args[i + 1] && /^core\.(?:sshCommand|editor|pager|fsmonitor)$/.test(text);
    const said = pattern.exec(isSetting ? `${text}=${args[i + 1]!.text}` : text)?.[1];
    if (said !== undefined) inner(said, POSIX);
  });
}

const PROGRAMS = new Map<string, ScriptProgram>([
  ...[...SHELLS].map((name) => [name, shell] as const),
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['alias', ({ args, inner }) => inner(args.map(({ text }) => text.replace(/^[^=]{1,64}=/, '')).join('; '), POSIX)],
  ['trap', ({ args, inner }) => inner(args[0]?.text ?? '')],
  [
    'ansible',
    ({ args, inner, tell }) => {
      const options = optionsOf(args, ['a', 'm', 'i', 'u', 'args', 'module-name']);
      const said = options.value('a', 'args') ?? '';
      const path = /\b(?:path|dest|name)=(\S+)/.exec(said)?.[1];
      if (/\bstate=absent\b/.test(said) && path !== undefined && isPrecious(path)) tell('destructive');
      inner(said, POSIX);
    },
  ],
  ['at', fromInput],
  ['batch', fromInput],
  ['su', asOther],
  ['runuser', asOther],
  ['script', asOther],
  ['flock', asOther],
  ['ssh', ssh],
  ['pwsh', powershell],
  ['powershell', powershell],
  ['cmd', cmd],
  ['redis-cli', redis],
  ['valkey-cli', redis],
  ['keydb-cli', redis],
  ['mongo', mongo],
  ['mongosh', mongo],
  ['find', onFound],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['nawk', awk],
]);

/** Looks at the scripts that a program is given. */
export function runProgram(act: Act): void {
  const { name, args, call } = act;
  PROGRAMS.get(name)?.(act);
  if (Object.hasOwn(ESCAPES, name)) escapes(act);
  const options = CODE.get(name.replace(/^(python\d|lua|php|perl|ruby)[\d.]+$/, '$1'));
  if (options !== undefined) code(act, options.split(' '));
  const statements = CLIENTS.get(name);
  if (statements !== undefined) sql(act, statements.split(' '));
  const inside = insideOf(name, args);
  if (inside.length > 0) call(inside);
}

/** What `docker exec`, `docker run` and `kubectl exec` run. */
function insideOf(name: string, args: readonly Word[]): readonly Word[] {
  if (!/^(?:docker|podman|kubectl|oc|nerdctl|docker-compose|vagrant)$/.test(name)) return [];
  const verb = args.findIndex(({ text }) => text === 'exec' || text === 'run');
  if (verb < 0 || verb > 8) return [];
  const dashes = args.findIndex(({ text }, i) => i > verb && text === '--');
  if (dashes > 0) return args.slice(dashes + 1);
  const at = args.findIndex(
    ({ text }, i) =>
      i > verb &&
      (SHELLS.has(nameOf(text)) || /^(?:rm|dd|mkfs|psql|mysql|redis-cli|mongosh?|find|chmod)$/.test(nameOf(text))) &&
      !args[i - 1]?.text.startsWith('--'),
  );
  return at < 0 ? [] : args.slice(at);
}
