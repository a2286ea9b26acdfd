/**
 * A small open-loop sender that remembers everything: what it sent, what was answered and when. Each request has a run
 * (or external session id) of its own, so that every row that turns up can be traced to the request it came from.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  /** 0: no answer came, see `failure` */
  status: number;
  headers: IncomingHttpHeaders;
  body: unknown;
  /** code or message of what broke the connection */
  failure: string;
}

export interface Sent extends Answer {
  kind: 'events' | 'session';
  /** run id, or external session id */
  name: string;
  /** event ids in order; of a session: none */
  events: string[];
  /** Unix ms */
  sentAt: number;
  answeredAt: number;
}

export interface Load {
  sent: readonly Sent[];
  /** Requests answered 200 so far. */
  accepted(): number;
  /** Stops sending and waits for what is under way, which each has its limit. */
  stop(): Promise<void>;
  /** Stops at once; what is under way is cut off. */
  end(): void;
}

export interface LoadOptions {
  url: string;
  key: string;
  /** start of every run id, so that loads can be told apart */
  name: string;
  /** requests a second, default 20 */
  rate?: number;
  /** bytes of padding of each event, default 0 */
  padding?: number;
}

/** A slow machine is sent less: what it has not answered yet keeps out what would only wait behind it. */
const MOST_IN_FLIGHT = 64;
const ANSWER_MS = 120_000;
const TICK_MS = 10;

export interface Client {
  request(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer>;
  close(): void;
}

/** ms after which a caller gives up a connection that nothing is sent on, as Node's own agent does: before the server does. */
const IDLE_MS = 5000;

/** A caller with kept-alive connections. Nothing is ever sent twice. */
export function createClient(url: string, key: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: IDLE_MS });
  return {
    request: (method, path, body) =>
      new Promise((resolve) => {
        const fail = (error: Error & { code?: string }): void =>
          resolve({ status: 0, headers: {}, body: undefined, failure: error.code ?? error.message });
        const outgoing = httpRequest(new URL(path, url), {
          method,
          agent,
          headers: {
            authorization: `Bearer ${key}`,
            'service-version': '2026-06-01',
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          },
        });
        outgoing.setTimeout(ANSWER_MS, () => outgoing.destroy(new Error('no answer in time')));
        outgoing.once('error', fail);
        outgoing.once('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', fail);
          response.once('end', () => {
            try {
              const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString());
              resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed, failure: '' });
            } catch {
              fail(new Error('the answer is no JSON'));
            }
          });
        });
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Starts sending; one request in eight is a session check, the others are batches of 4 to 6 events. */
export function startLoad(options: LoadOptions): Load {
  const client = createClient(options.url, options.key);
  const sent: Sent[] = [];
  const underWay = new Set<Promise<void>>();
  const interval = 1000 / (options.rate ?? 20);
  let running = true;
  let accepted = 0;

  async function send(number: number): Promise<void> {
    const session = number % 8 === 7;
    const name = `${options.name}-${number}`;
    const events = session ? [] : Array.from({ length: 4 + (number % 3) }, (_, i) => `e${i}`);
    const body = session ? sessionBody(name, number) : eventsBody(name, events, options.padding ?? 0);
    const sentAt = Date.now();
    const answer = await client.request('POST', session ? '/api/session/check' : '/api/events', body);
    if (answer.status === 200) accepted++;
    sent.push({ kind: session ? 'session' : 'events', name, events, sentAt, answeredAt: Date.now(), ...answer });
  }

  const loop = (async () => {
    const started = performance.now();
    for (let number = 0; running; ) {
      const due = Math.floor((performance.now() - started) / interval);
      for (; number < due && running; number++) {
        // A request that finds no place is left out: nobody has sent it.
        if (underWay.size >= MOST_IN_FLIGHT) continue;
        const promise = send(number).finally(() => underWay.delete(promise));
        underWay.add(promise);
      }
      await sleep(TICK_MS);
    }
  })();

  return {
    sent,
    accepted: () => accepted,
    async stop() {
      running = false;
      await loop;
      await Promise.all(underWay);
      client.close();
    },
    end() {
      running = false;
      client.close();
    },
  };
}

/** Something for most policies of the sample configuration, and much that is clean. */
function eventsBody(run: string, ids: readonly string[], padding: number): string {
  const pad = padding > 0 ? ` ${'lorem ipsum '.repeat(Math.ceil(padding / 12))}` : '';
  const events = ids.map((id, i) => {
    if (i % 5 === 1) {
      return { type: 'message', role: 'user', event_id: id, content: `My card is 4111 1111 1111 1111.${pad}` };
    }
    if (i % 5 === 2) {
      return { type: 'tool', event_id: id, name: 'shell', arguments: { command: `rm -rf /tmp/${run}${pad}` } };
    }
    if (i % 5 === 3) {
      const content = `Write to someone@example.org about ${run}.${pad}`;
      return { type: 'message', role: 'assistant', event_id: id, content, metadata: { user: { tier: 'free' } } };
    }
    return { type: 'message', role: 'user', event_id: id, content: `Nothing to see in ${run}.${pad}` };
  });
  return JSON.stringify({ environment_id: 'prod', run_id: run, events });
}

function sessionBody(name: string, number: number): string {
  const content = number % 16 === 7 ? 'Charge 4111 1111 1111 1111, please.' : 'Good morning.';
  return JSON.stringify({
    deployment_id: 'chat',
    external_session_id: name,
    messages: [{ role: 'user', content, metadata: { user: { id: `user-${name}`, email: `${name}@example.org` } } }],
  });
}
