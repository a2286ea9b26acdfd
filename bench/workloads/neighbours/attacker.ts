/**
 * The attacker in a process of its own. Its priority is low, as if it were on another machine: the neighbour's requests
 * must wait for the service and not for the attacker. The parent sends an `AttackPlan` to begin an attack. It sends
 * `stop` to end it, and gets an `AttackResult`.
 */
import { connect, type Socket } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { reply, serveParent, startChild } from '../../child.js';
import { openConnection } from '../../generator/connection.js';
import { stampBody, stampsOf } from '../bodies.js';
import { type Varied, varyTexts } from './attack.js';

export interface AttackPlan {
  host: string;
  port: number;
  /** bytes of a request, marked where its stamps go; of a stalled request, its head */
  request: Uint8Array;
  varied?: Varied;
  connections: number;
  pause: number;
  /** bytes that the head announces; the last of them is never sent */
  stall?: number;
  firstStamp: number;
}

export interface AttackResult {
  /** by HTTP status, or by what happened to the connection */
  answers: Record<string, number>;
  /** milliseconds of CPU of the attacker's process */
  cpuMs: number;
  nextStamp: number;
}

export interface Attacker {
  readonly pid: number;
  /** Attacks until `stop`. */
  start(plan: AttackPlan): void;
  stop(): Promise<AttackResult>;
  close(): void;
}

interface Running {
  stop(): Omit<AttackResult, 'cpuMs'>;
}

/** Attacks come from an address of their own. Linux answers on all of 127.0.0.0/8, other systems only on 127.0.0.1. */
const OTHER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined;
/** How much nicer it is than the benchmark and the service. */
const NICENESS = 5;

/** An attack under way. */
interface AttackState {
  answers: Record<string, number>;
  stopped: boolean;
  timers: Set<NodeJS.Timeout>;
  count(what: string): void;
  /** Calls `act` after the pause of the attack, unless it is stopped before. */
  later(act: () => void): void;
}

/** Runs an attack in this process until it is stopped. */
export function runAttack(plan: AttackPlan): Running {
  const state = stateOf(plan);
  const { answers, timers } = state;
  const { close, nextStamp } = plan.stall === undefined ? flood(plan, state) : stall(plan, plan.stall, state);
  return {
    stop: () => {
      state.stopped = true;
      for (const timer of timers) clearTimeout(timer);
      close();
      return { answers, nextStamp: nextStamp() };
    },
  };
}

function stateOf(plan: AttackPlan): AttackState {
  const answers: AttackState['answers'] = {};
  const timers: AttackState['timers'] = new Set();
  return {
    answers,
    timers,
    stopped: false,
    count: (what) => {
      answers[what] = (answers[what] ?? 0) + 1;
    },
    later: (act) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        act();
      }, plan.pause);
      timers.add(timer);
    },
  };
}

interface AttackSending {
  close(): void;
  nextStamp(): number;
}

/** Sends whole requests, one after the other on each connection. */
function flood(plan: AttackPlan, state: AttackState): AttackSending {
  const template = Buffer.from(plan.request);
  const stamps = stampsOf(template);
  let stamp = plan.firstStamp;
  const address = { host: plan.host, port: plan.port, ...(OTHER_ADDRESS ? { from: OTHER_ADDRESS } : {}) };
  const connections = Array.from({ length: plan.connections }, () => {
    // Each connection has a buffer of its own: a request is stamped in place while others are being sent.
    const request = Buffer.from(template);
    const send = (): void => {
      if (state.stopped || !connection.idle()) return;
      stampBody(request, stamps, stamp++);
      if (plan.varied) varyTexts(request, plan.varied);
      connection.send(request, false);
    };
    const connection = openConnection(address, {
      ready: () => state.later(send),
      answer(status) {
        state.count(String(status));
        if (status === 200) setImmediate(send);
        else state.later(send);
      },
      lost: state.count,
    });
    return connection;
  });
  return {
    close: () => {
      for (const connection of connections) connection.close();
    },
    nextStamp: () => stamp,
  };
}

/** Opens requests whose last byte is never sent. */
function stall(plan: AttackPlan, announced: number, state: AttackState): AttackSending {
  const sockets = new Set<Socket>();
  const open = (): void => {
    const socket = connect({ host: plan.host, port: plan.port, ...(OTHER_ADDRESS && { localAddress: OTHER_ADDRESS }) });
    sockets.add(socket);
    pour(socket, plan.request, announced - 1);
    socket.on('data', (bytes) => {
      state.count(bytes.toString('latin1', 9, 12));
      socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      if (state.stopped) return;
      state.count('closed');
      state.later(open);
    });
  };
  for (let i = 0; i < plan.connections; i++) open();
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
    nextStamp: () => plan.firstStamp,
  };
}

const PIECE = Buffer.alloc(64 * 1024, ' ');

/** Sends `head` and so many blanks, as fast as the other side takes them. */
function pour(socket: Socket, head: Uint8Array, blanks: number): void {
  let left = blanks;
  const write = (): void => {
    let room = true;
    while (left > 0 && room && !socket.destroyed) {
      const part = PIECE.subarray(0, Math.min(left, PIECE.length));
      left -= part.length;
      room = socket.write(part);
    }
  };
  socket.on('connect', () => {
    socket.write(head);
    write();
  });
  socket.on('drain', write);
}

const STOP_MS = 10_000;

/** Starts the attacker's process. */
export function startAttacker(): Attacker {
  const child = startChild<AttackPlan | 'stop', AttackResult>(import.meta.url, 'The attacker');
  setPriority(child.pid, Math.min(19, getPriority() + NICENESS));
  return {
    pid: child.pid,
    start: child.send,
    stop: () => child.ask('stop', STOP_MS),
    close: child.close,
  };
}

let underWay: { running: Running; cpu: NodeJS.CpuUsage } | undefined;

serveParent<AttackPlan | 'stop'>(import.meta.url, (message) => {
  if (message !== 'stop') {
    underWay = { cpu: process.cpuUsage(), running: runAttack(message) };
    return;
  }
  const { running, cpu } = underWay!;
  const { user, system } = process.cpuUsage(cpu);
  reply({ ...running.stop(), cpuMs: (user + system) / 1000 } satisfies AttackResult);
});
