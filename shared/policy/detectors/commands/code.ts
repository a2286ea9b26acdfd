/** What programs in Python, JavaScript, Perl, Ruby, PHP and the like run and delete, and what the shell of MongoDB deletes: by their calls. */
import type { LookSteps } from '../../engine/steps.js';
import { type CodeCall, readCalls, stringsIn } from './calls.js';
import { namesIn, type ProgramNames } from './known.js';
import type { CommandKind } from './rule.js';
import { CRITICAL } from './rules/files.js';
import { isSecretFile, sendsSecrets } from './secrets.js';
import { isDisk, isPrecious } from './targets.js';
import { SOMETHING } from './words.js';

/** By the name of a call, what may stand before it: `.` is nothing, `()` what another call gives. */
const owners = (names: string, before: string): [string, ReadonlySet<string>][] =>
  names.split(' ').map((name) => [name, new Set(before.split(' '))]);

/** Calls that run a command. */
const RUNS = new Map([
  ...owners('system', '. os Kernel posix ()'),
  ...owners('popen', '. os ()'),
  ...owners('execl execle execlp execlpe execv execve execvp execvpe spawnl spawnlp spawnv spawnvp', 'os ()'),
  ...owners('run call', 'subprocess sp ()'),
  ...owners('check_call check_output Popen getoutput getstatusoutput', '. subprocess sp commands ()'),
  ...owners('create_subprocess_shell create_subprocess_exec', '. asyncio'),
  ...owners(
    'exec execSync execFile execFileSync spawn spawnSync',
    '. child_process cp childProcess shell pty Bun () runtime',
  ),
  ...owners('execa execaSync execaCommand execaCommandSync shell_exec passthru proc_open pcntl_exec $', '. execa Bun'),
  ...owners('capture2 capture3', 'Open3'),
  ...owners('execute', 'os'),
  ...owners('Command', 'exec Deno'),
  ...owners('Start', 'Process'),
]);
/** Calls that delete a folder with all in it. */
const TREES = new Set(
  (
    'rmtree rmSync rmdirSync rm_rf rm_r remove_tree rimraf rimrafSync removeSync emptyDirSync emptyDir deleteDirectory remove_entry_secure ' +
    'removedirs RemoveAll remove_dir_all'
  ).split(' '),
);
/** Calls that delete a file, or a folder where they are asked to. */
const FILES = new Map([
  ...owners('remove unlink unlinkSync delete rm rmdir removeSync', 'os fs fsp fse promises File FileUtils Deno'),
  ...owners('Delete', 'File Directory ()'),
]);
const WRITES = new Set(
  'WriteAllText WriteAllBytes open writeFileSync writeFile truncateSync createWriteStream file_put_contents'.split(' '),
);
const STATEMENTS = new Set(
  (
    'execute executemany executescript executeQuery executeUpdate query raw text exec Exec $executeRaw $executeRawUnsafe $queryRawUnsafe $queryRaw sql ' +
    'rawQuery read_sql read_sql_query'
  ).split(' '),
);
/** Calls that delete all rows where they are given no condition, and those that delete a database. */
const ROWS = new Set('delete_many deleteMany'.split(' '));
const DATABASES = new Set('drop_database dropDatabase flushall flushdb flushAll flushDb'.split(' '));

const SOUGHT = new Set([
  'UploadFile',
  ...RUNS.keys(),
  ...TREES,
  ...FILES.keys(),
  ...WRITES,
  ...STATEMENTS,
  ...ROWS,
  ...DATABASES,
]);

/** All of a folder or of a home, by calls without a string. */
export const DELETES_ALL =
  /\.all\(\)\.delete\(\)|\bunlink\s*\(?\s*(?:glob\s*\(?\s*["'](?:\*|\/(?:etc|home|root|usr|boot|var|lib)\/?\*)|<\*>)|\brmtree\s*\(\s*(?:(?:pathlib\.)?Path\.(?:home|cwd)\(\)|os\.getcwd\(\)|os\.path\.expanduser\(\s*["']~\/?["'])/;

/** Code that is fetched or hidden within the call that runs it. */
export const FETCHED_CODE =
  /\bexec(?:Sync)?\s*\(\s*(?:Buffer\.from|atob)\s*\(|(?:(?<![.\w])(?:exec|eval|Function)\s*\(|\bexecSync\s*\(|\beval\s+)[^\n]{0,200}?(?:urlopen|requests\.get|urllib|b64decode|decompress|URI\.open|\bfetch\s*\(\s*["'`]http|Net::HTTP|LWP::|\batob\s*\(|\bfrom\s*\([^)]{1,4096}['"]base64|file_get_contents\s*\(\s*["']http)|\[scriptblock\]::create\(.{0,200}?(?:\birm\b|\biwr\b|DownloadString|Invoke-(?:Web|Rest)|FromBase64String)/is;
const FETCHES_CODE = /\b(?:fetch|urlopen|requests\.get|axios(?:\.get)?|https?(?:["']\))?\.get|got)\s*\(/;
const EVALUATES = /(?<![.\w])(?:eval\s*[()]|exec\s*\(|new\s+Function\s*\()|\b(?:globalThis|window)\.eval\b|\bvm\.run/;

/** Whether code is run behind the call that fetches it. */
export function runsFetched(code: string): boolean {
  const at = code.search(FETCHES_CODE);
  return at >= 0 && EVALUATES.test(code.slice(at));
}

/** Of a call is told where it stands. */
export interface CodeLook {
  /** runs a command of a shell; a list of words is joined */
  runs(command: string, call: CodeCall): void;
  /** reads statements of SQL */
  states(sql: string, call: CodeCall): void;
  tell(kind: CommandKind, call?: CodeCall): void;
}

/** So much of a program is searched for what is fetched, sent or handed over. */
export const LONGEST_CODE = 8192;
const SHELL_OVER_SOCKET = /dup2|\/bin\/(?:ba)?sh|pty\.spawn|cmd\.exe|\biex\b|Invoke-Expression/i;
const SOCKETS = /\b(?:\w*[sS]ocket|TCPClient|fsockopen|net\.(?:connect|createConnection|Socket))\b/;
const FORKS_ALWAYS = /\bwhile\s*\(?\s*(?:True|true|1)\s*\)?\s*:?\s*\{?\s*os\.fork\(\)/;

/** Looks at a program. */
export function readCode(code: string, folder: string, ahead: LookSteps, look: CodeLook): void {
  const start = code.slice(0, LONGEST_CODE);
  if (DELETES_ALL.test(start) || FORKS_ALWAYS.test(start)) look.tell('destructive');
  if (FETCHED_CODE.test(start) || runsFetched(start)) look.tell('remote_code');
  if (sendsSecrets(start)) look.tell('exfiltration');
  if (SOCKETS.test(start) && SHELL_OVER_SOCKET.test(start)) look.tell('remote_code');
  let deletesUnnamed = false;
  let names: ProgramNames | undefined;
  readCalls(
    code,
    ahead,
    (name) => SOUGHT.has(name),
    (said) => {
      names ??= namesIn(start);
      const call = known(said, names);
      if (runsCommand(call)) look.runs(asCommand(call.strings), call);
      if (destroys(call, folder)) look.tell('destructive', call);
      if (call.name === 'UploadFile' && call.strings.some(isSecretFile)) look.tell('exfiltration', call);
      if (STATEMENTS.has(call.name) && call.strings[0]?.includes(' ')) look.states(call.strings[0], call);
      if (FILES.has(call.name) && call.strings.length === 0) deletesUnnamed = true;
    },
  );
  if (deletesUnnamed && goesThrough(start, folder)) look.tell('destructive');
}

/** A call with the module that its owner stands for, and with what its first argument was set to. */
function known(call: CodeCall, names: ProgramNames): CodeCall {
  const owner = names.moduleOf(call.owner, call.name);
  const written = names.written(call.written);
  const strings = written === call.written ? call.strings : [...stringsIn(written), ...call.strings];
  return { ...call, owner, written, strings };
}

const runsCommand = ({ name, owner, strings }: CodeCall): boolean =>
  strings.length > 0 && (RUNS.get(name)?.has(owner || '.') ?? false);

const asCommand = (strings: readonly string[]): string =>
  strings.length > 1 ? strings.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ') : strings[0]!;

function destroys(call: CodeCall, folder: string): boolean {
  const { name, owner, written, strings } = call;
  if (DATABASES.has(name)) return true;
  if (ROWS.has(name)) return /^\s*(?:\{\s*\}\s*)?$/.test(written);
  if (WRITES.has(name)) {
    const [path = '', mode = ''] = strings;
    return (name !== 'open' || /^r?[wa]|^r?b?\+/.test(mode)) && (isCritical(path) || isDisk(path));
  }
  const isTree = TREES.has(name);
  if (!isTree && !FILES.get(name)?.has(owner)) return false;
  const path = pathOf(call);
  if (path === undefined) return false;
  if (isTree || /\brecursive\s*:\s*true\b|,\s*(?:\$?true|1)\b/.test(written)) return isPrecious(path, folder);
  return isCritical(path);
}

const isCritical = (path: string): boolean => CRITICAL.test(path) || /\\system32\\/i.test(path);

/** The home folder, as languages name it. */
const HOME =
  /^\s*(?:(?:os\.)?homedir\(\)|(?:pathlib\.)?Path\.home\(\)|process\.env\.(?:HOME|USERPROFILE)\b|os\.(?:environ(?:\.get\(|\[)|getenv\()\s*["']HOME["']\s*[\])]|Dir\.home\b)\s*(?:,|$)/;
/** A string that is all of an argument, maybe within calls such as `Path(…)`. */
const ONE_STRING = /^\s*(?:[\w.]{1,64}\(\s*){0,3}[rbf]{0,2}(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)\s*\){0,3}\s*(?:,|$)/;

/** The path that a call is given first; undefined: it cannot be told. */
function pathOf({ written, strings }: CodeCall): string | undefined {
  if (HOME.test(written)) return '~';
  if (strings.length === 0 || !ONE_STRING.test(written) || /\b(?:join|resolve)\(/.test(written)) return undefined;
  return strings[0]!.replace(/\$?\{[^}]{0,64}\}/g, SOMETHING);
}

const GOES_THROUGH =
  /\bwalk\s*\(\s*["']([^"'\n]{1,64})["']|\bPath\(\s*["']([^"'\n]{1,64})["']\s*\)\.(?:rglob|iterdir)\b/g;

/** Whether a program goes through all of a folder that nobody may lose. */
function goesThrough(code: string, folder: string): boolean {
  for (const [, walked, found] of code.matchAll(GOES_THROUGH)) if (isPrecious(walked ?? found!, folder)) return true;
  return false;
}

/** Calls of the shell of MongoDB that delete a collection, a database, or all of one. */
export const MONGO =
  /\bdb(?:\.[A-Za-z_]\w*|\.getCollection\([^)]{1,64}\)|\[[^\]]{1,64}\]|\.getSiblingDB\([^)]{1,64}\)){0,3}\.(?:dropDatabase\s*\(|drop\s*\(|(?:deleteMany|remove|deleteOne)\s*\(\s*(?:\{\s*\}\s*)?[,)]|dropIndexes\s*\()/;
