/** The first configuration of somebody, with tests that pass. */
import { createRequire } from 'node:module';
import { type Configuration, loadConfiguration, problemText } from '../../../shared/configuration/configuration.js';
import { DEFAULT_ID } from '../../../shared/configuration/short-forms.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { readString } from '../../../shared/policy/content/content.js';
import { evaluateText } from '../../../shared/policy/evaluate.js';
import { shippedPacks } from '../../packs.js';
import { LongError } from '../command.js';

const require = createRequire(import.meta.url);

export interface FirstConfiguration {
  /** name of its policy */
  name: string;
  /** that the policy flags */
  words: readonly string[];
  packs: readonly string[];
  /** SHA-256 of its API key */
  sha256: string;
}

/** The texts of the configuration and of its tests. Throws the problems that the answers make. */
export function firstFiles(first: FirstConfiguration): { configuration: string; tests: string } {
  const { name, words, packs, sha256 } = first;
  const configuration = `# What this file leaves out is filled in: "Short files" in docs/policies.md.
# weir check-config says what is wrong with it, weir apply makes it the active one.
${yamlOf(
  {
    version: 1,
    keys: [{ id: 'first', sha256, environments: [DEFAULT_ID], deployments: [DEFAULT_ID] }],
    policies: [{ name, detect: { terms: { list: words } } }],
    ...(packs.length > 0 ? { packs } : {}),
  },
  ['keys.0.environments', 'keys.0.deployments', 'policies.0.detect', 'packs'],
)}`;
  const none = (): never => {
    throw new Error('there is no such file');
  };
  const loaded = loadConfiguration(configuration, 'weir.yaml', { terms: none, model: none }, shippedPacks);
  if (!loaded.ok) throw new LongError(loaded.problems.map(problemText));
  const cases = casesOf(first, loaded.configuration);
  const paths = cases.flatMap((_, i) => [`cases.${i}.expect`]);
  const tests = `# weir test weir.yaml tests.yaml\n${yamlOf({ cases }, paths)}`;
  return { configuration, tests };
}

/** Texts of which one has nothing that a policy is about. */
const INNOCENT = ['Good morning, how are you?', 'It has been raining since noon.', 'The meeting is on Tuesday.'];

function casesOf({ name, words, packs }: FirstConfiguration, configuration: Configuration): object[] {
  const plan = compilePlan(configuration, 0);
  const named = new Map(configuration.policies.map((policy) => [policy.id, policy.name]));
  const flagged = (text: string): (string | undefined)[] =>
    evaluateText(plan, { team: DEFAULT_ID }, text, readString(text)).violations.map(({ id }) => named.get(id));
  const word = words[0]!;
  const found = [`Tell me about ${word}.`, word].find((text) => flagged(text).includes(name));
  const clean = INNOCENT.find((text) => flagged(text).length === 0);
  const others = packs.length > 0 ? { allowed: 'any' } : {};
  return [
    ...(found === undefined ? [] : [{ name: 'It is flagged', text: found, expect: { policies: [name], ...others } }]),
    ...(clean === undefined ? [] : [{ name: 'Anything else is not', text: clean, expect: { flagged: false } }]),
  ];
}

/** `flow`: paths of what stands in one line. */
function yamlOf(value: object, flow: readonly string[]): string {
  const { Document, isCollection } = require('yaml') as typeof import('yaml');
  const document = new Document(value);
  for (const path of flow) {
    const keys = path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    const node = document.getIn(keys, true);
    if (isCollection(node)) node.flow = true;
  }
  return document.toString({ lineWidth: 120, indentSeq: false, flowCollectionPadding: false });
}
