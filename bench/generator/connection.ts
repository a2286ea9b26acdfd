/**
 * One keep-alive HTTP/1.1 connection that costs the load generator as little as it can, since generator and service
 * share the machine. Only what a benchmark needs: plain http, one request at a time, answers with Content-Length.
 *
 * Why not a library: see the figures at the head of `load.ts`.
 *
 * States: connecting → idle ⇄ busy; any of them → lost (reset, closed, time-out) → connecting again after a pause
 * that doubles up to 500 ms; `close()` ends it from every state.
 */
import { connect, type Socket } from 'node:net';

export interface Address {
  host: string;
  port: number;
  /** address of this machine that it connects from; default: as the system chooses */
  from?: string;
}

export interface ConnectionEvents {
  /** connected: a request may be sent */
  ready(): void;
  /** a whole answer; `body` only when it was asked for. Afterwards the connection is idle, or `ready` follows */
  answer(status: number, bytes: number, body: Buffer | undefined): void;
  /** the request that was under way will not be answered; `ready` follows when it is connected again */
  lost(reason: string): void;
}

export interface Connection {
  /** Sends the bytes of one request, head included. The buffer must stay untouched until the answer. */
  send(request: Buffer, keepBody: boolean): void;
  /** Whether a request may be sent now. */
  idle(): boolean;
  /** Gives up the request under way (counted by `lost`) and connects again. */
  abandon(reason: string): void;
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD = 16 * 1024;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CONNECTION_CLOSE = /\r\nconnection: *close/i;

// All sockets read into one buffer: libuv fills it and calls back before it reads again, and what it holds is used or
// copied within the callback. So answers always land in memory that is still in the processor's cache.
const shared = Buffer.allocUnsafeSlow(256 * 1024);

export function openConnection(address: Address, events: ConnectionEvents): Connection {
  let socket: Socket;
  let state: 'connecting' | 'idle' | 'busy' | 'lost' | 'closed' = 'connecting';
  let pause = 10;
  let timer: NodeJS.Timeout | undefined;
  let keep = false;
  /** start of a head whose end has not come yet */
  let head: Buffer | undefined;
  let status = 0;
  let length = 0;
  let missing = -1;
  let lastAnswer = false;
  let parts: Buffer[] = [];

  const open = (): void => {
    state = 'connecting';
    head = undefined;
    missing = -1;
    parts = [];
    const { host, port, from } = address;
    const callback = (count: number): boolean => read(opened, count);
    const opened: Socket = connect({
      ...{ host, port, noDelay: true, onread: { buffer: shared, callback } },
      ...(from === undefined ? {} : { localAddress: from }),
    });
    socket = opened;
    opened.on('connect', () => {
      if (state !== 'connecting' || socket !== opened) return;
      state = 'idle';
      pause = 10;
      events.ready();
    });
    opened.on('error', (error: NodeJS.ErrnoException) => lose(opened, error.code ?? 'socket error'));
    opened.on('close', () => lose(opened, 'closed by the server'));
  };

  const lose = (of: Socket, reason: string): void => {
    if (of !== socket || state === 'closed' || state === 'lost') return;
    const wasBusy = state === 'busy';
    state = 'lost';
    of.destroy();
    timer = setTimeout(open, pause);
    pause = Math.min(pause * 2, 500);
    if (wasBusy) events.lost(reason);
  };

  const read = (from: Socket, count: number): boolean => {
    if (from !== socket || state === 'closed' || state === 'lost') return false;
    if (state !== 'busy') {
      lose(from, 'answer without a request');
      return false;
    }
    if (missing >= 0) body(0, count);
    else if (head === undefined) begin(shared, count);
    else {
      head = Buffer.concat([head, shared.subarray(0, count)]);
      const joined = head;
      if (joined.length > MAX_HEAD + shared.length) lose(from, 'malformed answer');
      else begin(joined, joined.length);
    }
    return true;
  };

  /** Reads the head at the start of `bytes`, and what follows it. */
  const begin = (bytes: Buffer, count: number): void => {
    const end = bytes.subarray(0, Math.min(count, MAX_HEAD)).indexOf(HEAD_END);
    if (end < 0) {
      if (count >= MAX_HEAD) lose(socket, 'malformed answer');
      else head = Buffer.from(bytes.subarray(0, count));
      return;
    }
    head = undefined;
    const text = bytes.toString('latin1', 0, end);
    status = Number(text.slice(9, 12));
    const found = CONTENT_LENGTH.exec(text);
    if (found === null || !(status >= 200 && status <= 599)) {
      lose(socket, 'malformed answer');
      return;
    }
    length = Number(found[1]);
    lastAnswer = CONNECTION_CLOSE.test(text);
    missing = length;
    body(end + 4, count, bytes);
  };

  const body = (from: number, to: number, bytes: Buffer = shared): void => {
    missing -= to - from;
    if (keep && to > from) parts.push(Buffer.from(bytes.subarray(from, to)));
    if (missing > 0) return;
    if (missing < 0) {
      lose(socket, 'malformed answer');
      return;
    }
    const whole = keep ? Buffer.concat(parts) : undefined;
    parts = [];
    missing = -1;
    state = 'idle';
    const done = socket;
    // An early answer can leave bytes of the request unsent, and the caller is about to reuse its buffer.
    if (lastAnswer || done.writableLength > 0) lose(done, 'closed by the server');
    events.answer(status, length, whole);
  };

  open();
  return {
    send(request, keepBody) {
      state = 'busy';
      keep = keepBody;
      socket.write(request);
    },
    idle: () => state === 'idle',
    abandon: (reason) => lose(socket, reason),
    close() {
      state = 'closed';
      clearTimeout(timer);
      socket.destroy();
    },
  };
}
