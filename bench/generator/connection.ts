/**
 * One keep-alive HTTP/1.1 connection that costs the load generator as little CPU as it can, since generator and
 * service share the machine (figures in `load.ts`). It has only what a benchmark needs: plain http, one request at a
 * time, answers with Content-Length.
 *
 * States: connecting → idle ⇄ busy. A reset, a close or a time-out leads from each of them to lost, and after a pause
 * to connecting again. The pause doubles up to 500 ms. `close()` ends the connection in every state.
 */
import { connect, type Socket } from 'node:net';
import { type AnswerReader, createAnswerReader } from './answer-reader.js';

export interface Address {
  host: string;
  port: number;
  /** address of this machine to connect from; default: as the system chooses */
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

export interface LoadConnection {
  /** Sends the bytes of one request, head included. The buffer must stay untouched until the answer. */
  send(request: Buffer, keepBody: boolean): void;
  /** Whether a request may be sent now. */
  idle(): boolean;
  /** Gives up the request under way (counted by `lost`) and connects again. */
  abandon(reason: string): void;
  close(): void;
}

const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;

// All sockets read into one buffer, so answers land in memory that is still in the processor's cache. libuv fills it and
// calls back before it reads again; the callback uses or copies what it holds.
const shared = Buffer.allocUnsafeSlow(256 * 1024);

interface Link {
  readonly address: Address;
  readonly events: ConnectionEvents;
  readonly reader: AnswerReader;
  state: 'connecting' | 'idle' | 'busy' | 'lost' | 'closed';
  /** events of an earlier socket are ignored */
  socket: Socket | undefined;
  /** ms before it connects again */
  pause: number;
  timer: NodeJS.Timeout | undefined;
}

export function openConnection(address: Address, events: ConnectionEvents): LoadConnection {
  const reader = createAnswerReader();
  const link: Link = {
    address,
    events,
    reader,
    state: 'connecting',
    socket: undefined,
    pause: MIN_PAUSE_MS,
    timer: undefined,
  };
  connectAgain(link);
  return {
    send(request, keepBody) {
      link.state = 'busy';
      reader.expect(keepBody);
      link.socket!.write(request);
    },
    idle: () => link.state === 'idle',
    abandon: (reason) => lose(link, link.socket, reason),
    close() {
      link.state = 'closed';
      clearTimeout(link.timer);
      link.socket!.destroy();
    },
  };
}

function connectAgain(link: Link): void {
  link.state = 'connecting';
  const { host, port, from } = link.address;
  const socket: Socket = connect({
    ...{ host, port, noDelay: true, onread: { buffer: shared, callback: (count) => read(link, socket, count) } },
    ...(from === undefined ? {} : { localAddress: from }),
  });
  link.socket = socket;
  socket.on('connect', () => {
    if (link.state !== 'connecting' || link.socket !== socket) return;
    link.state = 'idle';
    link.pause = MIN_PAUSE_MS;
    link.events.ready();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => lose(link, socket, error.code ?? 'socket error'));
  socket.on('close', () => lose(link, socket, 'closed by the server'));
}

function lose(link: Link, socket: Socket | undefined, reason: string): void {
  if (socket !== link.socket || link.state === 'closed' || link.state === 'lost') return;
  const wasBusy = link.state === 'busy';
  link.state = 'lost';
  socket?.destroy();
  link.timer = setTimeout(() => connectAgain(link), link.pause);
  link.pause = Math.min(link.pause * 2, MAX_PAUSE_MS);
  if (wasBusy) link.events.lost(reason);
}

/** Reads what has arrived in the shared buffer; false stops the socket from reading. */
function read(link: Link, socket: Socket, count: number): boolean {
  if (socket !== link.socket || link.state === 'closed' || link.state === 'lost') return false;
  if (link.state !== 'busy') {
    lose(link, socket, 'answer without a request');
    return false;
  }
  const found = link.reader.read(shared, count);
  if (found === 'malformed') lose(link, socket, 'malformed answer');
  else if (found === 'whole') answered(link, socket);
  return true;
}

function answered(link: Link, socket: Socket): void {
  const { status, length, last, body } = link.reader.answer;
  link.state = 'idle';
  // After an early answer, bytes of the request may be unsent, and the caller is about to reuse its buffer.
  if (last || socket.writableLength > 0) lose(link, socket, 'closed by the server');
  link.events.answer(status, length, body);
}
