/** What one line of Python, Perl, Ruby, Node or PHP runs, and what the shell of MongoDB deletes: read by the calls that it makes. */
import type { LookSteps } from '../../engine/steps.js';

/** Calls whose first string is a command of a shell. */
const RUNS =
  /(?:^|[^\w])(?:system|popen|exec|execSync|spawnSync|run|call|check_call|check_output|getoutput|Popen|shell_exec|passthru|qx|spawn)\s*\(\s*(?=["'`[])/g;
/** Calls whose first string is a folder that is deleted with all in it. */
const DELETES =
  /(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|rimraf(?:\.sync)?|removeSync|emptyDirSync|deleteDirectory|fs\.rm|remove_entry_secure)\s*\(?\s*(?=["'`])/g;
/** Strings that are looked at of one text. */
const MOST = 32;
const LONGEST = 4096;

/** All of a folder or of a home, by calls without a string. */
export const DELETES_ALL =
  /\bunlink\s*\(?\s*(?:glob\s*\(?\s*["']\*|<\*>)|\brmtree\s*\(\s*(?:(?:pathlib\.)?Path\.(?:home|cwd)\(\)|os\.getcwd\(\)|os\.path\.expanduser\(\s*["']~\/?["'])/;

/** Code that is fetched or hidden within the call that runs it. */
export const FETCHED_CODE =
  /\b(?:exec|eval)\s*\(.{0,200}?(?:urlopen|requests\.get|urllib|b64decode|decompress|URI\.open|Net::HTTP|LWP::|file_get_contents\s*\(\s*["']http)/s;
const FETCHES_CODE = /\b(?:fetch|urlopen|requests\.get|axios(?:\.get)?|https?(?:["']\))?\.get|got)\s*\(/;
const EVALUATES = /(?<![.\w])(?:eval\s*[()]|exec\s*\(|new\s+Function\s*\()|\b(?:globalThis|window)\.eval\b|\bvm\.run/;

/** Whether code is run behind the call that fetches it. */
export function runsFetched(code: string): boolean {
  const at = code.search(FETCHES_CODE);
  return at >= 0 && EVALUATES.test(code.slice(at));
}

export interface CodeLook {
  /** of a shell command; of a list of words they are joined */
  runs(command: string): void;
  deletes(path: string): void;
}

export function readCode(code: string, ahead: LookSteps, look: CodeLook): void {
  each(code, RUNS, ahead, look.runs);
  each(code, DELETES, ahead, look.deletes);
}

function each(code: string, pattern: RegExp, ahead: LookSteps, tell: (text: string) => void): void {
  pattern.lastIndex = 0;
  for (let n = 0; n < MOST && pattern.test(code); n++) {
    const at = pattern.lastIndex;
    const said = code[at] === '[' ? listAt(code, at) : stringAt(code, at);
    ahead.left -= said.length;
    if (ahead.left < 0) return;
    if (said !== '') tell(said);
  }
}

function stringAt(code: string, at: number): string {
  const sign = code[at]!;
  let said = '';
  for (let i = at + 1; i < Math.min(code.length, at + LONGEST); i++) {
    const unit = code[i]!;
    if (unit === sign) return said;
    if (unit === '\\') i++;
    said += code[i] ?? '';
  }
  return '';
}

/** The strings of a list, as words of a command. */
function listAt(code: string, at: number): string {
  const words: string[] = [];
  const end = Math.min(code.length, at + LONGEST);
  for (let i = at + 1; i < end && code[i] !== ']' && words.length < 64; i++) {
    if (code[i] !== '"' && code[i] !== "'") continue;
    const word = stringAt(code, i);
    words.push(`'${word}'`);
    i += word.length + 1;
  }
  return words.join(' ');
}

/** Calls of the shell of MongoDB that delete a collection, a database, or all of one. */
export const MONGO =
  /\bdb(?:\.[A-Za-z_]\w*|\.getCollection\([^)]{1,64}\)|\[[^\]]{1,64}\]|\.getSiblingDB\([^)]{1,64}\)){0,3}\.(?:dropDatabase\s*\(|drop\s*\(|(?:deleteMany|remove|deleteOne)\s*\(\s*(?:\{\s*\}\s*)?[,)]|dropIndexes\s*\()/;
