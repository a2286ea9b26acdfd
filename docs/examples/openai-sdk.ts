// A `fetch` for the SDK of OpenAI, and for any other that takes one. It checks the newest message before a chat completion is asked for,
// and the answer before the SDK gets it. What violates a policy is an error of the SDK (`BadRequestError`, which it does not try again). All
// other requests pass unchecked, those to /responses too.
//
//   const openai = new OpenAI({ fetch: guarded() });
//   await openai.chat.completions.create({ model, messages });
//
// What is below the function does what the SDK does, without it: leave it out of your program.
//
// Run:
//   npx tsx docs/examples/openai-sdk.ts
//
// Prints, with the stand-in for a model of fake-model.ts:
//   200 You said: Hello!
//   400 The question violates: Payment data.
//   400 The answer violates: Contact data in answers.
import { createClient, unwrap } from '@weir/client';

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });

type Messages = Parameters<typeof weir.checkSession>[0]['messages'];

/** An answer that the SDK makes an exception of. */
function refuse(message: string): Response {
  const error = { message, type: 'invalid_request_error', code: 'content_policy_violation', param: null };
  return Response.json({ error }, { status: 400 });
}

/** Why the last message may not pass; undefined where it may. */
async function refusalOf(what: string, messages: Messages): Promise<Response | undefined> {
  const { flagged, policies } = unwrap(await weir.checkSession({ messages }, { policies: 'flagged' }));
  if (!flagged) return undefined;
  const names = Object.values(policies).map(({ name }) => name);
  return refuse(`The ${what} violates: ${names.join(', ')}.`);
}

/** Earlier messages are context: they were checked when they were new. */
export function guarded(ask: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!address.endsWith('/chat/completions')) return ask(input, init);
    const { messages, stream } = JSON.parse(String(init?.body)) as { messages: Messages; stream?: boolean };
    if (stream) return refuse('An answer is checked as a whole here: ask without "stream".');
    const refusal = await refusalOf('question', messages);
    if (refusal) return refusal;
    const response = await ask(input, init);
    if (!response.ok) return response;
    const { choices } = (await response.clone().json()) as { choices: { message: Messages[number] }[] };
    for (const { message } of choices) {
      const withheld = await refusalOf('answer', [...messages, message]);
      if (withheld) return withheld;
    }
    return response;
  };
}

const ask = guarded();
for (const content of ['Hello!', 'My card is 4111 1111 1111 1111.', 'What is your mail address?']) {
  const response = await ask(`${process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1'}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'llama3.2', messages: [{ role: 'user', content }] }),
  });
  const { error, choices } = (await response.json()) as {
    error?: { message: string };
    choices?: { message: { content: string } }[];
  };
  console.log(response.status, error?.message ?? choices?.[0]?.message.content);
}
