// A chat whose answers are checked while the model writes them. A part is shown once nothing in it can become part of a violation; at the
// first one the answer stops. The model is at MODEL_URL, by default Ollama on this machine. fake-model.ts is a stand-in for one.
//
// Run:
//   printf 'Hello!\nWhat is your mail address?\n' | npx tsx docs/examples/streaming.ts
//
// Prints, with the stand-in for a model of fake-model.ts:
//   You said: Hello!
//   …[stopped: Contact data in answers]
import { createInterface } from 'node:readline';
import { createClient, guardStream, WeirViolation } from '@weir/client';

/** What is read of a part of an answer. */
interface Chunk {
  choices: { delta: { content?: string } }[];
}

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });
const MODEL_URL = process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1';

/** The parts of an answer, which come as server-sent events. The SDK of OpenAI gives the same with `stream: true`. */
async function* answerTo(content: string): AsyncGenerator<Chunk> {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.MODEL_KEY ?? 'none'}` },
    body: JSON.stringify({
      model: process.env.MODEL ?? 'llama3.2',
      messages: [{ role: 'user', content }],
      stream: true,
    }),
  });
  if (!response.ok || !response.body) throw new Error(`The model answered ${response.status}.`);
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, data = '[DONE]'] = /^data: *(.*)$/.exec(line) ?? [];
      if (data !== '[DONE]') yield JSON.parse(data) as Chunk;
    }
  }
}

for await (const question of createInterface({ input: process.stdin })) {
  try {
    for await (const { choices } of guardStream(answerTo(question), { client: weir, deployment_id: 'chat' })) {
      process.stdout.write(choices[0]?.delta.content ?? '');
    }
    console.log();
  } catch (error) {
    if (!(error instanceof WeirViolation)) throw error;
    console.log(`[stopped: ${error.violated.join(', ')}]`);
  }
}
