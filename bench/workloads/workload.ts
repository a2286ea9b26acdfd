/**
 * Workloads are data (`bench/workloads/*.yaml`): what is sent, to which route, and how much of it should be flagged.
 * A workload and its seed give the same bytes everywhere, so reports of the same file can be compared.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import typia, { type tags } from 'typia';
import { parse } from 'yaml';
import { packageRoot } from '../../shared/paths.js';
import { readGiven } from '../given.js';
import type { Language } from './conversation.js';
import type { WorkloadRandom } from './random.js';
import type { SensitiveKind } from './sensitive.js';

/** The kinds of events a conversation is mixed from. */
export type ConversationPart = 'user' | 'assistant' | 'tool_call' | 'tool_output' | 'agent_state' | 'reasoning';

type Whole = number & tags.Type<'uint32'>;
type Fraction = number & tags.Minimum<0> & tags.Maximum<1>;
type Weight = number & tags.ExclusiveMinimum<0>;

export interface Workload {
  name: string & tags.Pattern<'^[a-z0-9-]{1,40}$'>;
  description: string;
  route: '/api/events' | '/api/event' | '/api/session/check' | '/v1/moderations' | '/v1alpha1/comments:analyze';
  seed: Whole;
  /** different request bodies that are made before the start and sent in turn */
  bodies: Whole & tags.Minimum<1> & tags.Maximum<1024>;
  /** events of a request, or messages of a session check */
  items: Whole & tags.Minimum<1> & tags.Maximum<50>;
  /** number of runs that the events of one request belong to, in turn */
  runs: Whole & tags.Minimum<1> & tags.Maximum<50>;
  /** number of external sessions that the events of one request belong to, in turn; 0: none is named */
  sessions: Whole & tags.Maximum<50>;
  /** how the parts of a conversation are mixed, by weight */
  mix: Partial<Record<ConversationPart, Weight>>;
  /** mean length of what is checked in one event; each has between half and one and a half of it */
  characters: Whole & tags.Minimum<40> & tags.Maximum<100_000>;
  /** share of the events that have metadata */
  metadata_share: Fraction;
  /** the events are those of agents (`agents/`), for `/api/events` */
  agents?: {
    /** events of a request that have no content and refer to an earlier one */
    references: Whole & tags.Maximum<25>;
    /** share of the events that link to earlier ones; each has a parent, too */
    links_share: Fraction;
    /** of a request, by weight */
    languages: Partial<Record<Language, Weight>>;
  };
  flagged: {
    /** share of the items that hold something a policy should find; exact in each body, up to rounding */
    share: Fraction;
    kinds: Partial<Record<SensitiveKind, Weight>>;
    /** words of the configuration's term list */
    terms: string[];
  };
}

const FOLDER = join(packageRoot, 'bench', 'workloads');

/** Names of the workloads that come with the package. */
export function workloadNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'))
    .sort();
}

/** Reads a workload by name or by path (anything with a slash or `.yaml`). Throws a sentence that says what to change. */
export function readWorkload(nameOrPath: string): Workload {
  const path = /[/\\]|\.ya?ml$|\.json$/.test(nameOrPath) ? nameOrPath : join(FOLDER, `${nameOrPath}.yaml`);
  if (!existsSync(path))
    throw new Error(`There is no workload "${nameOrPath}". Name one of ${workloadNames().join(', ')}, or a file.`);
  return checkWorkload(parse(readGiven(path)), path);
}

/** `value` as a workload, or an error that names the field. */
export function checkWorkload(value: unknown, path: string): Workload {
  const result = typia.validateEquals<Workload>(value);
  if (!result.success) {
    const first = result.errors[0]!;
    throw new Error(`${path}: ${first.path.replace('$input', 'workload')} must be ${first.expected}.`);
  }
  const { route, items, flagged, mix, agents } = result.data;
  if (isOfOneText(route) && items !== 1) throw new Error(`${path}: items must be 1 for the route ${route}.`);
  if (Object.keys(mix).length === 0) throw new Error(`${path}: mix must name at least one part.`);
  if (agents !== undefined) checkAgents(result.data, path);
  if (flagged.share > 0 && Object.keys(flagged.kinds).length === 0) {
    throw new Error(`${path}: flagged.kinds must name at least one kind, since flagged.share is not 0.`);
  }
  if ('term' in flagged.kinds && flagged.terms.length === 0) {
    throw new Error(`${path}: flagged.terms must list at least one term, since flagged.kinds has "term".`);
  }
  return result.data;
}

const isOfOneText = (route: Workload['route']): boolean =>
  route === '/api/event' || route === '/v1/moderations' || route === '/v1alpha1/comments:analyze';

function checkAgents({ route, items, runs, sessions, flagged, agents }: Workload, path: string): void {
  if (route !== '/api/events') throw new Error(`${path}: agents is for the route /api/events.`);
  if (sessions > 0) throw new Error(`${path}: sessions must be 0 beside agents.`);
  if (Object.keys(agents!.languages).length === 0) throw new Error(`${path}: agents.languages must name a language.`);
  if (runs + agents!.references + Math.ceil(items * flagged.share) > items) {
    throw new Error(`${path}: items must be enough for the first event of each run, references and flagged events.`);
  }
}

/** Checked items of one request: a session check checks only its last message (4.1). */
export function itemsPerRequest(workload: Workload): number {
  return workload.route === '/api/events' ? workload.items : 1;
}

/** How many of `items` hold something to find: the share, rounded up or down at random. */
export function flaggedCount({ flagged }: Workload, items: number, random: WorkloadRandom): number {
  const exact = items * flagged.share;
  return Math.floor(exact) + (random.next() < exact - Math.floor(exact) ? 1 : 0);
}
