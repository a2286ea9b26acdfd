// A stand-in for a language model with the interface of OpenAI, for who has none at hand. It says back what it is told. Ctrl-C ends it.
//
// Run:
//   npx tsx docs/examples/fake-model.ts
//
// Prints:
//   The model is at http://127.0.0.1:11434/v1
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const answerTo = (question: string): string =>
  /mail/i.test(question) ? 'Write to jane.doe@example.com.' : `You said: ${question}`;

const server = createServer((request, response) => {
  void json(request).then((asked) => {
    const { messages } = asked as { messages: { content: string }[] };
    const message = { role: 'assistant', content: answerTo(messages.at(-1)?.content ?? '') };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      }),
    );
  });
});
server.listen(Number(process.env.PORT ?? 11434), '127.0.0.1', () => {
  console.log(`The model is at http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
