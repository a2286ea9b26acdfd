/** Counts what a load sends and gets, and turns the counts into its result. */
import { type LatencyHistogram, latencyHistogram } from '../measurement/histogram.js';
import { type LoadBody, rowsOf } from '../workloads/bodies.js';
import type { Inspection, LoadResult, OfferedLoad } from './types.js';

export interface LoadAnswer {
  /** milliseconds since the request was due */
  waited: number;
  /** after the end of the given time */
  late: boolean;
  bytes: number;
  sent: LoadBody;
  /** only when it is to be checked in full */
  body: Buffer | undefined;
}

export interface Tally {
  /** A request of `bytes`, `body` of them in its body, left `delay` ms after it was due. */
  sent(delay: number, bytes: number, body: number): void;
  /** Requests that were due are never sent. */
  dropped(requests: number): void;
  answered(status: number, answer: LoadAnswer): void;
  /** A request got no answer; its rows may be stored all the same. */
  failed(reason: string, rows: number): void;
  result(cpu: NodeJS.CpuUsage, nextStamp: number): LoadResult;
}

interface LoadCounts {
  latency: LatencyHistogram;
  sendDelay: LatencyHistogram;
  errors: Record<string, number>;
  requests: { sent: number; ok: number; accepted: number; rows: number; unknown: number; dropped: number };
  samples: { sampled: number; incomplete: number; flagged: number; flaggedExpected: number };
  okInTime: number;
  requestBytes: number;
  bodyBytes: number;
  responseBytes: number;
}

export function createTally(load: OfferedLoad): Tally {
  const counts: LoadCounts = {
    latency: latencyHistogram(),
    sendDelay: latencyHistogram(),
    errors: {},
    requests: { sent: 0, ok: 0, accepted: 0, rows: 0, unknown: 0, dropped: 0 },
    samples: { sampled: 0, incomplete: 0, flagged: 0, flaggedExpected: 0 },
    okInTime: 0,
    requestBytes: 0,
    bodyBytes: 0,
    responseBytes: 0,
  };
  const { requests, errors } = counts;
  const failed = (reason: string, rows: number): void => {
    errors[reason] = (errors[reason] ?? 0) + 1;
    requests.unknown += rows;
  };
  return {
    failed,
    sent: (delay, bytes, body) => {
      counts.sendDelay.record(delay);
      requests.sent++;
      counts.requestBytes += bytes;
      counts.bodyBytes += body;
    },
    dropped: (n) => {
      requests.dropped += n;
    },
    answered: (status, answer) => {
      counts.responseBytes += answer.bytes;
      if (status !== 200) {
        failed(String(status), status >= 500 ? rowsOf(answer.sent) : 0);
        return;
      }
      counts.latency.record(answer.waited);
      requests.ok++;
      if (!answer.late) counts.okInTime++;
      requests.accepted += answer.sent.items;
      requests.rows += rowsOf(answer.sent);
      if (answer.body !== undefined) sample(counts.samples, inspectBytes(answer.body, load.inspect), answer.sent);
    },
    result: (cpu, nextStamp) => resultOf(load, counts, cpu, nextStamp),
  };
}

function sample(samples: LoadCounts['samples'], found: Inspection, sent: LoadBody): void {
  samples.sampled++;
  if (found.items !== sent.items || found.completed !== sent.items) samples.incomplete++;
  samples.flagged += found.flagged;
  samples.flaggedExpected += sent.flagged;
}

function inspectBytes(bytes: Buffer, inspect: (body: unknown) => Inspection): Inspection {
  try {
    return inspect(JSON.parse(bytes.toString()));
  } catch {
    return { items: 0, completed: 0, flagged: 0 };
  }
}

function resultOf(load: OfferedLoad, counts: LoadCounts, cpu: NodeJS.CpuUsage, nextStamp: number): LoadResult {
  const { requests, samples, okInTime } = counts;
  const itemsPerRequest = load.bodies.reduce((sum, body) => sum + body.items, 0) / load.bodies.length;
  return {
    mode: load.mode.kind,
    rate: load.mode.kind === 'open' ? load.mode.rate : 0,
    seconds: load.seconds,
    ...requests,
    errors: counts.errors,
    requestsPerSecond: okInTime / load.seconds,
    itemsPerSecond: (okInTime * itemsPerRequest) / load.seconds,
    latency: counts.latency.summary(),
    sendDelay: counts.sendDelay.summary(),
    ...samples,
    cpuPerRequest: (cpu.user + cpu.system) / Math.max(1, requests.sent),
    bodyBytes: counts.bodyBytes / Math.max(1, requests.sent),
    requestBytes: counts.requestBytes / Math.max(1, requests.sent),
    responseBytes: counts.responseBytes / Math.max(1, requests.ok),
    nextStamp,
  };
}
