/**
 * Request bodies, serialised once before the start. Ids of runs, events and sessions must differ from request to
 * request. Each holds a stamp of fixed width at a known place, so a copy becomes unique by writing a few bytes.
 */
import { agentBatch } from './agents/body.js';
import type { BatchPlan } from './agents/run.js';
import { agentState, eventMetadata, speak, TOOLS, toolArguments } from './conversation.js';
import { seeded, type WorkloadRandom } from './random.js';
import { type SensitiveKind, sensitiveSentence } from './sensitive.js';
import { type ConversationPart, flaggedCount, itemsPerRequest, type Workload } from './workload.js';

/** Characters of a stamp: the number of a request in base 36. */
export const STAMP = 8;
const MARK = '\u0001'.repeat(STAMP);
// JSON.stringify escapes the control characters of MARK. A printable mark of the same width replaces it before the
// search; `~` occurs in none of our texts.
/** Where a stamp goes in JSON that is made into a body. */
export const MARKED = '~'.repeat(STAMP);

export interface LoadBody {
  /** UTF-8 JSON with an empty stamp (zeros) */
  bytes: Buffer;
  /** offsets of the stamps in `bytes` */
  stamps: readonly number[];
  /** items, each of which is answered and, unless it is a reference, becomes a row */
  items: number;
  /** items that refer to another one; absent: none */
  references?: number;
  /** items that hold something a policy should find, or refer to one that does */
  flagged: number;
  /** a look-up: the path that is asked for, without a body */
  get?: string;
}

/** Where requests check: what the key grants. */
export interface BenchScope {
  environment: string;
  deployment: string;
}

/** The bodies of a workload. `tag` marks all ids of one run of the benchmark, so that its rows can be counted. */
export function makeBodies(workload: Workload, scope: BenchScope, tag: string): LoadBody[] {
  const random = seeded(workload.seed);
  return Array.from({ length: workload.bodies }, () => makeBody(workload, scope, tag, random));
}

/** Items of a body that become rows. */
export const rowsOf = ({ items, references = 0 }: LoadBody): number => items - references;

function makeBody(workload: Workload, scope: BenchScope, tag: string, random: WorkloadRandom): LoadBody {
  if (isOfAgents(workload)) return agentsBody(workload, scope, tag, random);
  const items = itemsPerRequest(workload);
  const marked = chooseFlagged(items, workload, random);
  return stampedBody(jsonOf(requestOf(workload, scope, tag, { random, marked })), items, marked.size);
}

function requestOf(
  workload: Workload,
  scope: BenchScope,
  tag: string,
  { random, marked }: { random: WorkloadRandom; marked: Set<number> },
): Record<string, unknown> {
  const { route } = workload;
  if (route === '/api/event' || route === '/api/events') return eventsBody(workload, scope, tag, { random, marked });
  const session = sessionBody(workload, scope, tag, { random, flagged: marked.has(0) });
  if (route === '/api/session/check') return session;
  // The same texts, in the words of other services.
  const text = session.messages.at(-1)!.content;
  const id = session.external_session_id;
  if (route === '/v1/moderations') return { model: 'omni-moderation-latest', input: text, user: id };
  return { comment: { text }, requestedAttributes: { TOXICITY: {} }, languages: ['en'], sessionId: id };
}

const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(JSON.stringify(MARK).slice(1, -1), MARKED);

const isOfAgents = (workload: Workload): workload is BatchPlan['workload'] => workload.agents !== undefined;

function agentsBody(workload: BatchPlan['workload'], scope: BenchScope, tag: string, random: WorkloadRandom): LoadBody {
  const ids = {
    run: (number: number) => `bench-${tag}-${MARK}-r${number}`,
    event: (index: number) => `${MARK}-${index}`,
  };
  const sensitive: BatchPlan['sensitive'] = () => {
    const kind = random.weighted<SensitiveKind>(workload.flagged.kinds);
    return { sentence: sensitiveSentence(kind, workload.flagged.terms, random), part: PLACE[kind] };
  };
  const { events, references, flagged } = agentBatch({ workload, random, ids, sensitive });
  const body = stampedBody(jsonOf({ environment_id: scope.environment, events }), workload.items, flagged);
  return { ...body, references };
}

/** A body of `json`, with a stamp wherever it has `MARKED`. */
export function stampedBody(json: string, items: number, flagged: number): LoadBody {
  const bytes = Buffer.from(json);
  const stamps = stampsOf(bytes);
  stampBody(bytes, stamps, 0);
  return { bytes, stamps, items, flagged };
}

/** Where `bytes` has `MARKED`. */
export function stampsOf(bytes: Buffer): number[] {
  const stamps: number[] = [];
  for (let at = bytes.indexOf(MARKED); at >= 0; at = bytes.indexOf(MARKED, at + STAMP)) stamps.push(at);
  return stamps;
}

function chooseFlagged(items: number, workload: Workload, random: WorkloadRandom): Set<number> {
  const count = flaggedCount(workload, items, random);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.between(0, items - 1));
  return chosen;
}

function eventsBody(
  workload: Workload,
  scope: BenchScope,
  tag: string,
  { random, marked }: { random: WorkloadRandom; marked: Set<number> },
): Record<string, unknown> {
  const run = (n: number): string => `bench-${tag}-${MARK}-r${n}`;
  const events = Array.from({ length: workload.items }, (_, index) => {
    const event = makeEvent(workload, index, marked.has(index), random);
    if (workload.runs > 1 && index % workload.runs > 0) event.run_id = run(index % workload.runs);
    if (workload.sessions > 0) event.external_session_id = `bench-${tag}-${MARK}-s${index % workload.sessions}`;
    return event;
  });
  const common = { environment_id: scope.environment, run_id: run(0) };
  return workload.route === '/api/event' ? { ...common, event: events[0] } : { ...common, events };
}

/** Policies look for these kinds in one direction only, so they stand where a policy sees them. Others stand anywhere. */
const PLACE: Partial<Record<SensitiveKind, ConversationPart>> = { email: 'assistant', term: 'user' };

function makeEvent(
  workload: Workload,
  index: number,
  flagged: boolean,
  random: WorkloadRandom,
): Record<string, unknown> {
  const kind = flagged ? random.weighted<SensitiveKind>(workload.flagged.kinds) : undefined;
  const extra = kind === undefined ? '' : sensitiveSentence(kind, workload.flagged.terms, random);
  const length = Math.round(workload.characters * (0.5 + random.next())) - extra.length;
  const part = (kind && PLACE[kind]) ?? random.weighted<ConversationPart>(workload.mix);
  const say = (text: string): string => (extra === '' ? text : `${text} ${extra}`);
  const event = partOfConversation(part, { length, say, random });
  event.event_id = `${MARK}-${index}`;
  if (random.next() < workload.metadata_share) event.metadata = eventMetadata(random);
  return event;
}

function partOfConversation(
  part: ConversationPart,
  { length, say, random }: { length: number; say: (text: string) => string; random: WorkloadRandom },
): Record<string, unknown> {
  switch (part) {
    case 'user':
    case 'assistant':
      return { type: 'message', role: part, content: say(speak(part, length, random)) };
    case 'tool_call': {
      const call = toolArguments(length, random);
      return { type: 'tool', name: random.pick(TOOLS), arguments: { ...call, query: say(String(call.query)) } };
    }
    case 'tool_output':
      return { type: 'tool', name: random.pick(TOOLS), output: say(speak('output', length, random)) };
    case 'agent_state': {
      const state = agentState(length, random);
      return { type: 'agent', state: { ...state, notes: say(String(state.notes)) } };
    }
    case 'reasoning':
      return { type: 'reasoning', content: say(speak('reasoning', length, random)) };
  }
}

function sessionBody(
  workload: Workload,
  scope: BenchScope,
  tag: string,
  { random, flagged }: { random: WorkloadRandom; flagged: boolean },
) {
  const messages = Array.from({ length: workload.items }, (_, index) => {
    // The last message is checked (4.1). It is the user's, so that input policies apply.
    const fromEnd = workload.items - 1 - index;
    const role = fromEnd % 2 === 0 ? 'user' : 'assistant';
    const text = speak(role, Math.round(workload.characters * (0.5 + random.next())), random);
    const last = fromEnd === 0 && flagged;
    return { role, content: last ? `${text} ${flaggedSentence(workload, random)}` : text };
  });
  const user = { id: `u-${random.between(100, 999)}` };
  return {
    deployment_id: scope.deployment,
    external_session_id: `bench-${tag}-${MARK}-s0`,
    messages,
    ...(random.next() < workload.metadata_share ? { metadata: { user } } : {}),
  };
}

function flaggedSentence(workload: Workload, random: WorkloadRandom): string {
  return sensitiveSentence(random.weighted(workload.flagged.kinds), workload.flagged.terms, random);
}

const DIGITS36 = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
const digits = Buffer.alloc(STAMP);

/** Writes request number `n` (below 36^8) into every stamp of `bytes`, whose places start at `offset`. */
export function stampBody(bytes: Buffer, stamps: readonly number[], n: number, offset: number = 0): void {
  let rest = n;
  for (let i = STAMP - 1; i >= 0; i--) {
    digits[i] = DIGITS36[rest % 36]!;
    rest = Math.floor(rest / 36);
  }
  for (let s = 0; s < stamps.length; s++) {
    const at = stamps[s]! + offset;
    for (let i = 0; i < STAMP; i++) bytes[at + i] = digits[i]!;
  }
}
