/** A language model on loopback, as the detector `llm` asks it: it flags contents by words of the policy, or behaves badly. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, beforeEach } from 'node:test';
import type { BackendConfiguration } from '#weir/shared/configuration/backend';
import { createLogger } from '#weir/shared/log';
import { Registry } from '#weir/shared/telemetry';
import { type Asking, createAsking } from '#weir/workers/asking';
import { type Backends, createBackends } from '#weir/workers/backends/backends';
import type { Budgets } from '#weir/workers/backends/budget';
import { createBackendMetrics } from '#weir/workers/backends/meters';
import { createTextModels, type TextModelAskingTools } from '#weir/workers/onnx/ask';
import { createTextModelMetrics } from '#weir/workers/onnx/meters';
import { type Origin, startOrigin } from '../network/origin.ts';

/** What asks backends and models, as a worker has it; without `model` there is none. */
export const testAsking = (
  backends: Backends = testBackends(),
  registry = new Registry(),
  model: TextModelAskingTools['model'] = () => undefined,
): Asking => createAsking(backends, createTextModels({ model, metrics: createTextModelMetrics(registry) }));

/** What asks backends, as a worker has it, without a cache. */
export const testBackends = (registry = new Registry(), budgets?: Budgets): Backends =>
  createBackends({ budgets, metrics: createBackendMetrics(registry), logger: createLogger('test', 'silent') });

/** What it was asked. */
export interface Question {
  policies: { policy: string; flagged_content: string }[];
  /** of the user message */
  content: string;
  authorization: string | undefined;
}

export type Respond = (response: ServerResponse, question: Question) => void;

export interface LanguageModel extends Origin {
  url: string;
  asked: Question[];
  respond: Respond;
}

/** Flags what has the words of `flagged_content` in it, with the score 0.97; clean is 0.02. */
export const judge: Respond = (response, { policies, content }) => {
  const results = policies.map(({ policy, flagged_content }) => {
    const flagged = content.includes(flagged_content);
    return { policy, flagged, score: flagged ? 0.97 : 0.02 };
  });
  say(JSON.stringify({ results }))(response);
};

/** A completion with this text. */
export const say =
  (content: string) =>
  (response: ServerResponse): void =>
    void response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));

export const answer =
  (status: number, headers = {}): Respond =>
  (response) =>
    void response.writeHead(status, headers).end('{}');

/** Ways to behave badly, by name: what it does, and how a call of it ends. */
export const BAD: Record<string, { respond: Respond; outcome: string }> = {
  'answers 500': { respond: answer(500), outcome: 'server_error' },
  'answers 429': { respond: answer(429), outcome: 'rate_limited' },
  'answers 401': { respond: answer(401), outcome: 'refused' },
  redirects: { respond: answer(302, { location: '/elsewhere' }), outcome: 'refused' },
  'answers nothing': { respond: (response) => void response.end(), outcome: 'malformed' },
  'answers broken JSON': { respond: (response) => void response.end('{"choices":[{"mess'), outcome: 'malformed' },
  'answers by another schema': { respond: say('{"flagged":true}'), outcome: 'malformed' },
  'refuses in words': { respond: say('I cannot help with that.'), outcome: 'malformed' },
  'answers 10 MB': { respond: (response) => void response.end(Buffer.alloc(10_000_000, ' ')), outcome: 'too_large' },
  'resets the connection': {
    respond: (response) => void response.socket!.resetAndDestroy(),
    outcome: 'unreachable',
  },
  'resets it within the answer': {
    respond: (response) => void response.write('{', () => response.socket!.resetAndDestroy()),
    outcome: 'unreachable',
  },
  'answers 1 MB of headers': {
    respond: (response) => void response.socket!.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1_000_000)}`),
    outcome: 'unreachable',
  },
  hangs: { respond: () => undefined, outcome: 'timeout' },
  'stops within the answer': { respond: (response) => void response.write('{'), outcome: 'timeout' },
  'answers slowly, without end': {
    respond: (response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    },
    outcome: 'timeout',
  },
};

export async function startLanguageModel(): Promise<LanguageModel> {
  const asked: Question[] = [];
  const origin = await startOrigin((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const question = questionIn(Buffer.concat(chunks).toString(), request);
      asked.push(question);
      model.respond(response, question);
    });
  });
  const model = { ...origin, url: `http://127.0.0.1:${origin.port}/v1`, asked, respond: judge };
  return model;
}

/** A model for all tests of a file. Each of them begins with one that judges and has not been asked. */
export async function sharedModel(): Promise<LanguageModel> {
  const model = await startLanguageModel();
  after(() => model.close());
  beforeEach(() => {
    model.asked.length = 0;
    model.respond = judge;
  });
  return model;
}

/** A backend at this address, of team `t`. */
export const guardAt = (url: string, more: Partial<BackendConfiguration> = {}): BackendConfiguration => ({
  id: 'guard',
  team: 't',
  url,
  model: 'm',
  api_key_env: null,
  api_key_file: null,
  timeout_ms: 30_000,
  concurrency: 8,
  cache_seconds: 0,
  ...more,
});

function questionIn(body: string, { headers }: IncomingMessage): Question {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] };
  const [system, user] = messages as [{ content: string }, { content: string }];
  return {
    policies: JSON.parse(system.content.split('Policies:\n')[1]!) as Question['policies'],
    content: (JSON.parse(user.content) as { content: string }).content,
    authorization: headers.authorization,
  };
}
