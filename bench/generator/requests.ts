/** Writes requests: the bodies of a load in turn, each behind its head and with a number of its own. */
import { type LoadBody, stampBody } from '../workloads/bodies.js';
import type { OfferedLoad } from './types.js';

export interface Request {
  /** its bytes are at the start; the next request overwrites them */
  readonly buffer: Buffer;
  length: number;
  body: LoadBody;
  /** whether its answer is checked in full */
  sampled: boolean;
}

export interface Requests {
  /** A request to be written, large enough for every body. */
  allocate(): Request;
  /** Writes the next request of the load over `request`. */
  write(request: Request): void;
  /** Number of the next request. */
  stamp(): number;
}

export function createRequests(load: OfferedLoad): Requests {
  const { bodies } = load;
  const heads = bodies.map((body) => headOf(load, body));
  const largest = Math.max(...bodies.map((body, i) => heads[i]!.length + body.bytes.length));
  let stamp = load.firstStamp;
  return {
    allocate: () => ({ buffer: Buffer.allocUnsafeSlow(largest), length: 0, body: bodies[0]!, sampled: false }),
    write: (request) => {
      const index = stamp % bodies.length;
      const body = bodies[index]!;
      const head = heads[index]!;
      head.copy(request.buffer);
      body.bytes.copy(request.buffer, head.length);
      stampBody(request.buffer, body.stamps, stamp, head.length);
      request.length = head.length + body.bytes.length;
      request.body = body;
      request.sampled = stamp % load.sampleEvery === 0;
      stamp++;
    },
    stamp: () => stamp,
  };
}

function headOf(load: OfferedLoad, body: LoadBody): Buffer {
  const content = { 'content-type': 'application/json', 'content-length': String(body.bytes.length) };
  const headers = {
    host: `${load.host}:${load.port}`,
    ...load.headers,
    ...(body.get === undefined ? content : {}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const line = body.get === undefined ? `POST ${load.path}` : `GET ${body.get}`;
  return Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
}
