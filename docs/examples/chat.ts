// A chat in a terminal whose two sides are checked: what you write before the model sees it, what it answers before you do. The model is at
// MODEL_URL, by default Ollama on this machine. fake-model.ts is a stand-in for one.
//
// Run:
//   printf 'Hello!\nMy card is 4111 1111 1111 1111.\nWhat is your mail address?\n' | npx tsx docs/examples/chat.ts
//
// Prints, with the stand-in for a model of fake-model.ts:
//   You said: Hello!
//   [not sent: Payment data]
//   [withheld: Contact data in answers]
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createClient, unwrap } from '@weir/client';

interface Message {
  role: 'user' | 'assistant';
  content: string;
}

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });
// Anything with the interface of OpenAI. This is the address of Ollama.
const MODEL_URL = process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1';
const conversation = randomUUID();

/** Names of the policies that a message violates. Throws where Weir has no verdict: without one nothing passes. */
async function violatedBy(message: Message): Promise<string> {
  // Weir knows the earlier messages of the conversation by its id.
  const check = { external_session_id: conversation, messages: [message] };
  const { policies } = unwrap(await weir.checkSession(check, { policies: 'flagged' }));
  return Object.values(policies)
    .map(({ name }) => name)
    .join(', ');
}

async function ask(messages: Message[]): Promise<string> {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.MODEL_KEY ?? 'none'}` },
    body: JSON.stringify({ model: process.env.MODEL ?? 'llama3.2', messages }),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? '';
}

const messages: Message[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const question: Message = { role: 'user', content: line };
  const refused = await violatedBy(question);
  if (refused !== '') {
    console.log(`[not sent: ${refused}]`);
    continue;
  }
  messages.push(question);
  const answer: Message = { role: 'assistant', content: await ask(messages) };
  const withheld = await violatedBy(answer);
  if (withheld !== '') answer.content = `[withheld: ${withheld}]`;
  messages.push(answer);
  console.log(answer.content);
}
