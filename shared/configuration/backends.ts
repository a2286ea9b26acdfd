/** Backends: language models that the operator runs, and that the detector `llm` asks. */

import { leavesOf } from '../policy/detect-expression.js';
import { type DetectorParameters, questionOf } from '../policy/detectors/registry.js';
import type { AskedModel } from '../policy/types.js';
import type { BackendBudget } from './backend.js';
import {
  type Cursor,
  clip,
  complain,
  type FindingsReport,
  fieldsOf,
  ID_RULE,
  isAbsent,
  noteShape,
  numberOf,
  readOwner,
  suggestion,
  textOf,
} from './read/fields.js';
import type { BackendConfiguration, Configuration } from './types.js';

const KEYS = [
  'id',
  'team',
  'url',
  'model',
  'api_key_env',
  'api_key_file',
  'timeout_ms',
  'concurrency',
  'cache_seconds',
  'budget',
] as const;

/** Settings of Weir have addresses with passwords, which nobody else is sent. */
export const SECRET_VARIABLE = {
  pattern: /^(?!WEIR_)[A-Z][A-Z0-9_]{0,127}$/,
  expected: 'the name of an environment variable of A-Z, 0-9 and "_" that does not begin with WEIR_',
};
const FILE = { max: 1024, pattern: /^\/[^\0\n]*$/, expected: 'the full path of a file on every worker' };
const URL_EXPECTED = 'an address such as http://127.0.0.1:8000/v1, without user, password, query or fragment';

export function readBackend(cursor: Cursor): BackendConfiguration | undefined {
  const fields = fieldsOf(cursor, KEYS);
  if (!fields) return undefined;
  const [variable, file] = [fields.get('api_key_env'), fields.get('api_key_file')];
  if (!isAbsent(variable) && !isAbsent(file)) complain(file, 'expected api_key_env or api_key_file, not both');
  return {
    id: textOf(fields.get('id'), ID_RULE),
    team: readOwner(fields),
    url: readUrl(fields.get('url')),
    model: textOf(fields.get('model')),
    api_key_env: isAbsent(variable) ? null : textOf(variable, SECRET_VARIABLE),
    api_key_file: isAbsent(file) ? null : textOf(file, FILE),
    timeout_ms: numberOf(fields.get('timeout_ms'), { default: 5000, min: 10, max: 60_000 }),
    concurrency: numberOf(fields.get('concurrency'), { default: 8, min: 1, max: 256 }),
    cache_seconds: numberOf(fields.get('cache_seconds'), { default: 300, min: 0, max: 86_400 }),
    ...readBudget(fields.get('budget')),
  };
}

const BUDGET = { requests_per_minute: 100_000_000, tokens_per_day: 1_000_000_000_000 };

function readBudget(cursor: Cursor): { budget?: BackendBudget } {
  if (isAbsent(cursor)) return {};
  const names = Object.keys(BUDGET) as (keyof BackendBudget)[];
  const fields = fieldsOf(cursor, names);
  if (!fields) return {};
  if (!names.some(fields.has)) complain(cursor, `expected ${names.join(', ')} or both`);
  const limit = (name: keyof BackendBudget): number | null => {
    return fields.has(name) ? numberOf(fields.get(name), { default: 1, min: 1, max: BUDGET[name] }) : null;
  };
  return { budget: { requests_per_minute: limit('requests_per_minute'), tokens_per_day: limit('tokens_per_day') } };
}

/** The address without a slash at its end. */
function readUrl(cursor: Cursor): string {
  const text = textOf(cursor, { max: 2048, expected: URL_EXPECTED });
  noteShape(cursor, { pattern: '^https?://' });
  if (text === '') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text);
  if (!plain) complain(cursor, `expected ${URL_EXPECTED}`);
  return text.replace(/\/+$/, '');
}

/** That each `llm` names a backend of its own team. One of another team is told as one that is not there. */
export function checkBackends({ backends, policies }: Configuration, report: FindingsReport): void {
  policies.forEach(({ team, detect }, i) => {
    const own = backends.filter((each) => each.team === team).map(({ id }) => id);
    for (const name of new Set(backendsIn(detect))) {
      if (name === '' || own.includes(name)) continue;
      const path = ['policies', i, 'detect'];
      report.add(path, () => `team "${clip(team)}" has no backend "${clip(name)}"${suggestion(name, own)}`);
    }
  });
}

/** Ids of the backends that an expression asks. */
export function backendsIn(detect: Configuration['policies'][number]['detect']): string[] {
  return leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    const about = questionOf(leaf)?.about;
    return about && 'backend' in about ? about.backend : [];
  });
}

/** Models, with their labels, that an expression asks about texts. */
export function textModelsIn(detect: Configuration['policies'][number]['detect']): AskedModel[] {
  return leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    const about = questionOf(leaf)?.about;
    return about && 'model' in about ? about : [];
  });
}
