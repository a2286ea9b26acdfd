/**
 * The libraries of the other service, of which Weir itself uses none: `npm ci` puts them into a temporary folder, as the lockfile in
 * `libraries/` pins them. Their types here are the part that is used.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from '../../../shared/paths.js';

const FOLDER = join(packageRoot, 'bench', 'workloads', 'peer', 'libraries');

/** Installs them into `folder`. Throws with the first errors of npm when it cannot, such as without a network. */
export function installLibraries(folder: string): void {
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(FOLDER, file), join(folder, file));
  const { status, stderr, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return;
  const errors = stderr?.split('\n').filter((line) => line.startsWith('npm error')) ?? [];
  const said = error?.message ?? errors.slice(0, 4).join('\n');
  throw new Error(
    `npm could not install what the other service needs (see bench/workloads/peer/libraries/package.json):\n${said}`,
  );
}

export interface Fastify {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string' },
    parse: (request: FastifyRequest, text: string, done: (error: Error | null, body?: unknown) => void) => void,
  ): void;
  decorateRequest(name: string, value: unknown): void;
  post(path: string, options: object, handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): void;
  listen(options: { host: string; port: number }): Promise<string>;
}

export interface FastifyRequest {
  headers: Record<string, string | undefined>;
  text: string;
}

export interface FastifyReply {
  code(status: number): FastifyReply;
  type(type: string): FastifyReply;
  send(body: unknown): FastifyReply;
}

export interface PeerJob {
  data: PeerCheck;
  waitUntilFinished(events: object, limitMs: number): Promise<string>;
}

/** What a job holds. */
export interface PeerCheck {
  id: string;
  received: number;
  /** the body as it came */
  text: string;
}

export interface Libraries {
  fastify(options: { bodyLimit: number }): Fastify;
  Queue: new (
    name: string,
    options: object,
  ) => { add(name: string, data: PeerCheck, options: object): Promise<PeerJob> };
  QueueEvents: new (
    name: string,
    options: object,
  ) => { waitUntilReady(): Promise<unknown>; setMaxListeners(most: number): void };
  Worker: new (
    name: string,
    process: (job: PeerJob) => Promise<string>,
    options: object,
  ) => { waitUntilReady(): Promise<unknown>; on(event: 'error', listener: (error: Error) => void): void };
  /** what BullMQ connects by */
  connect(url: string): object;
}

/** Loads what {@link installLibraries} has put into `folder`. */
export function loadLibraries(folder: string): Libraries {
  const load = createRequire(join(folder, 'package.json'));
  const { Queue, QueueEvents, Worker } = load('bullmq') as Pick<Libraries, 'Queue' | 'QueueEvents' | 'Worker'>;
  const { fastify } = load('fastify') as Pick<Libraries, 'fastify'>;
  const { Redis } = load('ioredis') as { Redis: new (url: string, options: object) => object };
  return { fastify, Queue, QueueEvents, Worker, connect: (url) => new Redis(url, { maxRetriesPerRequest: null }) };
}

export const QUEUE = 'checks';
