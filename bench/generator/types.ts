/** What a load is, and what comes of it. */
import type { Latency } from '../measurement/histogram.js';
import type { LoadBody } from '../workloads/bodies.js';

export interface OfferedLoad {
  host: string;
  port: number;
  /** path of the route */
  path: string;
  headers: Readonly<Record<string, string>>;
  bodies: readonly LoadBody[];
  mode: { kind: 'open' /** requests a second */; rate: number } | { kind: 'closed' };
  connections: number;
  /** open model: limit of requests that are sent or wait for a connection; the rest is dropped and counted */
  maxInFlight: number;
  seconds: number;
  /** how long an answer may take, also after the last request was sent */
  timeoutMs: number;
  /** how long to wait for the connections at the start [5,000] */
  connectMs?: number;
  /** one answer in this many is parsed and checked in full */
  sampleEvery: number;
  /** number of the first request; stamps must not repeat within one tag */
  firstStamp: number;
  /** what a parsed answer holds */
  inspect(body: unknown): Inspection;
}

/** What an answer says of its items. */
export interface Inspection {
  items: number;
  /** with a verdict, and references that were found */
  completed: number;
  flagged: number;
}

export interface LoadResult {
  mode: 'open' | 'closed';
  /** open model: requests a second that were due */
  rate: number;
  /** from the first request to the end of the given time, without the wait for the last answers */
  seconds: number;
  sent: number;
  ok: number;
  /** items of the requests that were answered 200 */
  accepted: number;
  /** rows that these become */
  rows: number;
  /** rows of requests that failed but may be stored: the connection was lost, or the answer was a 5xx */
  unknown: number;
  /** requests that were due but never sent */
  dropped: number;
  /** by HTTP status, or by what happened to the connection */
  errors: Record<string, number>;
  /** requests answered 200 within `seconds`, per second */
  requestsPerSecond: number;
  itemsPerSecond: number;
  /** of answers with status 200, milliseconds; open: since the request was due, closed: since it was sent */
  latency: Latency;
  /** milliseconds between due and sent: every connection was taken, or the generator was busy */
  sendDelay: Latency;
  sampled: number;
  /** parsed answers that did not hold every item as completed */
  incomplete: number;
  /** items that were flagged in the parsed answers, and items that hold something to be flagged */
  flagged: number;
  flaggedExpected: number;
  /** microseconds of CPU of the generator's process per request sent */
  cpuPerRequest: number;
  /** bytes of a request, and of its body alone, on average */
  requestBytes: number;
  bodyBytes: number;
  responseBytes: number;
  /** number of the next request */
  nextStamp: number;
}
