// Middleware for agents of LangChain (JavaScript): what is new of the messages before a model gets them, its answer, arguments of tools and their
// results. What violates a policy, has no verdict or cannot be looked at is an error; a tool answers with a message in place of its result.
//
//   const weirMiddleware = createMiddleware({ name: 'Weir', wrapModelCall, wrapToolCall: wrapToolCall(ToolMessage) });
//   const agent = createAgent({ model, tools, middleware: [weirMiddleware] });
//
// A middleware sees an answer once it is whole. Do not show `stream` with `streamMode: 'messages'` before: that comes from the model itself.
// What is below the functions does what LangChain does, without it: leave it out of your program.
//
// Run:
//   npx tsx docs/examples/langchain.ts
//
// Prints:
//   You said: Hello!
//   [The prompt violates: Payment data.]
//   [The answer violates: Contact data in answers.]
//   [A part of the prompt cannot be checked: image_url.]
//   tool: listed
//   tool: This call violates: Destructive commands.
//   tool: The result violates: Social security numbers.
import { randomUUID } from 'node:crypto';
import { createClient, unwrap } from '@weir/client';

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });

type Checked = Parameters<typeof weir.checkSession>[0]['messages'][number];
type Event = Parameters<typeof weir.checkEvent>[0]['event'];

/** What is read of a message of LangChain. */
interface Message {
  getType(): string;
  content: string | readonly { type?: unknown }[];
  tool_calls?: readonly { name: string; args: unknown; id?: string }[];
}

const ROLES: Readonly<Record<string, Checked['role']>> = {
  human: 'user',
  ai: 'assistant',
  tool: 'tool',
  system: 'system',
};
const TEXTS = new Set(['text', 'reasoning', 'thinking', 'tool_use', 'tool_call', 'tool_result']);
/** One conversation. Take the id of your thread in its place. */
const run = randomUUID();

function checkable(what: string, message: Message): Checked {
  const role = ROLES[message.getType()] ?? 'user';
  const { content, tool_calls: calls = [] } = message;
  const other = typeof content === 'string' ? undefined : content.find(({ type }) => !TEXTS.has(String(type)));
  if (other) throw new Error(`A part of the ${what} cannot be checked: ${String(other.type)}.`);
  const called = calls.map(({ name, args, id }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role, content: content as Checked['content'], ...(called.length > 0 ? { tool_calls: called } : {}) };
}

async function check(what: string, message: Message): Promise<void> {
  const messages = [checkable(what, message)];
  const { flagged, policies, note } = unwrap(
    await weir.checkSession({ messages, external_session_id: run }, { policies: 'flagged' }),
  );
  const names = Object.values(policies).map(({ name }) => name);
  if (flagged) throw new Error(`The ${what} violates: ${names.join(', ')}.`);
  if (note?.includes('not looked at')) throw new Error(`A part of the ${what} cannot be checked.`);
}

/** Checks the messages behind the last answer: those before were checked when they were new. */
export async function wrapModelCall<Asked extends { messages: readonly Message[] }, Answer>(
  request: Asked,
  handler: (request: Asked) => Answer | Promise<Answer>,
): Promise<Answer> {
  const newest = request.messages.findLastIndex((message) => message.getType() === 'ai') + 1;
  for (const message of request.messages.slice(newest)) await check('prompt', message);
  const answer = await handler(request);
  // What is no message is an error here, too.
  await check('answer', answer as Message);
  return answer;
}

interface ToolRequest {
  toolCall: { name: string; args: unknown; id?: string | undefined };
}

/** `MessageOf`: the class ToolMessage of LangChain. */
export function wrapToolCall<Told>(
  MessageOf: new (fields: { content: string; tool_call_id: string; status: 'error' }) => Told,
) {
  async function violation(what: string, event: Event): Promise<string | undefined> {
    const asked = { environment_id: 'prod', run_id: run, event };
    const { flagged, policies, note, event: checked } = unwrap(await weir.checkEvent(asked, { policies: 'flagged' }));
    const names = Object.values(policies).map(({ name }) => name);
    if (flagged) return `${what} violates: ${names.join(', ')}.`;
    if (checked.status !== 'completed') throw new Error(`${what} has no verdict.`);
    return note?.includes('not looked at') ? `${what} has a part that cannot be checked.` : undefined;
  }
  return async <Asked extends ToolRequest, Result>(
    request: Asked,
    handler: (request: Asked) => Result | Promise<Result>,
  ): Promise<Result | Told> => {
    const { name, args, id = '' } = request.toolCall;
    const event = { type: 'tool' as const, name, call_id: id };
    const refuse = (content: string): Told => new MessageOf({ content, tool_call_id: id, status: 'error' });
    const before = await violation('This call', { ...event, arguments: args });
    if (before !== undefined) return refuse(before);
    const result = await handler(request);
    // A tool returns a message, or a command whose update has messages.
    const output = JSON.parse(JSON.stringify((result as { content?: unknown }).content ?? result ?? ''));
    const after = await violation('The result', { ...event, output });
    return after === undefined ? result : refuse(after);
  };
}

// In place of an agent and its model.
if (process.argv[1]?.endsWith('langchain.ts')) {
  const human = (content: Message['content']): Message => ({ getType: () => 'human', content });
  const said = (question: string): string =>
    /mail/.test(question) ? 'Write to jane.doe@example.com.' : `You said: ${question}`;
  const model = async ({ messages }: { messages: readonly Message[] }): Promise<Message> => ({
    getType: () => 'ai',
    content: said(String(messages.at(-1)!.content)),
  });
  const questions = [
    'Hello!',
    'My card is 4111 1111 1111 1111.',
    'What is your mail address?',
    [{ type: 'image_url' }],
  ];
  for (const question of questions) {
    const answer = await wrapModelCall({ messages: [human(question)] }, model).catch((error: Error) => ({
      content: `[${error.message}]`,
    }));
    console.log(answer.content);
  }
  class ToolMessage {
    constructor(readonly fields: { content: string }) {}
  }
  const wrapped = wrapToolCall(ToolMessage);
  for (const [command, result] of [
    ['ls', 'listed'],
    ['rm -rf /var/lib', 'gone'],
    ['cat jane', 'Her number is 536-22-8726.'],
  ]) {
    const told = await wrapped({ toolCall: { name: 'shell', args: { command }, id: 'call_1' } }, () => ({
      content: result,
    }));
    console.log(`tool: ${told instanceof ToolMessage ? told.fields.content : told.content}`);
  }
}
