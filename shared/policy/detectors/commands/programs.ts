/** Programs whose arguments or input are scripts: shells, languages, clients of databases, and what runs commands elsewhere. */

import type { LookSteps } from '../../engine/steps.js';
import { DELETES_ALL, FETCHED_CODE, MONGO, readCode, runsFetched } from './code.js';
import { saidBy } from './input.js';
import { CLIENTS, CODE, SHELLS } from './names.js';
import { nameOf, optionsOf } from './options.js';
import type { CommandKind } from './rule.js';
import { isWide } from './rules/files.js';
import { fetches } from './rules/network.js';
import { sendsSecrets } from './secrets.js';
import { readSql } from './sql.js';
import { isPrecious } from './targets.js';
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
    const script = args.slice(at + 1).find(({ text }) => !/^[-+]\w+$/.test(text))?.text ?? '';
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

const powershell: ScriptProgram = ({ args, command, tell, inner }) => {
  const encoded = args.findIndex(({ text }) => /^[-/](?:e|ec|en\w*)$/i.test(text));
  if (encoded >= 0 && args[encoded + 1]) {
    tell('remote_code');
    inner(Buffer.from(args[encoded + 1]!.text, 'base64').toString('utf16le'), WINDOWS);
    return;
  }
  let at = args.findIndex(({ text }) => /^[-/](?:c|co\w*|command)$/i.test(text)) + 1;
  if (at === 0) {
    at = args.findIndex(
      ({ text }, i) => !/^[-/]/.test(text) && !/^-(?:ep|ex\w*|w\w*|v\w*|i\w*|out\w*)$/i.test(args[i - 1]?.text ?? ''),
    );
    if (at < 0 && fetches(command.from)) tell('remote_code');
    if (at < 0 || /\.ps1$/i.test(args[at]!.text)) return;
  }
  inner(joined(args.slice(at)), WINDOWS);
};

const cmd: ScriptProgram = ({ args, inner }) => {
  const at = args.findIndex(({ text }) => /^\/[ck]$/i.test(text));
  if (at >= 0) inner(joined(args.slice(at + 1)), WINDOWS);
};

/** So much of a program is searched. */
const LONGEST_CODE = 8192;

function code({ name, args, command, folder, ahead, tell, inner }: Act, letters: readonly string[]): void {
  const options = optionsOf(args, letters);
  let text = options.value(...letters);
  const isInput =
    options.operands.every((each) => each === '-') && !options.has('m', 'c', 'v', 'V', 'version', 'h', 'help');
  if (text === undefined && isInput) {
    if (fetches(command.from)) tell('remote_code');
    const said = command.from ? saidBy(command.from) : {};
    if (said.decoded) tell('remote_code');
    text = command.document ?? said.text;
  }
  if (text === undefined) return;
  const start = text.slice(0, LONGEST_CODE);
  if (DELETES_ALL.test(start)) tell('destructive');
  if (FETCHED_CODE.test(start) || runsFetched(start)) tell('remote_code');
  if (sendsSecrets(start)) tell('exfiltration');
  if (
    /\b(?:[sS]ocket|fsockopen|net\.(?:connect|createConnection|Socket))\b/.test(start) &&
    /(?:dup2|\/bin\/(?:ba)?sh|pty\.spawn|TCPSocket)/.test(start)
  )
    tell('remote_code');
  readCode(text, ahead, {
    runs: (script) => inner(script, POSIX),
    deletes: (path) => tell(isPrecious(path, folder) ? 'destructive' : undefined),
  });
  if (name !== 'perl' && name !== 'ruby') return;
  const found = /(?:system|exec|`)\s*["'`]?(rm\s[^"'`;]{1,200})/.exec(start);
  if (found) inner(found[1]!, POSIX);
}

/** What awk runs: `system("…")` and `"…" | getline`. */
const awk: ScriptProgram = ({ args, ahead, inner }) => {
  const program = optionsOf(args, ['F', 'v', 'f']).operands[0] ?? '';
  readCode(program, ahead, { runs: (script) => inner(script, POSIX), deletes: () => {} });
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

const PROGRAMS = new Map<string, ScriptProgram>([
  ...[...SHELLS].map((name) => [name, shell] as const),
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['alias', ({ args, inner }) => inner(args.map(({ text }) => text.replace(/^[^=]{1,64}=/, '')).join('; '), POSIX)],
  ['trap', ({ args, inner }) => inner(args[0]?.text ?? '')],
  ['ansible', ({ args, inner }) => inner(optionsOf(args, ['a', 'm', 'i', 'u']).value('a') ?? '', POSIX)],
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
