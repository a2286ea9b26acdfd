/**
 * Sends a load, in one of two models:
 *
 * - open: requests are due at a fixed rate, and latency counts from when each was due. A stalled service cannot hide
 *   the requests that it kept from being sent.
 * - closed: each connection sends as soon as it has its answer. This measures capacity only.
 *
 * It has connections of its own, not node:http or a client library. Generator and service share the machine, so CPU
 * that the generator burns is missing from the result. Per request of 17 KB with an answer of 66 KB, microseconds of
 * CPU on 2 cores with Node 20.20, with stamped ids and 1 answer in 100 parsed:
 *
 *     | model                    | node:http Agent | these connections |
 *     |--------------------------|-----------------|-------------------|
 *     | closed, 32 connections   | 122 to 146      | 20 to 33          |
 *     | open, 1,500 a second     | 201             | 68 to 80          |
 *     | open, 2,000 a second     | not measured    | 56                |
 *
 * About 18 of these 68 to 80 are the clock: waking once a millisecond costs 27 ms of CPU a second at any rate.
 */
import { rowsOf } from '../workloads/bodies.js';
import { createRequests, type Requests } from './requests.js';
import { type LoadSlot, type LoadSlots, openSlots } from './slots.js';
import { createTally, type Tally } from './tally.js';
import type { LoadResult, OfferedLoad } from './types.js';

/** A load under way. */
interface LoadRun {
  load: OfferedLoad;
  requests: Requests;
  slots: LoadSlots;
  tally: Tally;
  /** when requests were due that wait for a connection */
  waiting: ReturnType<typeof fifo>;
  /** requests that are sent and not answered */
  inFlight: number;
  /** 0 until the first request is due */
  started: number;
  /** the given time is over */
  ended: boolean;
}

/** Sends the load and waits for the answers. It ends after `seconds` and at most `timeoutMs` more. */
export async function runLoad(load: OfferedLoad): Promise<LoadResult> {
  const run = prepare(load);
  await run.slots.connected();
  const cpu = process.cpuUsage();
  run.started = performance.now();
  await (load.mode.kind === 'open' ? sendAtRate(run, load.mode.rate) : keepBusy(run));
  await settle(run);
  return run.tally.result(process.cpuUsage(cpu), run.requests.stamp());
}

function prepare(load: OfferedLoad): LoadRun {
  const requests = createRequests(load);
  const tally = createTally(load);
  const slots = openSlots(load, requests, {
    ready: (slot) => next(run, slot),
    answered: (slot, status, bytes, body) => {
      run.inFlight--;
      const { due, request } = slot;
      tally.answered(status, {
        waited: performance.now() - due,
        late: run.ended,
        bytes,
        sent: request.body,
        body,
      });
      next(run, slot);
    },
    lost: (slot, reason) => {
      run.inFlight--;
      tally.failed(reason, rowsOf(slot.request.body));
    },
  });
  const run: LoadRun = { load, requests, slots, tally, waiting: fifo(), inFlight: 0, started: 0, ended: false };
  return run;
}

function send(run: LoadRun, slot: LoadSlot, due: number): void {
  const { request } = slot;
  run.requests.write(request);
  slot.free = false;
  slot.due = due;
  slot.sentAt = performance.now();
  run.tally.sent(slot.sentAt - due, request.length, request.body.bytes.length);
  run.inFlight++;
  slot.connection.send(request.buffer.subarray(0, request.length), request.sampled);
}

/** Gives a slot without a request the one that waits longest; in the closed model a new one; or frees the slot. */
function next(run: LoadRun, slot: LoadSlot): void {
  if (!slot.connection.idle() || slot.free) return;
  if (run.waiting.size() > 0) send(run, slot, run.waiting.take());
  else if (run.load.mode.kind === 'closed' && run.started > 0 && !run.ended) send(run, slot, performance.now());
  else run.slots.release(slot);
}

function dispatch(run: LoadRun, due: number): void {
  const slot = run.slots.take();
  if (slot !== undefined) send(run, slot, due);
  else if (run.inFlight + run.waiting.size() < run.load.maxInFlight) run.waiting.add(due);
  else run.tally.dropped(1);
}

function expire({ slots, load }: LoadRun): void {
  slots.expire(performance.now() - load.timeoutMs);
}

/** The open model. */
async function sendAtRate(run: LoadRun, rate: number): Promise<void> {
  const { started, load } = run;
  const total = Math.round(rate * load.seconds);
  const interval = 1000 / rate;
  let checked = started;
  for (let due = 0; due < total; ) {
    const now = performance.now();
    for (; due < total && started + due * interval <= now; due++) dispatch(run, started + due * interval);
    if (now - checked > 1000) {
      expire(run);
      checked = now;
    }
    await sleep(1);
  }
}

/** The closed model. */
async function keepBusy(run: LoadRun): Promise<void> {
  const { slots, started, load } = run;
  for (let slot = slots.take(); slot !== undefined; slot = slots.take()) send(run, slot, performance.now());
  while (performance.now() - started < load.seconds * 1000) {
    await sleep(Math.min(500, load.seconds * 1000));
    expire(run);
  }
}

/** Waits for the answers that are still due, at most `timeoutMs`, and closes the connections. */
async function settle(run: LoadRun): Promise<void> {
  const { load, waiting, tally } = run;
  await sleep(Math.max(0, run.started + load.seconds * 1000 - performance.now()));
  run.ended = true;
  const until = performance.now() + load.timeoutMs;
  while ((run.inFlight > 0 || waiting.size() > 0) && performance.now() < until) await sleep(5);
  tally.dropped(waiting.size());
  waiting.clear();
  run.slots.close();
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
