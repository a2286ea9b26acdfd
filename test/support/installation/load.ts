/**
 * A small open-loop sender that remembers what it sent, what was answered and when (`requests.ts` has the requests). It keeps what an
 * answer says, and not the answer.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded, type WorkloadRandom } from '#weir/bench/workloads/random';
import { type Draft, type DraftOptions, draftOf, type Outcome, outcomeOf, type Reference } from './requests.js';

export interface Answer {
  /** 0: no answer came, see `failure` */
  status: number;
  headers: IncomingHttpHeaders;
  body: unknown;
  /** code or message of what broke the connection */
  failure: string;
}

/** A request and its last answer. */
export interface Sent extends Omit<Draft, 'path' | 'body'>, Outcome {
  status: number;
  /** It has an Idempotency-Key. */
  keyed: boolean;
  /** see `Answer` */
  failure: string;
  /** seconds; 0: the answer has none */
  retryAfter: number;
  /** Unix ms */
  sentAt: number;
  answeredAt: number;
  /** answers before the last one, of a request that is repeated with its Idempotency-Key */
  earlier: Pick<Sent, 'status' | 'code' | 'failure' | 'inDoubt' | 'sentAt' | 'answeredAt'>[];
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

export interface LoadOptions extends Omit<DraftOptions, 'earlier'> {
  url: string;
  key: string;
  /** requests a second, default 20 */
  rate?: number;
  /** Half of the requests have an Idempotency-Key, and are repeated until they are answered 200. Default false. */
  repeat?: boolean;
  /** of what is referred to; default 1 */
  seed?: number;
}

/** A slow machine is sent less: what it has not answered yet keeps out what would only wait behind it. */
const MOST_IN_FLIGHT = 64;
const ANSWER_MS = 120_000;
const TICK_MS = 10;
/** How often a request is repeated, and after how long: a caller in a hurry. */
const MOST_REPEATED = 200;
const REPEAT_MS = 500;
/** What a repetition may find gone again. */
const PASSING = new Set([0, 409, 503, 504]);

export interface Client {
  request(method: 'GET' | 'POST', path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

/** ms after which a caller gives up a connection that nothing is sent on, as Node's own agent does: before the server does. */
const IDLE_MS = 5000;

/** A caller with kept-alive connections. Nothing is ever sent twice. */
export function createClient(url: string, key: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: IDLE_MS });
  return {
    request: (method, path, body, headers = {}) =>
      new Promise((resolve) => {
        const fail = (error: Error & { code?: string }): void =>
          resolve({ status: 0, headers: {}, body: undefined, failure: error.code ?? error.message });
        const outgoing = httpRequest(new URL(path, url), {
          method,
          agent,
          headers: {
            authorization: `Bearer ${key}`,
            'service-version': '2026-06-01',
            ...headers,
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

export function startLoad(options: LoadOptions): Load {
  const client = createClient(options.url, options.key);
  const random: WorkloadRandom = seeded(options.seed ?? 1);
  const sent: Sent[] = [];
  const underWay = new Set<Promise<void>>();
  const interval = 1000 / (options.rate ?? 20);
  let running = true;
  let ended = false;
  let accepted = 0;

  /** One of the first events of a batch that was answered. */
  function earlier(): Reference | undefined {
    for (let tries = 0; tries < 8 && sent.length > 0; tries++) {
      const one = random.pick(sent);
      if (one.kind !== 'events' || one.status !== 200) continue;
      const event = one.events[random.between(0, 1)]!;
      const verdict = one.verdicts.find(({ item }) => item === `${one.name} ${event}`);
      if (verdict?.flagged != null) return { run: one.name, event, flagged: verdict.flagged };
    }
    return undefined;
  }

  async function send(number: number): Promise<void> {
    const { path, body, ...draft } = draftOf(number, { ...options, earlier });
    const headers = options.repeat && Math.floor(number / 8) % 2 === 0 ? { 'idempotency-key': draft.name } : undefined;
    const before: Sent['earlier'] = [];
    for (;;) {
      const sentAt = Date.now();
      const { status, failure, headers: said, body: answer } = await client.request('POST', path, body, headers);
      const outcome = outcomeOf({ ...draft, path, body }, status, answer);
      const retryAfter = Number(said['retry-after'] ?? 0);
      const answeredAt = Date.now();
      const one = {
        ...draft,
        ...outcome,
        keyed: headers !== undefined,
        status,
        failure,
        retryAfter,
        sentAt,
        answeredAt,
        earlier: before,
      };
      if (headers && PASSING.has(status) && before.length < MOST_REPEATED && !ended) {
        before.push({ status, code: outcome.code, failure, inDoubt: outcome.inDoubt, sentAt, answeredAt });
        await sleep(REPEAT_MS * (0.5 + Math.random()));
        continue;
      }
      if (status === 200) accepted++;
      sent.push(one);
      return;
    }
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
      ended = true;
      client.close();
    },
  };
}
