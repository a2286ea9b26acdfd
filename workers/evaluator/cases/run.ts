/** Evaluates the cases of a file by edited policies, as many of them as there is time for. */
import { LIMITS } from '../../../shared/api/limits.js';
import type { Configuration, Problem } from '../../../shared/configuration/configuration.js';
import type { CasesPage, TestedResult, TryAnswer } from '../../../shared/streams/tries.js';
import type { Entry } from '../draft.js';
import { extractImages } from '../images/find.js';
import type { TriedPolicies } from '../kinds/tried.js';
import { asksIn } from '../outcome.js';
import { type Case, readCases } from './cases.js';
import { contextOf, draftOf, foundIn, headerOf } from './evaluate.js';
import { explained } from './explain.js';
import { differencesOf } from './judge.js';
import type { TestScope } from './scope.js';

type Tried = Pick<TriedPolicies, 'plan' | 'configuration'>;

/** Lines about one case, and characters of all lines of an answer; what comes then is left out. */
const MOST_LINES = 20;
const MOST_CHARACTERS = 256 * 1024;

/** `where`: the scope in which policies are edited. `isOver`: there is no time for one more case. The first is evaluated all the same. */
export function testedCases(
  tried: Tried,
  where: TestScope,
  { text, start, environments, deployments }: CasesPage,
  isOver: () => boolean,
): TryAnswer {
  const configuration = seenPart(tried.configuration, environments, deployments);
  const read = readCases(text, { file: 'cases', configuration, readBytes: noFile, where });
  if (!read.ok) return { refused: read.problems.slice(0, LIMITS.issues).map(issueOf) };
  const results: TestedResult[] = [];
  let left = MOST_CHARACTERS;
  for (const one of read.cases.slice(start)) {
    if (results.length > 0 && (left <= 0 || isOver())) break;
    const result = testedCase(tried, one);
    left -= result.why.reduce((sum, line) => sum + line.length, result.name.length);
    results.push(result);
  }
  return { cases: { total: read.cases.length, results } };
}

/** Cases are checked where the caller may check. */
const seenPart = (
  all: Configuration,
  environments: readonly string[],
  deployments: readonly string[],
): Configuration => ({
  ...all,
  environments: all.environments.filter(({ id }) => environments.includes(id)),
  deployments: all.deployments.filter(({ id }) => deployments.includes(id)),
});

function noFile(): never {
  throw new Error('no file is read here: weir test reads images');
}

const issueOf = ({ path, line, column, message }: Problem): { path: string; code: string; message: string } => ({
  path: path === '' ? 'cases' : path,
  code: 'case',
  message: `${message} (line ${line}, column ${column})`,
});

function testedCase({ plan, configuration }: Tried, of: Case): TestedResult {
  const body = new TextEncoder().encode(JSON.stringify(of.body));
  const header = headerOf(of);
  const named = { name: of.name, line: of.position.line };
  if (extractImages(plan, header, body).images.length > 0)
    return { ...named, outcome: 'not_run', why: ['it has an image, which a policy looks at: weir test does that'] };
  const now = Date.now();
  const gathered = { references: {}, context: contextOf(of) };
  const entry: Entry = { id: `${now}-0`, header, body, gathered, indexes: new Map(), late: false, completed: now };
  const draft = draftOf(of.kind, plan, entry);
  if (asksIn(draft).length > 0)
    return { ...named, outcome: 'not_run', why: ['a policy asks a backend or a model about it: weir test does that'] };
  const found = foundIn(of, draft);
  const differences = differencesOf(of.expected, found);
  const why = explained({ found, differences }, configuration).slice(0, MOST_LINES);
  return { ...named, outcome: differences.length === 0 ? 'passed' : 'failed', why };
}
