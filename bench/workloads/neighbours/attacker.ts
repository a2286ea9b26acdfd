/**
 * The attacker in a process of its own, of low priority, as if it were on another machine: what the neighbour's requests wait
 * for must be the service and not what attacks it. The parent sends one `AttackPlan` after another and `stop`, and gets an
 * `AttackResult` for each; when the parent goes, it goes.
 */
import { fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../../generator/connection.js';
import { MARKED, STAMP, stampBody } from '../bodies.js';

export interface AttackPlan {
  host: string;
  port: number;
  /** bytes of a request, marked where its stamps go; of a stalled one, its head */
  request: Uint8Array;
  connections: number;
  pause: number;
  /** bytes that the head announces and of which the last is never sent */
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

/** Of this address each operating system has a whole network; elsewhere only the first is there. */
const OTHER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined;
/** Above that of the benchmark and the service. */
const NICENESS = 5;

/** Runs an attack in this process until it is stopped. */
export function runAttack(plan: AttackPlan): Running {
  const answers: Record<string, number> = {};
  const count = (what: string): void => {
    answers[what] = (answers[what] ?? 0) + 1;
  };
  return plan.stall === undefined ? flood(plan, answers, count) : stall(plan, plan.stall, answers, count);
}

function flood(plan: AttackPlan, answers: Record<string, number>, count: (what: string) => void): Running {
  const template = Buffer.from(plan.request);
  const stamps: number[] = [];
  for (let at = template.indexOf(MARKED); at >= 0; at = template.indexOf(MARKED, at + STAMP)) stamps.push(at);
  let stamp = plan.firstStamp;
  let stopped = false;
  const timers = new Set<NodeJS.Timeout>();
  const later = (act: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, plan.pause);
    timers.add(timer);
  };
  const address = { host: plan.host, port: plan.port, ...(OTHER_ADDRESS ? { from: OTHER_ADDRESS } : {}) };
  const connections = Array.from({ length: plan.connections }, () => {
    // A request is written in place, so one that is being sent needs bytes of its own.
    const request = Buffer.from(template);
    const send = (): void => {
      if (stopped || !connection.idle()) return;
      stampBody(request, stamps, stamp++);
      connection.send(request, false);
    };
    const connection = openConnection(address, {
      ready: () => later(send),
      answer(status) {
        count(String(status));
        if (status === 200) setImmediate(send);
        else later(send);
      },
      lost: count,
    });
    return connection;
  });
  return {
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      for (const connection of connections) connection.close();
      return { answers, nextStamp: stamp };
    },
  };
}

function stall(
  plan: AttackPlan,
  announced: number,
  answers: Record<string, number>,
  count: (what: string) => void,
): Running {
  const head = Buffer.from(plan.request);
  const piece = Buffer.alloc(64 * 1024, ' ');
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  const open = (): void => {
    const socket = connect({ host: plan.host, port: plan.port, ...(OTHER_ADDRESS && { localAddress: OTHER_ADDRESS }) });
    sockets.add(socket);
    let left = announced - 1;
    const pour = (): void => {
      let room = true;
      while (left > 0 && room && !socket.destroyed) {
        const part = piece.subarray(0, Math.min(left, piece.length));
        left -= part.length;
        room = socket.write(part);
      }
    };
    socket.on('connect', () => {
      socket.write(head);
      pour();
    });
    socket.on('drain', pour);
    socket.on('data', (bytes) => {
      count(bytes.toString('latin1', 9, 12));
      socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      if (stopped) return;
      count('closed');
      const timer = setTimeout(() => {
        timers.delete(timer);
        open();
      }, plan.pause);
      timers.add(timer);
    });
  };
  for (let i = 0; i < plan.connections; i++) open();
  return {
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      return { answers, nextStamp: plan.firstStamp };
    },
  };
}

const STOP_MS = 10_000;

/** Starts the attacker's process. */
export function startAttacker(): Attacker {
  const child = fork(fileURLToPath(import.meta.url), ['--attacker'], { serialization: 'advanced', execArgv: [] });
  setPriority(child.pid!, Math.min(19, getPriority() + NICENESS));
  return {
    pid: child.pid!,
    start: (plan) => {
      child.send(plan);
    },
    stop: () =>
      new Promise((resolve, reject) => {
        if (!child.connected) {
          reject(new Error('The attacker is not running.'));
          return;
        }
        const done = (act: () => void): void => {
          clearTimeout(timer);
          child.off('message', answered);
          child.off('exit', died);
          act();
        };
        const answered = (result: AttackResult): void => done(() => resolve(result));
        const died = (): void => done(() => reject(new Error('The attacker ended before it was stopped.')));
        const timer = setTimeout(() => done(() => reject(new Error('The attacker did not stop.'))), STOP_MS);
        child.on('message', answered);
        child.on('exit', died);
        child.send('stop');
      }),
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

function serve(): void {
  let running: Running | undefined;
  let cpu = process.cpuUsage();
  process.on('message', (message: AttackPlan | 'stop') => {
    if (message !== 'stop') {
      cpu = process.cpuUsage();
      running = runAttack(message);
      return;
    }
    const { user, system } = process.cpuUsage(cpu);
    process.send?.({ ...running!.stop(), cpuMs: (user + system) / 1000 } satisfies AttackResult);
    running = undefined;
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group; the parent decides when the attack ends.
  process.on('SIGINT', () => {});
}

if (process.argv[2] === '--attacker' && process.argv[1] === fileURLToPath(import.meta.url)) serve();
