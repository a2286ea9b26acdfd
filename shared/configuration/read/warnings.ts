/** What is allowed in a configuration and has no effect, so that its author may believe that content is checked which is not. */
import { blockOf, edgesOf } from '../../address-blocks.js';
import { rangeOf } from '../../addresses.js';
import { parseCondition, parseValue } from '../../policy/conditions.js';
import { leavesOf, narrowed } from '../../policy/detect-expression.js';
import type { Detector } from '../../policy/detectors/detector.js';
import { DETECTORS, type DetectorParameters, detectorOf, looksAt } from '../../policy/detectors/registry.js';
import type { Source } from '../../policy/types.js';
import { backendsIn, textModelsIn } from '../backends.js';
import { metricKind } from '../metric-kinds.js';
import { liveMetrics } from '../metrics.js';
import { hookSecrets, SECRETS_EXPECTED } from '../notify.js';
import type { Configuration, PolicyConfiguration } from '../types.js';
import type { ConfigurationPath } from './source.js';

export interface Warning {
  path: ConfigurationPath;
  message: string;
}

/** Ids of the policies that are in use: those that a deployment or an active condition lists. */
export function livePolicies({ deployments, environments }: Configuration): Set<string> {
  const conditions = environments.flatMap((environment) => environment.conditions.filter(({ active }) => active));
  return new Set([...deployments, ...conditions].flatMap(({ policies }) => policies));
}

/** The value of an environment variable. */
export type VariableOf = (name: string) => string | undefined;

/** `environment`: absent: what it lacks is not told. */
export function warningsOf(configuration: Configuration, environment?: VariableOf): Warning[] {
  const live = livePolicies(configuration);
  const conditions = configuration.environments.flatMap((environment) => environment.conditions);
  const listed = new Set(conditions.flatMap(({ policies }) => policies));
  const warnings: Warning[] = [];
  configuration.policies.forEach((policy, i) => {
    const add = (key: string, message: string): number => warnings.push({ path: ['policies', i, key], message });
    if (!live.has(policy.id)) {
      const where = listed.has(policy.id)
        ? 'only conditions that are not active list it'
        : 'no deployment or condition lists it';
      add('id', `${where}, so nothing is checked against this policy`);
    }
    const blind = blindness(policy);
    if (blind) add(blind.key, blind.message);
    for (const message of lowScores(policy)) add('detect', message);
    const refusing = policy.action === 'redact' && unredactable(policy);
    if (refusing) add('action', refusing);
    if (policy.mode === 'shadow') {
      if (backendsIn(policy.detect).length > 0) add('mode', unasked('backend', 'llm'));
      if (textModelsIn(policy.detect).length > 0) add('mode', unasked('model about texts', 'onnx'));
    }
  });
  warnings.push(
    ...warningsOfKeys(configuration),
    ...warningsOfTags(configuration),
    ...warningsOfMetrics(configuration),
  );
  configuration.backends.forEach(({ id, team }, i) => {
    const asked = configuration.policies.some(
      (policy) => policy.team === team && policy.mode !== 'shadow' && backendsIn(policy.detect).includes(id),
    );
    if (!asked) warnings.push({ path: ['backends', i, 'id'], message: 'no live policy asks this backend' });
  });
  warnings.push(...warningsOfHooks(configuration, environment));
  configuration.environments.forEach((environment, i) => {
    environment.conditions.forEach(({ when }, j) => {
      const path = ['environments', i, 'conditions', j, 'when'];
      for (const message of doubtsOf(when)) warnings.push({ path, message });
    });
  });
  return warnings;
}

function warningsOfHooks({ notify, policies }: Configuration, environment?: VariableOf): Warning[] {
  const hidden = new Set(policies.filter(({ mode }) => mode === 'shadow').map(({ id }) => id));
  const unset = (name: string): Warning['message'][] => {
    if (!environment || hookSecrets(environment(name))) return [];
    const is = environment(name) ? 'is no secret here' : 'is not set here';
    return [`${name} ${is}; workers with the role hooks need it: ${SECRETS_EXPECTED}`];
  };
  return notify.flatMap(({ url, policies: told, secret_env: variable }, i) => [
    ...unset(variable).map((message) => ({ path: ['notify', i, 'secret_env'], message })),
    ...(url.startsWith('http:')
      ? [{ path: ['notify', i, 'url'], message: 'what is sent over http can be read on its way' }]
      : []),
    ...(told ?? []).flatMap((id, j) =>
      hidden.has(id)
        ? [
            {
              path: ['notify', i, 'policies', j],
              message: `policy ${id} is in the shadow, which no webhook is told of`,
            },
          ]
        : [],
    ),
  ]);
}

function warningsOfKeys({ keys }: Configuration): Warning[] {
  const message = 'it names no environments and no deployments, so nothing can be checked with this key';
  return keys.flatMap(({ environments, deployments, scopes, ...key }, i) => {
    const useless = environments.length + deployments.length === 0 && scopes.includes('check');
    const blocks = key.without_key_from ?? [];
    const path = ['keys', i, 'without_key_from'];
    const told: Warning[] = useless ? [{ path: ['keys', i, 'id'], message }] : [];
    if (blocks.length > 0 && key.default_deployment === null) {
      told.push({ path, message: 'requests without a key name no deployment, and this key has no default_deployment' });
    }
    blocks.forEach((block, j) => {
      if (isOpen(block))
        told.push({ path: [...path, j], message: 'public addresses are among these: whoever is there needs no key' });
    });
    return told;
  });
}

/** Whether a block has addresses of the public internet. Short of 7 bits, it has some between its first and its last. */
function isOpen(text: string): boolean {
  const block = blockOf(text);
  return block !== undefined && (block.bits < 7 || edgesOf(block).some((address) => rangeOf(address) === undefined));
}

function warningsOfTags({ teams, retention }: Configuration): Warning[] {
  if (retention.content_days > 0) return [];
  const message = 'retention.content_days is 0, but the values of these are kept as long as results';
  return teams.flatMap(({ tags }, i) => (tags ? [{ path: ['teams', i, 'tags'], message }] : []));
}

function warningsOfMetrics(configuration: Configuration): Warning[] {
  const live = liveMetrics(configuration);
  const unkept = configuration.retention.content_days === 0;
  return configuration.metrics.flatMap(({ id, kind, value }, i) => {
    const found: Warning[] = [];
    const add = (key: string, message: string): number => found.push({ path: ['metrics', i, key], message });
    const { reads } = metricKind(kind);
    if (!live.has(id)) add('id', 'no deployment or active condition lists it, so this metric is not computed');
    else if (unkept && reads !== 'nothing') {
      add('kind', `retention.content_days is 0: no ${reads} is kept, so this metric has rows without a value`);
    }
    const parsed = value === undefined ? undefined : parseValue(value);
    for (const doubt of parsed?.ok ? parsed.expression.doubts : []) add('value', doubt);
    return found;
  });
}

function doubtsOf(when: string): readonly string[] {
  const parsed = parseCondition(when);
  return parsed.ok ? parsed.condition.doubts : [];
}

const IMAGE_SELECTOR = /^artifact(\.|$)/;

/** Why a policy never looks at anything. */
function blindness({ sources, detect, events }: PolicyConfiguration): { key: string; message: string } | undefined {
  const { expression, leaves } = leavesOf<DetectorParameters>(detect);
  const sourcesOfLeaves = leaves.map(looksAt);
  const looks = (source: Source): boolean =>
    sources.includes(source) && narrowed(expression, (leaf) => sourcesOfLeaves[leaf]!.includes(source)) !== undefined;
  const [text, image] = [looks('text'), looks('image')];
  const none = 'so this policy looks at nothing';
  if (!text && !image) {
    if (!sources.some((source) => sourcesOfLeaves.flat().includes(source))) {
      return { key: 'detect', message: `no detector of it can look at ${sources.map(plural).join(' or ')}, ${none}` };
    }
    return { key: 'detect', message: `it asks for a text and an image in one item, and each is judged alone, ${none}` };
  }
  if (events === null || (text && events.some((each) => !IMAGE_SELECTOR.test(each)))) return undefined;
  if (image && events.some((each) => IMAGE_SELECTOR.test(each))) return undefined;
  const only = plural(text ? 'text' : 'image');
  return { key: 'events', message: `it looks at ${only} alone, and these events have none, so it is for no event` };
}

/** Thresholds below those that the figures of a model are of. */
function lowScores({ detect }: PolicyConfiguration): string[] {
  return leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    const { name, detector, parameters } = detectorOf(leaf);
    const score = detector.least?.(parameters);
    if (score?.usual === undefined || score.least >= score.usual) return [];
    const { least, usual } = score;
    return [
      `threshold ${least} of ${name} is below ${usual}, its own: it flags more ordinary texts than its figures say`,
    ];
  });
}

const unasked = (whom: string, detector: string): string =>
  `a policy in the shadow asks no ${whom}, so what ${detector} would decide counts as not evaluated`;

/** Why a policy is never redacted, although it asks for that. */
function unredactable({ sources, detect }: PolicyConfiguration): string | undefined {
  const { leaves } = leavesOf<DetectorParameters>(detect);
  const marking = leaves.some((leaf) => detectorOf(leaf).detector.text?.mark !== undefined);
  if (marking && sources.includes('text')) return undefined;
  const why = marking ? 'it does not look at texts' : `it has none of ${MARKING.join(', ')}`;
  return `${why}, so nothing can be redacted, and content that violates it is blocked`;
}

const MARKING = (Object.entries(DETECTORS) as [string, Detector<object>][]).flatMap(([name, { text }]) =>
  text?.mark ? name : [],
);

const plural = (source: Source): string => `${source}s`;
