/** A service that checks streams for one thing, as an HTTP server, and sources that tell what was asked of them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, beforeEach } from 'node:test';
import { type Client, type ClientOptions, createClient, type StreamRequest } from '#weir/shared/client/index';

/** What the service flags: eleven units at most. */
export const FINDING = /CODE-\d{6}/;
export const CODE = 'CODE-123456';
const REACH = CODE.length;

/** As the client sends it. */
type SentPiece = StreamRequest & { delta: string; final?: boolean };

interface Kept {
  text: string;
  pieces: SentPiece[];
  safe: number;
  flagged: boolean;
  final: boolean;
}

export interface StreamService {
  client(options?: Partial<ClientOptions>): Client;
  /** by id of the stream, in the order of their first pieces */
  streams: Map<string, Kept>;
  /** every request, also those that were refused */
  requests: SentPiece[];
  /** answers in place of the service: a status, and the code of an error */
  refusals: { status: number; code: string }[];
  /** Keeps requests waiting until what it returns is called. */
  shut(): () => void;
  /** names of policies that judge at the end: a text with "later" violates them */
  delayed: string[];
  /** most requests of one stream that were there at a time */
  busiest: number;
}

const errorOf = (code: string): unknown => ({ error: { type: 'api_error', code, message: code, request_id: 'r' } });

/** A service for all tests of a `describe`, to be called in it: each of them finds it as if it were new. */
export function streamService(): StreamService {
  const busy = new Map<string, number>();
  let gate = Promise.resolve();
  const server = createServer(async (request, response) => {
    const piece = (await json(request)) as SentPiece;
    service.requests.push(piece);
    const { stream_id } = piece;
    busy.set(stream_id, (busy.get(stream_id) ?? 0) + 1);
    service.busiest = Math.max(service.busiest, busy.get(stream_id)!);
    await gate;
    const refusal = service.refusals.shift();
    const [status, body] = refusal ? [refusal.status, errorOf(refusal.code)] : answer(piece);
    busy.set(stream_id, busy.get(stream_id)! - 1);
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify(body));
  });

  function answer(piece: SentPiece): [number, unknown] {
    const { stream_id, sequence, delta, final = false } = piece;
    const before = service.streams.get(stream_id);
    const kept = before ?? { text: '', pieces: [], safe: 0, flagged: false, final: false };
    const newest = kept.pieces.at(-1);
    const repeated = newest?.sequence === sequence && newest.delta === delta && newest.final === piece.final;
    if (!repeated) {
      if (sequence !== kept.pieces.length || kept.final) return [409, errorOf('sequence_mismatch')];
      service.streams.set(stream_id, kept);
      kept.pieces.push(piece);
      kept.text += delta;
      const found = FINDING.exec(kept.text);
      kept.final ||= final;
      kept.flagged ||= found !== null || (final && service.delayed.length > 0 && kept.text.includes('later'));
      const end = final ? kept.text.length : kept.text.length - REACH + 1;
      kept.safe = Math.max(kept.safe, Math.min(end, found?.index ?? end));
    }
    const policy = { name: 'Codes', flagged: kept.flagged };
    const delayed_policies = kept.final ? [] : service.delayed;
    const { flagged, safe: safe_until, final: isFinal } = kept;
    return [
      200,
      { stream_id, sequence, flagged, policies: { p: policy }, safe_until, delayed_policies, final: isFinal },
    ];
  }

  const service: StreamService = {
    streams: new Map(),
    requests: [],
    refusals: [],
    shut() {
      let open = (): void => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    delayed: [],
    busiest: 0,
    client: (options) =>
      createClient({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        apiKey: 'wk_some',
        ...options,
      }),
  };
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    service.streams.clear();
    Object.assign(service, { requests: [], refusals: [], delayed: [], busiest: 0 });
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return service;
}

export interface ToldSource<T> extends AsyncIterable<T> {
  /** chunks that were asked for */
  asked: number;
  cancelled: boolean;
}

/** A source of `chunks` that then ends, fails with an Error, or waits for ever (`undefined`). */
export function sourceOf<T>(chunks: readonly T[], end: 'ends' | 'waits' | Error = 'ends'): ToldSource<T> {
  const source: ToldSource<T> = {
    asked: 0,
    cancelled: false,
    [Symbol.asyncIterator]: () => ({
      async next() {
        const n = source.asked++;
        if (n < chunks.length) return { done: false, value: chunks[n]! };
        if (end === 'waits') await new Promise(() => {});
        if (end instanceof Error) throw end;
        return { done: true, value: undefined };
      },
      async return() {
        source.cancelled = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return source;
}

export interface Collected<T> {
  chunks: T[];
  /** what ended the guard, if it is an error */
  error: unknown;
}

/** Everything that is handed on, and how it ends. */
export async function collect<T>(guarded: AsyncIterable<T>, each?: (chunk: T) => void): Promise<Collected<T>> {
  const chunks: T[] = [];
  try {
    for await (const chunk of guarded) {
      chunks.push(chunk);
      each?.(chunk);
    }
    return { chunks, error: undefined };
  } catch (error) {
    return { chunks, error };
  }
}

/** `text` in pieces of a few units, cut by the numbers of `cuts`, over and over. */
export function pieces(text: string, cuts: readonly number[] = [3]): string[] {
  const all: string[] = [];
  for (let at = 0, n = 0; at < text.length; n++) {
    const units = Math.max(1, cuts[n % cuts.length]!);
    all.push(text.slice(at, at + units));
    at += units;
  }
  return all;
}
