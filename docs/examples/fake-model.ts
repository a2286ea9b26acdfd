// A stand-in for a language model with the interface of OpenAI, for who has none at hand. It says back what it is told. Ctrl-C ends it.
//
// Run:
//   npx tsx docs/examples/fake-model.ts
//
// Prints:
//   The model is at http://127.0.0.1:11434/v1
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const answerTo = (question: string): string =>
  /mail/i.test(question) ? 'Write to jane.doe@example.com.' : `You said: ${question}`;

/** What the answer has beside the choices. */
const HEAD = { id: 'chatcmpl-1', model: 'echo', created: 0 };

function send(response: ServerResponse, content: string): void {
  const message = { role: 'assistant', content };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ ...HEAD, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
  );
}

/** A word at a time, as server-sent events. */
function stream(response: ServerResponse, content: string): void {
  response.setHeader('content-type', 'text/event-stream');
  const write = (delta: object, finish_reason: string | null): void => {
    const chunk = { ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const word of content.split(/(?<= )/)) write({ content: word }, null);
  write({}, 'stop');
  response.end('data: [DONE]\n\n');
}

const server = createServer((request, response) => {
  void json(request).then((asked) => {
    const { messages, stream: inParts } = asked as { messages: { content: string }[]; stream?: boolean };
    (inParts ? stream : send)(response, answerTo(messages.at(-1)?.content ?? ''));
  });
});
server.listen(Number(process.env.PORT ?? 11434), '127.0.0.1', () => {
  console.log(`The model is at http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
