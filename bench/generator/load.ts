/**
 * The load generator: an open model (requests are due at a fixed rate, and latency counts from when each was due, so
 * that a stalled service cannot hide the requests that it kept from being sent) and a closed one (each connection
 * sends as soon as it has its answer: capacity only).
 *
 * Why the connections are our own and not node:http or a client library: generator and service share the machine, so
 * what the generator burns is missing from the result. Per request of 17 KB with an answer of 66 KB, microseconds of
 * CPU on 2 cores with Node 20.20, ids stamped and 1 answer in 100 parsed included:
 *
 *     | model                    | node:http Agent | these connections |
 *     |--------------------------|-----------------|-------------------|
 *     | closed, 32 connections   | 122 to 146      | 20 to 33          |
 *     | open, 1,500 a second     | 201             | 68 to 80          |
 *     | open, 2,000 a second     | not measured    | 56                |
 *
 * About 18 of these 68 to 80 are the clock: waking once a millisecond costs 27 ms of CPU a second, whatever the rate.
 */

import { type Latency, latencyHistogram } from '../measurement/histogram.js';
import { type Body, stampBody } from '../workloads/bodies.js';
import { type Connection, openConnection } from './connection.js';

export interface Load {
  host: string;
  port: number;
  /** path of the route */
  path: string;
  headers: Readonly<Record<string, string>>;
  bodies: readonly Body[];
  mode: { kind: 'open' /** requests a second */; rate: number } | { kind: 'closed' };
  connections: number;
  /** open model: requests sent or waiting for a connection; what is due beyond that is dropped, and counted */
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
  /** items of the requests that ended otherwise and may be stored all the same: a lost connection, a 5xx */
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
  /** open model: how late requests left because every connection was taken or the generator was busy, milliseconds */
  sendDelay: Latency;
  sampled: number;
  /** parsed answers that did not hold every item as completed */
  incomplete: number;
  /** items that were flagged in the parsed answers, and those that hold something to be flagged */
  flagged: number;
  flaggedExpected: number;
  /** microseconds of CPU of the generator's process per request sent */
  cpuPerRequest: number;
  requestBytes: number;
  responseBytes: number;
  /** number of the next request */
  nextStamp: number;
}

interface Slot {
  connection: Connection;
  request: Buffer;
  due: number;
  sentAt: number;
  body: Body;
  free: boolean;
}

/** Sends the load and waits for the answers. Ends by itself: after `seconds` and at most `timeoutMs` more. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const run = prepare(load);
  await run.connected();
  const cpu = process.cpuUsage();
  await (load.mode.kind === 'open' ? run.open(load.mode.rate) : run.closed());
  await run.settle();
  return run.finish(process.cpuUsage(cpu));
}

type Run = ReturnType<typeof prepare>;

export type { Run };

function prepare(load: Load) {
  const heads = load.bodies.map((body) => headOf(load, body));
  const largest = Math.max(...load.bodies.map((body, i) => heads[i]!.length + body.bytes.length));
  const tally = createTally(load);
  const free: Slot[] = [];
  const waiting = fifo();
  let stamp = load.firstStamp;
  let inFlight = 0;
  let started = 0;
  let ended = false;

  const send = (slot: Slot, due: number): void => {
    const index = stamp % load.bodies.length;
    const body = load.bodies[index]!;
    const head = heads[index]!;
    const length = head.length + body.bytes.length;
    head.copy(slot.request);
    body.bytes.copy(slot.request, head.length);
    stampBody(slot.request, body.stamps, stamp, head.length);
    slot.free = false;
    slot.due = due;
    slot.sentAt = performance.now();
    slot.body = body;
    tally.sent(slot.sentAt - due, length);
    inFlight++;
    slot.connection.send(slot.request.subarray(0, length), stamp % load.sampleEvery === 0);
    stamp++;
  };

  /** A connection has nothing under way: the next waiting request, a new one of the closed model, or rest. */
  const next = (slot: Slot): void => {
    if (!slot.connection.idle() || slot.free) return;
    if (waiting.size() > 0) send(slot, waiting.take());
    else if (load.mode.kind === 'closed' && started > 0 && !ended) send(slot, performance.now());
    else {
      slot.free = true;
      free.push(slot);
    }
  };

  const answered = (slot: Slot, status: number, bytes: number, body: Buffer | undefined): void => {
    inFlight--;
    tally.answered(status, { waited: performance.now() - slot.due, late: ended, bytes, sent: slot.body, body });
    next(slot);
  };

  const slots = Array.from({ length: load.connections }, () => makeSlot());
  function makeSlot(): Slot {
    const slot: Slot = {
      request: Buffer.allocUnsafeSlow(largest),
      due: 0,
      sentAt: 0,
      body: load.bodies[0]!,
      free: false,
      connection: openConnection(load, {
        ready: () => next(slot),
        answer: (status, bytes, body) => answered(slot, status, bytes, body),
        lost: (reason) => {
          inFlight--;
          tally.failed(reason, slot.body.items);
        },
      }),
    };
    return slot;
  }

  const take = (): Slot | undefined => {
    for (let slot = free.pop(); slot !== undefined; slot = free.pop()) {
      slot.free = false;
      // An idle connection may have been closed meanwhile; it comes back to the list by `ready`.
      if (slot.connection.idle()) return slot;
    }
    return undefined;
  };

  const dispatch = (due: number): void => {
    const slot = take();
    if (slot !== undefined) send(slot, due);
    else if (inFlight + waiting.size() < load.maxInFlight) waiting.add(due);
    else tally.dropped(1);
  };

  /** Requests under way for longer than allowed are given up. */
  const expire = (): void => {
    const limit = performance.now() - load.timeoutMs;
    for (const slot of slots) if (!slot.free && slot.sentAt < limit) slot.connection.abandon('time-out');
  };

  return {
    /** Resolves when every connection stands; rejects when none does in time. */
    async connected(): Promise<void> {
      const until = performance.now() + (load.connectMs ?? 5000);
      while (free.length < slots.length && performance.now() < until) await sleep(5);
      if (free.length > 0) return;
      for (const slot of slots) slot.connection.close();
      throw new Error(`Nothing accepts connections at ${load.host}:${load.port}. Is the service running there?`);
    },
    async open(rate: number): Promise<void> {
      const total = Math.round(rate * load.seconds);
      const interval = 1000 / rate;
      started = performance.now();
      let checked = started;
      for (let due = 0; due < total; ) {
        const now = performance.now();
        for (; due < total && started + due * interval <= now; due++) dispatch(started + due * interval);
        if (now - checked > 1000) {
          expire();
          checked = now;
        }
        await sleep(1);
      }
    },
    async closed(): Promise<void> {
      started = performance.now();
      for (let slot = take(); slot !== undefined; slot = take()) send(slot, performance.now());
      while (performance.now() - started < load.seconds * 1000) {
        await sleep(Math.min(500, load.seconds * 1000));
        expire();
      }
    },
    /** Waits for the answers that are still due, at most `timeoutMs`. */
    async settle(): Promise<void> {
      await sleep(Math.max(0, started + load.seconds * 1000 - performance.now()));
      ended = true;
      const until = performance.now() + load.timeoutMs;
      while ((inFlight > 0 || waiting.size() > 0) && performance.now() < until) await sleep(5);
      tally.dropped(waiting.size());
      waiting.clear();
      for (const slot of slots) {
        if (!slot.free) slot.connection.abandon('time-out');
        slot.connection.close();
      }
    },
    finish: (cpu: NodeJS.CpuUsage): LoadResult => tally.result(cpu, stamp),
  };
}

interface Answer {
  /** milliseconds since the request was due */
  waited: number;
  /** after the end of the given time */
  late: boolean;
  bytes: number;
  sent: Body;
  /** only when it is to be checked in full */
  body: Buffer | undefined;
}

/** Everything that is counted in a run. */
function createTally(load: Load) {
  const latency = latencyHistogram();
  const sendDelay = latencyHistogram();
  const errors: Record<string, number> = {};
  const count = { sent: 0, ok: 0, accepted: 0, unknown: 0, dropped: 0 };
  const bytes = { requests: 0, responses: 0 };
  const samples = { sampled: 0, incomplete: 0, flagged: 0, flaggedExpected: 0 };
  let okInTime = 0;

  const failed = (reason: string, items: number): void => {
    errors[reason] = (errors[reason] ?? 0) + 1;
    count.unknown += items;
  };
  const sample = (body: Buffer, sent: Body): void => {
    const found = inspectBytes(body, load.inspect);
    samples.sampled++;
    if (found.items !== sent.items || found.completed !== sent.items) samples.incomplete++;
    samples.flagged += found.flagged;
    samples.flaggedExpected += sent.flagged;
  };
  return {
    failed,
    sent: (delay: number, length: number): void => {
      sendDelay.record(delay);
      count.sent++;
      bytes.requests += length;
    },
    dropped: (requests: number): void => {
      count.dropped += requests;
    },
    answered: (status: number, answer: Answer): void => {
      bytes.responses += answer.bytes;
      if (status !== 200) {
        failed(String(status), status >= 500 ? answer.sent.items : 0);
        return;
      }
      latency.record(answer.waited);
      count.ok++;
      if (!answer.late) okInTime++;
      count.accepted += answer.sent.items;
      if (answer.body !== undefined) sample(answer.body, answer.sent);
    },
    result: (cpu: NodeJS.CpuUsage, nextStamp: number): LoadResult => {
      const itemsPerRequest = load.bodies.reduce((sum, body) => sum + body.items, 0) / load.bodies.length;
      return {
        mode: load.mode.kind,
        rate: load.mode.kind === 'open' ? load.mode.rate : 0,
        seconds: load.seconds,
        ...count,
        errors,
        requestsPerSecond: okInTime / load.seconds,
        itemsPerSecond: (okInTime * itemsPerRequest) / load.seconds,
        latency: latency.summary(),
        sendDelay: sendDelay.summary(),
        ...samples,
        cpuPerRequest: (cpu.user + cpu.system) / Math.max(1, count.sent),
        requestBytes: bytes.requests / Math.max(1, count.sent),
        responseBytes: bytes.responses / Math.max(1, count.ok),
        nextStamp,
      };
    },
  };
}

function headOf(load: Load, body: Body): Buffer {
  const content = { 'content-type': 'application/json', 'content-length': String(body.bytes.length) };
  const headers = {
    host: `${load.host}:${load.port}`,
    ...load.headers,
    ...(body.get === undefined ? content : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const what = body.get === undefined ? `POST ${load.path}` : `GET ${body.get}`;
  return Buffer.from(`${what} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

function inspectBytes(bytes: Buffer, inspect: (body: unknown) => Inspection): Inspection {
  try {
    return inspect(JSON.parse(bytes.toString()));
  } catch {
    return { items: 0, completed: 0, flagged: 0 };
  }
}

/** A queue of times whose `take` does not move what remains. */
function fifo() {
  let times: number[] = [];
  let head = 0;
  return {
    size: () => times.length - head,
    add: (time: number) => {
      times.push(time);
    },
    take: (): number => {
      const time = times[head++]!;
      if (head > 1024 && head * 2 > times.length) {
        times = times.slice(head);
        head = 0;
      }
      return time;
    },
    clear: () => {
      times = [];
      head = 0;
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
