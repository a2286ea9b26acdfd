/** Backends that attacks have texts judged by: one takes requests and never answers, the other one answers late. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listenOnLoopback } from '../../loopback.js';

/** How late the slow one answers. */
const SLOW_MS = 2000;

/** Their addresses. */
export type BackendUrls = Record<'hanging' | 'slow', string>;

export interface AskingPolicies {
  backends: object[];
  policies: { id: string; team: string }[];
}

/** What a team needs to ask the backends: a policy for each, which asks about texts with `judge hanging` or `judge slow`. */
export function askingOf(team: string, urls: BackendUrls): AskingPolicies {
  const ways = Object.entries(urls);
  return {
    backends: ways.map(([id, url]) => ({ id, team, url, model: 'm', cache_seconds: 0 })),
    policies: ways.map(([id]) => ({
      id: randomUUID(),
      team,
      name: `Judged by the ${id} one`,
      detect: {
        all: [
          { terms: { list: [`judge ${id}`] } },
          { llm: { backend: id, flagged_content: 'Anything.', allowed_content: 'Nothing.' } },
        ],
      },
    })),
  };
}

/** A language model that answers after 2 s that nothing is flagged. */
export async function startSlowModel(): Promise<{ url: string; close(): Promise<void> }> {
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        response.end(body === undefined ? '' : answerTo(body));
      }, SLOW_MS);
      timers.add(timer);
    });
  });
  const host = await listenOnLoopback(server);
  return {
    url: `http://${host}/v1`,
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      return closeServer(server, () => server.closeAllConnections());
    },
  };
}

/** Undefined: the connection broke. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

/** The part of a request that says how its answer must look. */
interface AnswerFormat {
  response_format: {
    json_schema: { schema: { properties: { results: { items: { properties: { policy: { enum: string[] } } } } } } };
  };
}

function answerTo(body: string): string {
  const { schema } = (JSON.parse(body) as AnswerFormat).response_format.json_schema;
  const names = schema.properties.results.items.properties.policy.enum;
  const content = JSON.stringify({ results: names.map((policy) => ({ policy, flagged: false, score: 0 })) });
  return JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] });
}
