/** A run of an agent: what it has done so far, and the events that it does next. */
import { agentState, eventMetadata, type Language, speak, TOOLS, toolArguments } from '../conversation.js';
import type { WorkloadRandom } from '../random.js';
import type { ConversationPart, Workload } from '../workload.js';
import { FRAMEWORKS, type Framework } from './frameworks.js';

export type AgentEvent = Record<string, unknown>;

export interface BatchPlan {
  workload: Workload & { agents: NonNullable<Workload['agents']> };
  random: WorkloadRandom;
  /** the id of a run by its number, and of an event by its place in the batch */
  ids: { run(number: number): string; event(index: number): string };
  /** a sentence with something to find, and the only part where a policy finds it; undefined: anywhere */
  sensitive(): { sentence: string; part: ConversationPart | undefined };
}

interface ToolCall {
  id: string;
  type: 'tool' | 'function';
  name: string;
  callId: string;
}

interface WrittenEvent {
  type: string;
  id: string;
  /** holds something a policy should find */
  holds: boolean;
}

export interface AgentRun {
  plan: BatchPlan;
  id: string;
  framework: Framework;
  language: Language;
  agent: string;
  trace: string;
  /** the first event of the run, and the run that handed over to this one */
  root: string;
  caller: { id: string; root: string } | undefined;
  events: WrittenEvent[];
  /** calls without an output */
  open: ToolCall[];
  /** the latest output, message and reasoning; '' before the first */
  output: string;
  message: string;
  reasoning: string;
  /** Unix ms of the latest event */
  at: number;
}

/** Times in bodies are the same on every machine. */
const BEGIN = Date.UTC(2026, 5, 1, 9);
const DAY_MS = 86_400_000;
const AGENTS = ['planner', 'order-desk', 'researcher', 'refunds', 'dispatcher'];
const FUNCTIONS = ['lookup_customer', 'create_note', 'convert_price', 'next_delivery'];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `caller`: the run before, of whose agent this one is a part. */
export function openRun(plan: BatchPlan, id: string, caller: AgentRun | undefined): AgentRun {
  const { random, workload } = plan;
  const framework = caller?.framework ?? random.pick(FRAMEWORKS);
  return {
    plan,
    id,
    framework,
    language: caller?.language ?? random.weighted(workload.agents.languages),
    agent: random.pick(AGENTS),
    trace: caller?.trace ?? framework.traceId(random),
    root: '',
    caller: caller && { id: caller.id, root: caller.root },
    events: [],
    open: [],
    output: '',
    message: '',
    reasoning: '',
    at: caller?.at ?? BEGIN + random.between(0, DAY_MS),
  };
}

/** The first event: what the agent is told to do. The parent of a run that another one handed over to is in that run. */
export function rootEvent(run: AgentRun, id: string): AgentEvent {
  const { caller, plan, agent } = run;
  run.root = id;
  const text = speak('reasoning', lengthOf(plan), plan.random, run.language);
  const parent = caller && { event_id: caller.root, run_id: caller.id };
  return written(run, id, { type: 'agent', name: agent, instructions: text }, { parent, holds: false });
}

/** The part that comes next, by the weights of the workload. Only an open call has an output, and at most two are open. */
export function nextPart({ plan, open }: AgentRun): ConversationPart {
  const part = plan.random.weighted<ConversationPart>(plan.workload.mix);
  if (part === 'tool_output' && open.length === 0) return 'tool_call';
  return part === 'tool_call' && open.length > 1 ? 'tool_output' : part;
}

/** An event of the run that has something to check; `sentence` is said in it. */
export function contentEvent(
  run: AgentRun,
  id: string,
  { part, sentence }: { part: ConversationPart; sentence: string },
): AgentEvent {
  const length = lengthOf(run.plan) - sentence.length;
  const say = (text: string): string => (sentence === '' ? text : `${text} ${sentence}`);
  const { fields, parent } = PARTS[part](run, id, { length, say });
  const event = written(run, id, fields, { parent: { event_id: parent }, holds: sentence !== '' });
  if (part === 'user' || part === 'assistant') run.message = id;
  if (part === 'reasoning') run.reasoning = id;
  if (part === 'tool_output') run.output = id;
  return event;
}

/** An event without content: it refers to an earlier one of the run. */
export function referenceIn({ id, events, plan }: AgentRun): { event: AgentEvent; holds: boolean } {
  const { type, id: event, holds } = plan.random.pick(events);
  return { event: { type, event_id: event, run_id: id }, holds };
}

const lengthOf = ({ workload, random }: BatchPlan): number => Math.round(workload.characters * (0.5 + random.next()));

interface TextSource {
  length: number;
  say(text: string): string;
}

type Write = (run: AgentRun, id: string, said: TextSource) => { fields: AgentEvent; parent: string };

const PARTS: Record<ConversationPart, Write> = {
  user: (run, _, said) => ({ fields: message(run, 'user', said), parent: run.root }),
  assistant: (run, _, said) => ({ fields: message(run, 'assistant', said), parent: run.reasoning || run.root }),
  reasoning: (run, _, { length, say }) => {
    const { framework, plan, language } = run;
    const text = say(speak('reasoning', length, plan.random, language));
    return { fields: { type: 'reasoning', content: framework.reasoning(text) }, parent: run.message || run.root };
  },
  tool_call: (run, id, { length, say }) => {
    const { framework, plan, language, open } = run;
    const { random } = plan;
    const type = random.next() < 0.3 ? 'function' : 'tool';
    const name = random.pick(type === 'tool' ? TOOLS : FUNCTIONS);
    const callId = `call_${random.characters(LETTERS, 20)}`;
    open.push({ id, type, name, callId });
    const asked = toolArguments(length, random, language);
    const json = framework.json({ ...asked, query: say(String(asked.query)) });
    return {
      fields: { type, name, call_id: callId, arguments: json },
      parent: run.reasoning || run.message || run.root,
    };
  },
  tool_output: (run, _, said) => {
    const { id: call, type, name, callId } = run.open.shift()!;
    return { fields: { type, name, call_id: callId, format: 'json', output: result(run, said) }, parent: call };
  },
  agent_state: (run, _, { length, say }) => {
    const { plan, language, agent } = run;
    const { random } = plan;
    const about = { type: 'agent', name: agent };
    const kind = random.weighted({ state: 2, input: 1, output: 1 });
    if (kind !== 'state') {
      const text = say(speak(kind === 'input' ? 'user' : 'assistant', length, random, language));
      return { fields: { ...about, [kind]: text }, parent: run.root };
    }
    const state = agentState(length, random, language);
    return { fields: { ...about, state: { ...state, notes: say(String(state.notes)) } }, parent: run.root };
  },
};

/** In one part or two, and in one paragraph or two. */
function message(
  { plan, framework, language }: AgentRun,
  role: 'user' | 'assistant',
  { length, say }: TextSource,
): AgentEvent {
  const { random } = plan;
  const form = random.weighted({ whole: 4, paragraphs: 3, parts: 2 });
  const pieces = (form === 'whole' ? [length] : [length / 2, length / 2]).map((each) =>
    speak(role, each, random, language),
  );
  const texts = form === 'parts' ? pieces : [pieces.join('\n\n')];
  texts.push(say(texts.pop()!));
  return { type: 'message', role, content: framework.parts(role, texts) };
}

/** What a tool returns: an object of about `length` characters of JSON. */
function result({ plan, language }: AgentRun, { length, say }: TextSource): AgentEvent {
  const { random } = plan;
  const note = say(speak('output', Math.max(20, length - 110), random, language));
  const found = { order: `A-${random.between(1000, 9999)}`, score: random.between(1, 99) / 100, note };
  return { status: 'ok', results: [found], cached: random.next() < 0.2, next: null, took_ms: random.between(3, 800) };
}

/** The event as it is sent, with what is known of the run beside `fields`. */
function written(
  run: AgentRun,
  id: string,
  fields: AgentEvent,
  { parent, holds }: { parent: AgentEvent | undefined; holds: boolean },
): AgentEvent {
  const { plan, framework, events, trace } = run;
  const { random, workload } = plan;
  const type = String(fields.type);
  run.at += random.between(15, 2500);
  const step = { type, number: events.length, at: run.at, random };
  const foreign = { trace_id: trace, span_id: framework.spanId(random), framework: framework.name };
  const links = random.next() < workload.agents.links_share ? linksOf(run) : [];
  const event = {
    type,
    event_id: id,
    run_id: run.id,
    ...(parent === undefined ? {} : { parent }),
    ...(links.length === 0 ? {} : { links }),
    ...fields,
    ...foreign,
    ...framework.extra(step),
    ...(random.next() < workload.metadata_share ? { metadata: metadataOf(random, step.number) } : {}),
  };
  events.push({ type, id, holds });
  return event;
}

/** What an event follows from: an output, or any event before. */
function linksOf({ events, output, plan }: AgentRun): unknown[] {
  const { random } = plan;
  if (events.length === 0) return [];
  const earlier = random.pick(events).id;
  const link = { event_id: output || earlier, relation: random.pick(['follows', 'uses', 'caused_by']) };
  return random.next() < 0.3 && earlier !== link.event_id ? [link, earlier] : [link];
}

const metadataOf = (random: WorkloadRandom, step: number): AgentEvent => ({
  ...eventMetadata(random),
  thread: `th-${random.between(100, 999)}`,
  step,
  temperature: random.pick([0, 0.2, 0.7]),
  tags: ['agents', random.pick(['web', 'mail', 'phone'])],
});
