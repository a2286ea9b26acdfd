// Guardrails for agents of the OpenAI Agents SDK: what a user writes, what tools are asked and what they return, and what the agent answers. What
// violates a policy trips a guardrail, or is told to the model in place of the result of a tool. Without a verdict nothing passes: a guardrail
// that throws ends the run.
//
//   const agent = new Agent({ name, instructions, inputGuardrails: [input], outputGuardrails: [output], tools: [search] });
//   const search = tool({ name, description, parameters, execute, inputGuardrails: [toolInput], outputGuardrails: [toolOutput] });
//
// What is below the guardrails does what the SDK does, without it: leave it out of your program.
//
// Run:
//   npx tsx docs/examples/openai-agents.ts
//
// Prints:
//   input Hello!: false
//   input My card is 4111 1111 1111 1111.: true Payment data
//   output Write to jane.doe@example.com.: true Contact data in answers
//   tool {"command":"ls"}: allow
//   tool {"command":"rm -rf /var/lib"}: rejectContent This call violates: Destructive commands.
//   tool result The key of Jane is 536-22-8726.: rejectContent The result violates: Social security numbers.
import { randomUUID } from 'node:crypto';
import { createClient, unwrap } from '@weir/client';

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });

type Message = Parameters<typeof weir.checkSession>[0]['messages'][number];
type Event = Parameters<typeof weir.checkEvent>[0]['event'];

/** One conversation. Make one for each, or take the id from the context of the run. */
const run = randomUUID();

/** Names of the policies that are violated. Throws where there is no verdict, or no look at a part. */
async function violatedBy(message: Message): Promise<string[]> {
  const { policies, note } = unwrap(await weir.checkSession({ messages: [message] }, { policies: 'flagged' }));
  if (note?.includes('not looked at')) throw new Error('A part of the message cannot be checked.');
  return Object.values(policies).map(({ name }) => name);
}

async function violatedByTool(event: Event): Promise<string[]> {
  const asked = { environment_id: 'prod', run_id: run, event };
  const { flagged, policies, note, event: checked } = unwrap(await weir.checkEvent(asked, { policies: 'flagged' }));
  if (checked.status !== 'completed' && !flagged) throw new Error(`The ${event.name} of a tool has no verdict.`);
  if (note?.includes('not looked at')) throw new Error(`A part of what the tool ${event.name} has cannot be checked.`);
  return Object.values(policies).map(({ name }) => name);
}

const tripped = (names: string[]) => ({ tripwireTriggered: names.length > 0, outputInfo: names });
const behaviour = (what: string, names: string[]) =>
  names.length === 0
    ? { behavior: { type: 'allow' as const } }
    : { behavior: { type: 'rejectContent' as const, message: `${what} violates: ${names.join(', ')}.` } };

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const input = {
  name: 'Weir: input',
  // By default the model is asked at the same time: then it has read what is refused.
  runInParallel: false,
  /** `input`: a text, or items of the Responses API, whose texts are checked; an image among them is an error. */
  execute: async ({ input }: { input: string | readonly unknown[] }) =>
    tripped(await violatedBy({ role: 'user', content: asText(input) })),
};

export const output = {
  name: 'Weir: output',
  execute: async ({ agentOutput }: { agentOutput: unknown }) =>
    tripped(await violatedBy({ role: 'assistant', content: asText(agentOutput) })),
};

interface ToolCall {
  name: string;
  callId: string;
  arguments: string;
}

export const toolInput = {
  type: 'tool_input' as const,
  name: 'Weir: arguments of a tool',
  run: async ({ toolCall: { name, callId, arguments: given } }: { toolCall: ToolCall }) =>
    behaviour('This call', await violatedByTool({ type: 'tool', name, call_id: callId, arguments: given })),
};

export const toolOutput = {
  type: 'tool_output' as const,
  name: 'Weir: result of a tool',
  run: async ({ toolCall: { name, callId }, output }: { toolCall: ToolCall; output: unknown }) =>
    behaviour('The result', await violatedByTool({ type: 'tool', name, call_id: callId, output: output ?? '' })),
};

// In place of an agent and of `run`.
if (process.argv[1]?.endsWith('openai-agents.ts')) {
  const tell = (what: string, text: string, { tripwireTriggered, outputInfo }: ReturnType<typeof tripped>): void =>
    console.log(`${what} ${text}: ${[tripwireTriggered, ...outputInfo].join(' ')}`);
  for (const text of ['Hello!', 'My card is 4111 1111 1111 1111.'])
    tell('input', text, await input.execute({ input: text }));
  const answer = 'Write to jane.doe@example.com.';
  tell('output', answer, await output.execute({ agentOutput: answer }));
  const say = (what: string, { behavior }: ReturnType<typeof behaviour>): void =>
    console.log(`${what}: ${behavior.type}${'message' in behavior ? ` ${behavior.message}` : ''}`);
  const toolCall = { name: 'shell', callId: 'call_1', arguments: '' };
  for (const given of ['{"command":"ls"}', '{"command":"rm -rf /var/lib"}']) {
    say(`tool ${given}`, await toolInput.run({ toolCall: { ...toolCall, arguments: given } }));
  }
  const result = 'The key of Jane is 536-22-8726.';
  say(`tool result ${result}`, await toolOutput.run({ toolCall, output: result }));
}
