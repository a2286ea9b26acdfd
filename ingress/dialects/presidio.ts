/** Microsoft Presidio (decisions, Adapters): session checks, answered by all that was found in each text; and texts with finds replaced. */
import { ApiError, validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import type { FoundInText, ResultRecord } from '../../shared/api/results/record.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { Issue, PolicyResult, PresidioFinding } from '../../shared/api/types.js';
import { type AnalyzeAsked, askedBy } from '../../shared/api/validate/asked.js';
import type { KnownDeployment } from '../admission/directory.js';
import { entityOf, inCapitals, type PolicyMeaning } from '../admission/meanings.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { sendJson } from '../http/response.js';
import { answering } from '../routes/body.js';
import { type CheckRoute, checking } from '../routes/check.js';
import { sessionCheck } from '../routes/sessions.js';
import { anonymized } from './anonymized.js';
import { defaultDeployment, pointsIn } from './deployment.js';

const analyze: CheckRoute<KnownDeployment> = {
  ...sessionCheck,
  body: () => 'analyze',
  permit(edge, exchange, { asked }) {
    const deployment = defaultDeployment(edge, exchange);
    checkEntities(deployment, askedBy(asked, 'analyze'));
    return deployment;
  },
  view: { explain: true, flaggedOnly: false },
  finds: true,
  renderAll(records, { asked: of }, deployment) {
    const asked = askedBy(of, 'analyze');
    const all = records.map((record, i) => findingsIn(record, asked.texts[i]!, asked, deployment));
    return JSON.stringify(asked.list ? all : all[0]);
  },
};

/** Policies that look at what a user writes. */
const policiesOf = (deployment: KnownDeployment): [id: string, meaning: PolicyMeaning][] =>
  [...deployment.meanings()].filter(([, { sources, direction }]) => sources.includes('text') && direction !== 'output');

/** What it may find. */
const entitiesIn = ({ entities, name }: PolicyMeaning): Set<string> => new Set([...entities, inCapitals(name)]);

/** Throws 400 where no policy of the deployment looks for what is asked for: an empty answer would say that there is none of it. */
function checkEntities(deployment: KnownDeployment, { entities }: AnalyzeAsked): void {
  const known = new Set(policiesOf(deployment).flatMap(([, meaning]) => [...entitiesIn(meaning)]));
  const issues = entities.flatMap((name, i): Issue[] => {
    const told = /^[A-Z0-9_]{1,64}$/.test(name) ? ` ${name}` : ' this entity';
    const message = `no policy of the deployment looks for${told}`;
    return known.has(name) ? [] : [{ path: `entities[${i}]`, code: 'unknown_entity', message }];
  });
  if (issues.length > 0) throw validationError(issues.slice(0, LIMITS.issues));
}

/** A find in UTF-16 units. */
interface TextFinding {
  entity: string;
  policy: string;
  detector: string;
  start: number;
  end: number;
  score: number;
}

/** What was found in a text, the surest first. Throws where it was not looked at by every policy that may find what is asked for. */
function findingsIn(
  record: ResultRecord,
  text: string,
  asked: AnalyzeAsked,
  deployment: KnownDeployment,
): PresidioFinding[] {
  const { finds } = record.items[0]!;
  if (!finds) {
    const message = 'What this check has found is not there. Send it again, without its Idempotency-Key.';
    throw new ApiError('unavailable', message);
  }
  const wanted = new Set(asked.entities);
  const isWanted = (entity: string): boolean => wanted.size === 0 || wanted.has(entity);
  const results = JSON.parse(storedItem(record, record.items[0]!).policies) as Record<string, PolicyResult>;
  checkLooked(results, finds, deployment, isWanted);
  const found = Object.entries(results).flatMap(([id, { flagged, name }]) => {
    const all = flagged ? foundBy(id, name, finds, text) : [];
    if (!flagged || all.length > 0) return all;
    // It is violated without a place. Whoever asks for something that it looks for is told so.
    const entities = [inCapitals(name), ...(deployment.meanings().get(id)?.entities ?? [])];
    const entity = entities.find(isWanted);
    return entity === undefined ? [] : [{ ...whole(text, name), entity }];
  });
  const allowed = new Set(asked.allowed);
  const told = found.filter(
    ({ entity, start, end, score }) =>
      isWanted(entity) && score >= asked.threshold && (allowed.size === 0 || !allowed.has(text.slice(start, end))),
  );
  return inOrder(told, text, asked.explained);
}

/** Throws where a policy that may find what is asked for has no verdict. */
function checkLooked(
  results: Readonly<Record<string, PolicyResult>>,
  { over, foreign }: FoundInText,
  deployment: KnownDeployment,
  isWanted: (entity: string) => boolean,
): void {
  if (over) throw new ApiError('not_evaluable', 'text: it has more finds than are told. Send it in parts.');
  for (const [id, meaning] of policiesOf(deployment)) {
    if (results[id] || ![...entitiesIn(meaning)].some(isWanted)) continue;
    const why = foreign ? ', since it does not know the language' : '';
    const rest = foreign ? ' Leave what it looks for out of entities.' : '';
    const message = `text: the policy ${meaning.name} could not be evaluated${why}.${rest}`;
    throw new ApiError(foreign ? 'not_evaluable' : 'unavailable', message);
  }
}

const whole = (text: string, policy: string): TextFinding => ({
  entity: inCapitals(policy),
  policy,
  detector: '',
  start: 0,
  end: text.length,
  score: 1,
});

/** What a policy has found. What is not in one place is the whole text. */
function foundBy(id: string, policy: string, { of }: FoundInText, text: string): TextFinding[] {
  const all: TextFinding[] = [];
  for (const [detector, numbers] of Object.entries(of[id] ?? {})) {
    const entity = entityOf(detector, policy);
    for (let i = 0; i < numbers.length; i += 3) {
      const [start, end, score] = [numbers[i]!, numbers[i + 1]!, numbers[i + 2]!];
      const place = start < end ? { start, end } : { start: 0, end: text.length };
      all.push({ entity, policy, detector, ...place, score });
    }
  }
  return all;
}

/** As Presidio has it: each once, the surest first, then the first, then the longest. */
function inOrder(found: readonly TextFinding[], text: string, explained: boolean): PresidioFinding[] {
  const best = new Map<string, TextFinding>();
  for (const one of found) {
    const place = `${one.start} ${one.end} ${one.entity}`;
    const known = best.get(place);
    if (!known || one.score > known.score) best.set(place, one);
  }
  const all = [...best.values()];
  const offsets = all.flatMap(({ start, end }) => [start, end]).sort((a, b) => a - b);
  const count = pointsIn(text);
  const points = new Map(offsets.map((offset) => [offset, count(offset)]));
  all.sort((a, b) => b.score - a.score || a.start - b.start || b.end - a.end);
  return all.map(
    (one): PresidioFinding => ({
      analysis_explanation: explained ? explanationOf(one) : null,
      end: points.get(one.end)!,
      entity_type: one.entity,
      score: one.score,
      start: points.get(one.start)!,
    }),
  );
}

const explanationOf = ({
  policy,
  detector,
  score,
}: TextFinding): NonNullable<PresidioFinding['analysis_explanation']> => ({
  recognizer: policy,
  pattern_name: null,
  pattern: null,
  original_score: score,
  score,
  textual_explanation: detector === '' ? 'The whole text violates the policy.' : `Found by ${detector}.`,
  score_context_improvement: 0,
  supportive_context_word: '',
  validation_result: null,
});

function supportedEntities(edge: Edge, exchange: Exchange): void {
  const deployment = defaultDeployment(edge, exchange);
  const all = new Set(policiesOf(deployment).flatMap(([, { entities }]) => entities));
  sendJson(edge, exchange, JSON.stringify([...all].sort()));
}

const TOO_LARGE = `expected finds and new texts that have at most ${LIMITS.restoredBytes} bytes together`;

export const presidioRoutes = {
  analyzeText: checking(analyze),
  anonymizeText: answering('anonymize', (_edge, _exchange, { asked }) => {
    const made = anonymized(askedBy(asked, 'anonymize'), LIMITS.restoredBytes);
    if (made) return JSON.stringify(made);
    throw validationError([{ path: 'analyzer_results', code: 'content_too_large', message: TOO_LARGE }]);
  }),
  supportedEntities,
} satisfies RouteHandlers;
