/**
 * How libraries for agents write what they send: the shapes of texts and of JSON in strings, ids, times, and the fields of their own beside
 * those of an event, which Weir does not know.
 */
import type { WorkloadRandom } from '../random.js';

export interface Framework {
  name: string;
  /** JSON within a string */
  json(value: Record<string, unknown>): string;
  /** the parts of a message */
  parts(role: 'user' | 'assistant', texts: readonly string[]): Record<string, unknown>[];
  reasoning(text: string): unknown;
  /** ids of a trace and of a step in it */
  traceId(random: WorkloadRandom): string;
  spanId(random: WorkloadRandom): string;
  /** fields of an event that Weir does not know; `at`: Unix ms */
  extra(step: AgentStep): Record<string, unknown>;
}

export interface AgentStep {
  type: string;
  /** of the event in its run */
  number: number;
  at: number;
  random: WorkloadRandom;
}

const HEX = '0123456789abcdef';
const hex = (length: number) => (random: WorkloadRandom) => random.characters(HEX, length);

/** As Python writes it: with spaces, and with escapes beyond ASCII. */
const pythonJson = (value: Record<string, unknown>): string =>
  spaced(value).replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(', ')}}`;
}

const time = (at: number): string => new Date(at).toISOString();
const pythonTime = (at: number): string => time(at).replace('Z', '000+00:00');

const textParts: Framework['parts'] = (_, texts) => texts.map((text) => ({ type: 'text', text }));

const graph: Framework = {
  name: 'langgraph',
  json: pythonJson,
  parts: textParts,
  reasoning: (text) => text,
  traceId: (random) => uuid(random),
  spanId: (random) => uuid(random),
  extra: ({ type, number, at }) => ({
    timestamp: pythonTime(at),
    langgraph_node: type === 'tool' ? 'tools' : 'agent',
    langgraph_step: number,
  }),
};

const agentsSdk: Framework = {
  name: 'openai-agents',
  json: (value) => JSON.stringify(value),
  parts: (role, texts) =>
    texts.map((text) =>
      role === 'user' ? { type: 'input_text', text } : { type: 'output_text', text, annotations: [] },
    ),
  reasoning: (text) => [{ type: 'summary_text', text }],
  traceId: (random) => `trace_${hex(32)(random)}`,
  spanId: (random) => `span_${hex(24)(random)}`,
  extra: ({ at, random }) => ({ timestamp: pythonTime(at), ended_at: pythonTime(at + random.between(20, 900)) }),
};

const aiSdk: Framework = {
  name: 'ai-sdk',
  json: (value) => JSON.stringify(value),
  parts: textParts,
  reasoning: (text) => [{ type: 'reasoning', text }],
  traceId: hex(32),
  spanId: hex(16),
  extra: ({ type, at, random }) => ({
    timestamp: time(at),
    ...(type === 'message'
      ? {
          finishReason: random.next() < 0.6 ? 'stop' : 'tool-calls',
          usage: { inputTokens: random.between(90, 900), outputTokens: random.between(20, 300) },
        }
      : {}),
  }),
};

const OPERATIONS: Readonly<Record<string, string>> = { message: 'chat', reasoning: 'chat', agent: 'invoke_agent' };

const genAi: Framework = {
  name: 'opentelemetry',
  json: pythonJson,
  parts: textParts,
  reasoning: (text) => text,
  traceId: hex(32),
  spanId: hex(16),
  extra: ({ type, at, random }) => ({
    timestamp: time(at),
    attributes: {
      'gen_ai.operation.name': OPERATIONS[type] ?? 'execute_tool',
      'gen_ai.request.model': random.pick(['small-1', 'large-2']),
    },
  }),
};

export const FRAMEWORKS: readonly Framework[] = [graph, agentsSdk, aiSdk, genAi];

function uuid(random: WorkloadRandom): string {
  const part = (length: number): string => random.characters(HEX, length);
  return `${part(8)}-${part(4)}-4${part(3)}-8${part(3)}-${part(12)}`;
}
