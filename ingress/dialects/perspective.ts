/** The Perspective API (decisions, Adapters): a session check, answered by scores. */
import { UNKNOWN_LANGUAGE } from '../../shared/api/dialects/perspective-error.js';
import { ApiError, validationError } from '../../shared/api/errors.js';
import type { LabelScores, ResultRecord, TextScores } from '../../shared/api/results/record.js';
import { storedItem } from '../../shared/api/results/render.js';
import type {
  Issue,
  PerspectiveResponse,
  PerspectiveScore,
  PerspectiveScores,
  PolicyResult,
} from '../../shared/api/types.js';
import { askedBy, type PerspectiveAsked } from '../../shared/api/validate/asked.js';
import { attributePath } from '../../shared/api/validate/dialects/perspective.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { KnownDeployment } from '../admission/directory.js';
import { inCapitals, type PolicyMeaning } from '../admission/meanings.js';
import type { RouteHandlers } from '../http/exchange.js';
import { type CheckRoute, checking } from '../routes/check.js';
import { sessionCheck } from '../routes/sessions.js';
import { defaultDeployment, pointsIn, scoreOf, scoresIn } from './deployment.js';

/** A label of the models of Weir, and by how much its log-odds are lowered. */
interface AttributeSource {
  label: string;
  lower: number;
}

const of = (label: string, lower = 0): AttributeSource => ({ label, lower });

/** What attributes are scored by. Where several stand for one label, Weir does not tell them apart. */
const ATTRIBUTES: ReadonlyMap<string, AttributeSource> = new Map([
  ['TOXICITY', of('toxicity')],
  ['SEVERE_TOXICITY', of('toxicity', 3)],
  ['INSULT', of('toxicity')],
  ['PROFANITY', of('toxicity')],
  ['IDENTITY_ATTACK', of('hate')],
  ['THREAT', of('violence')],
  ['SEXUALLY_EXPLICIT', of('sexual')],
]);

/** Where a detector of Weir fires, the score is this. Callers of the Perspective API act on 0.7 to 0.9. */
const AT_LEAST = 0.8;

const perspective: CheckRoute<KnownDeployment> = {
  ...sessionCheck,
  body: () => 'perspective',
  permit(edge, exchange, input) {
    const deployment = defaultDeployment(edge, exchange);
    const unknown = askedOf(input).attributes.filter(
      ([name]) => !sourceOf(name) && policiesOf(deployment, name).length === 0,
    );
    if (unknown.length > 0) {
      throw validationError(
        unknown.map(([name]): Issue => {
          const path = attributePath(name);
          const told = path.endsWith(name) ? `Unknown requested attribute: ${name}` : 'Unknown requested attribute';
          return { path, code: 'unknown_attribute', message: told };
        }),
      );
    }
    return deployment;
  },
  view: { explain: true, flaggedOnly: false },
  scores(deployment, input) {
    const { attributes, spans } = askedOf(input);
    const own = attributes.flatMap(([name]) => sourceOf(name)?.label ?? []);
    const ofPolicies = attributes.flatMap(([name]) => policiesOf(deployment, name).flatMap(([, { labels }]) => labels));
    return { labels: [...new Set([...own, ...ofPolicies])], ...(spans ? { sentences: true } : {}) };
  },
  renderAll: ([record], input, deployment) => JSON.stringify(responseTo(record!, askedOf(input), deployment)),
};

const askedOf = ({ asked }: CheckInput): PerspectiveAsked => askedBy(asked, 'perspective');

/** Experimental attributes are scored as the others. */
const sourceOf = (name: string): AttributeSource | undefined => ATTRIBUTES.get(name.replace(/_EXPERIMENTAL$/, ''));

/** Policies by the name of an attribute: those that look at what a user writes. */
const policiesOf = (deployment: KnownDeployment, attribute: string): [id: string, meaning: PolicyMeaning][] =>
  [...deployment.meanings()].filter(
    ([, { name, sources, direction }]) =>
      sources.includes('text') && direction !== 'output' && inCapitals(name) === attribute,
  );

function responseTo(record: ResultRecord, asked: PerspectiveAsked, deployment: KnownDeployment): PerspectiveResponse {
  const scores = attributeScores(record, asked, deployment);
  return {
    ...(scores.length === 0 ? {} : { attributeScores: Object.fromEntries(scores) }),
    ...(asked.languages === null ? {} : { languages: [...asked.languages] }),
    ...(asked.token === '' ? {} : { clientToken: asked.token }),
  };
}

function attributeScores(
  record: ResultRecord,
  { attributes, text }: PerspectiveAsked,
  deployment: KnownDeployment,
): [name: string, scores: PerspectiveScores][] {
  const [whole, ...sentences] = scoresIn(record);
  const spans = sentences.length > 0 ? sentences : [whole];
  const points = pointsIn(text);
  return attributes.flatMap(([name, threshold = 0]) => {
    const source = sourceOf(name);
    const summary = source ? labelScore(name, source, whole.of) : policyScore(name, record, whole.of, deployment);
    if (summary < threshold) return [];
    const spanScores = spans.map((span: TextScores) => ({
      begin: points(span.start),
      end: points(span.end),
      // A sentence alone may be in no language that is told.
      score: scored(span === whole || !source ? summary : labelScore(name, source, span.of, summary)),
    }));
    return [[name, { spanScores, summaryScore: scored(summary) }]];
  });
}

const scored = (value: number): PerspectiveScore => ({ value: Math.round(value * 1e6) / 1e6, type: 'PROBABILITY' });

/** Throws 400 where the model does not know the language; with `otherwise` it is that. */
function labelScore(name: string, { label, lower }: AttributeSource, scores: LabelScores, otherwise?: number): number {
  const found = scores[label];
  if (!found || 'foreign' in found) {
    if (otherwise !== undefined) return otherwise;
    throw foreign(name, found?.foreign ?? '');
  }
  return chance(logOdds(found.score) - logOdds(found.least) + logOdds(AT_LEAST) - lower);
}

/** The score of policies by their name: how sure it is that one is violated. Throws where one has no verdict: no score says that. */
function policyScore(name: string, record: ResultRecord, scores: LabelScores, deployment: KnownDeployment): number {
  const results = JSON.parse(storedItem(record, record.items[0]!).policies) as Record<string, PolicyResult>;
  const values = policiesOf(deployment, name).map(([id, { labels }]) => {
    const result = results[id];
    if (result) return scoreOf(result, labels, scores);
    for (const label of labels) {
      const found = scores[label];
      if (found && 'foreign' in found) throw foreign(name, found.foreign);
    }
    throw new ApiError('unavailable', `The policy ${name} could not be evaluated.`, {
      param: `requestedAttributes.${name}`,
    });
  });
  return Math.max(...values);
}

function foreign(attribute: string, language: string): ApiError {
  const code = codeOf(language);
  const message = `Attribute ${attribute} does not support request languages: ${code}`;
  return validationError([{ path: `requestedAttributes.${attribute}`, code: UNKNOWN_LANGUAGE, message }]);
}

const LIMIT = 1e-6;
const logOdds = (chanceOf: number): number => {
  const bounded = Math.min(1 - LIMIT, Math.max(LIMIT, chanceOf));
  return Math.log(bounded / (1 - bounded));
};
const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

let codes: ReadonlyMap<string, string> | undefined;

/** The code (ISO 639-1) of a language by its English name; `und` where it has none, as scripts have. */
function codeOf(language: string): string {
  if (!codes) {
    const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const all = letters.flatMap((first) => letters.map((second) => first + second));
    codes = new Map(all.map((code) => [names.of(code) ?? code, code]));
  }
  return codes.get(language) ?? 'und';
}

export const perspectiveRoutes = { analyzeComment: checking(perspective) } satisfies RouteHandlers;
