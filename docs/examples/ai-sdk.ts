// Middleware for language models of the AI SDK. It checks what is new in a prompt before the model gets it, and what the model answers before
// your program does, also while it streams. What violates a policy, has no verdict or cannot be looked at is an error.
//
//   const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: guarded() });
//   const { text } = await generateText({ model, prompt });
//
// What is below the function does what the SDK does, without it: leave it out of your program.
//
// Run:
//   npx tsx docs/examples/ai-sdk.ts
//
// Prints:
//   generate: You said: Hello!
//   generate: [The prompt violates: Payment data.]
//   generate: [The answer violates: Contact data in answers.]
//   generate: [A file cannot be checked.]
//   stream: You said: Hello!
//   stream: [The prompt violates: Payment data.]
//   stream: …[The stream violates "Contact data in answers".]
//   stream: [A file cannot be checked.]
import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Middleware,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { createClient, guardStream, unwrap } from '@weir/client';

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });

type Message = Parameters<typeof weir.checkSession>[0]['messages'][number];
type Part = Exclude<LanguageModelV4Message['content'], string>[number] | LanguageModelV4Content;

/** What Weir looks at of an answer. All else, such as files and sources, is an error here. */
const CHECKED = /^(?:text|reasoning|tool-call|tool-result)$/;
/** What a stream has beside it. */
const STREAMED =
  /^(?:(?:text|reasoning|tool-input)-(?:start|delta|end)|tool-call|stream-start|response-metadata|finish|ping|error)$/;

function checkable(part: Part): Record<string, unknown> & { type: string } {
  if (part.type === 'file' && part.mediaType.startsWith('image') && part.data.type === 'data') {
    const { data } = part.data;
    return {
      type: 'artifact',
      kind: 'image',
      data: typeof data === 'string' ? data : Buffer.from(data).toString('base64'),
    };
  }
  if (!CHECKED.test(part.type)) throw new Error(`A ${part.type} cannot be checked.`);
  return { ...part };
}

const messageOf = ({
  role,
  content,
}: Pick<LanguageModelV4Message, 'role'> & { content: string | readonly Part[] }): Message => ({
  role,
  content: typeof content === 'string' ? content : content.map(checkable),
});

async function check(what: string, messages: Message[]): Promise<void> {
  const { flagged, policies, note } = unwrap(await weir.checkSession({ messages }, { policies: 'flagged' }));
  const names = Object.values(policies).map(({ name }) => name);
  if (flagged) throw new Error(`The ${what} violates: ${names.join(', ')}.`);
  if (note?.includes('not looked at')) throw new Error(`A part of the ${what} cannot be checked.`);
}

/** Checks the messages behind the last answer: those before were checked when they were new, and are context. */
async function checkPrompt(prompt: LanguageModelV4Prompt): Promise<void> {
  const newest = prompt.findLastIndex(({ role }) => role === 'assistant') + 1;
  const context = prompt
    .slice(0, newest)
    .map(({ role, content }) => ({ role, content: content as Message['content'] }));
  for (const message of prompt.slice(newest)) {
    // The instructions are your own.
    if (message.role === 'system') continue;
    context.push(messageOf(message) as (typeof context)[number]);
    await check('prompt', context);
  }
}

export function guarded(): LanguageModelV4Middleware {
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params }) {
      await checkPrompt(params.prompt);
      const result = await doGenerate();
      if (result.content.length > 0) await check('answer', [messageOf({ role: 'assistant', content: result.content })]);
      return result;
    },
    async wrapStream({ doStream, params }) {
      await checkPrompt(params.prompt);
      const { stream, ...rest } = await doStream();
      const known = stream.pipeThrough(
        new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
          transform(part, controller) {
            if (!STREAMED.test(part.type)) throw new Error(`A ${part.type} cannot be checked.`);
            controller.enqueue(part);
          },
        }),
      );
      return { ...rest, stream: guardStream(known, { client: weir }).toReadableStream() };
    },
  };
}

// In place of a model of a provider, and of `generateText` and `streamText`.
const answerTo = (question: string): LanguageModelV4Content =>
  /picture/.test(question)
    ? { type: 'file', mediaType: 'video/mp4', data: { type: 'data', data: '' } }
    : { type: 'text', text: /mail/.test(question) ? 'Write to jane.doe@example.com.' : `You said: ${question}` };

const HEAD = { usage: {}, finishReason: { unified: 'stop' }, warnings: [] };

async function generate(prompt: LanguageModelV4Prompt, question: string): Promise<string> {
  const doGenerate = async () =>
    ({ ...HEAD, content: [answerTo(question)] }) as unknown as LanguageModelV4GenerateResult;
  const asked = { doGenerate, params: { prompt } } as unknown as Parameters<
    NonNullable<ReturnType<typeof guarded>['wrapGenerate']>
  >[0];
  const { content } = await guarded().wrapGenerate!(asked);
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

async function stream(prompt: LanguageModelV4Prompt, question: string, write: (text: string) => void): Promise<void> {
  const said = answerTo(question);
  const parts =
    said.type === 'text'
      ? [
          { type: 'text-start', id: '1' },
          ...said.text.split(/(?= )/).map((delta) => ({ type: 'text-delta', id: '1', delta })),
          { type: 'text-end', id: '1' },
        ]
      : [said];
  const all = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', ...HEAD }];
  const doStream = async () => ({ stream: ReadableStream.from(all) }) as unknown as LanguageModelV4StreamResult;
  const asked = { doStream, params: { prompt } } as unknown as Parameters<
    NonNullable<ReturnType<typeof guarded>['wrapStream']>
  >[0];
  const result = await guarded().wrapStream!(asked);
  for await (const part of result.stream) if (part.type === 'text-delta') write(part.delta);
}

if (process.argv[1]?.endsWith('ai-sdk.ts')) {
  const questions = ['Hello!', 'My card is 4111 1111 1111 1111.', 'What is your mail address?', 'Make a picture!'];
  for (const way of ['generate', 'stream'] as const) {
    for (const question of questions) {
      const prompt: LanguageModelV4Prompt = [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: [{ type: 'text', text: question }] },
      ];
      process.stdout.write(`${way}: `);
      try {
        if (way === 'generate') process.stdout.write(await generate(prompt, question));
        else await stream(prompt, question, (text) => process.stdout.write(text));
      } catch (error) {
        process.stdout.write(`[${(error as Error).message}]`);
      }
      console.log();
    }
  }
}
