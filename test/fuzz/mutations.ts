/** Ways to break a request. */
import fc from 'fast-check';
import { repeatedName } from './repeated-name.ts';
import type { Request } from './request.ts';
import { hostileText, KEPT, UNKNOWN, WRONG_KEYS, wrong } from './values.ts';

export interface Mutation {
  name: string;
  apply(request: Request): void;
}

type Container = Record<string, unknown> | unknown[];

/** Every place in a value: its container and its key. */
function places(value: unknown, found: [Container, string | number][] = []): [Container, string | number][] {
  if (typeof value !== 'object' || value === null || found.length > 2000) return found;
  const container = value as Container;
  for (const key of Object.keys(container)) {
    found.push([container, key]);
    places((container as Record<string, unknown>)[key], found);
  }
  return found;
}

function set(container: Container, key: string | number, value: unknown): void {
  // Values recur, and a later mutation may change what was put in.
  Object.defineProperty(container, key, {
    value: structuredClone(value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const at = fc.nat({ max: 9999 });

const inBody: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(at, wrong).map(([where, value]) => ({
      name: 'another value',
      apply(request: Request) {
        const all = places(request.json);
        const place = all[where % Math.max(1, all.length)];
        if (place) set(place[0], place[1], value);
        else if (request.json !== undefined) request.json = value;
      },
    })),
  },
  {
    weight: 2,
    arbitrary: at.map((where) => ({
      name: 'a field left out',
      apply(request: Request) {
        const all = places(request.json);
        const place = all[where % Math.max(1, all.length)];
        if (place) Reflect.deleteProperty(place[0], place[1]);
      },
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        at,
        fc.constantFrom(
          '__proto__',
          'constructor',
          'toString',
          'Content',
          `${KEPT}-key`,
          'content',
          'output',
          'run_id',
        ),
        wrong,
      )
      .map(([where, field, value]) => ({
        name: 'a field more',
        apply(request: Request) {
          const objects = places(request.json)
            .map(([container, key]) => (container as Record<string, unknown>)[key])
            .filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
          if (typeof request.json === 'object' && request.json !== null) objects.push(request.json);
          const target = objects[where % Math.max(1, objects.length)];
          if (target) set(target as Container, field, value);
        },
      })),
  },
  {
    weight: 1,
    arbitrary: wrong.map((value) => ({
      name: 'another body',
      apply: (request: Request) => replaceBody(request, value),
    })),
  },
);

function replaceBody(request: Request, value: unknown): void {
  if (request.method === 'POST') request.json = value;
}

const edit = (name: string, change: (body: Buffer) => Buffer): Mutation => ({
  name,
  apply(request) {
    if (request.method === 'POST' && !request.headers.some(([header]) => header === 'Transfer-Encoding')) {
      request.edits.push(change);
    }
  },
});

const textEdits: [string, (text: string) => string][] = [
  ['truncated JSON', (text) => text.slice(0, Math.ceil(text.length / 2))],
  ['text after the JSON', (text) => text + KEPT],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['white space', (text) => ` \r\n\t${text}\n`],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['a duplicate key', (text) => text.replace('{', '{"environment_id":"prod","environment_id":"nowhere",')],
  ['a duplicate prototype', (text) => text.replace('{', '{"__proto__":{"events":[]},"__proto__":null,')],
  ['a number without end', (text) => text.replace('{', `{"x":1e999,"y":${'9'.repeat(400)},"z":-0,`)],
  ['a trailing comma', (text) => text.replace(/\}$/, ',}')],
  ['raw control characters', (text) => text.replace('":"', '":"\u0000\u0001')],
  ['a raw lone surrogate', (text) => text.replace('":"', '":"\\ud800')],
  ['depth', (text) => text.replace('{', `{"deep":${'['.repeat(3000)}${']'.repeat(3000)},`)],
  ['depth without end', () => '{"a":'.repeat(20_000)],
  ['many keys', (text) => text.replace('{', `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":0`).join(',')},`)],
  ['nothing', () => ''],
  ['NaN', (text) => text.replace(/:("[^"]*"|\d+)/, ':NaN')],
];

const inBytes: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 3, arbitrary: repeatedName },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...textEdits.map(([name, change]) => edit(name, (body) => Buffer.from(change(body.toString())))),
    ),
  },
  { weight: 2, arbitrary: at.map((where) => edit('invalid UTF-8', (body) => splice(body, where, [0xff, 0xc0, 0x80]))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, fc.nat({ max: 255 }))
      .map(([where, byte]) => edit('one byte', (body) => splice(body, where, [byte]))),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(300_000, 1_200_000)
      .map((size) => edit('a large body', (body) => Buffer.concat([body, Buffer.alloc(size, 0x20)]))),
  },
);

function splice(body: Buffer, where: number, bytes: number[]): Buffer {
  const place = body.length === 0 ? 0 : where % body.length;
  return Buffer.concat([body.subarray(0, place), Buffer.from(bytes), body.subarray(place + 1)]);
}

const setHeader = (name: string, value: string | undefined): Mutation => ({
  name: value === undefined ? `no ${name}` : `another ${name}`,
  apply(request) {
    request.headers = request.headers.filter(([header]) => header.toLowerCase() !== name.toLowerCase());
    if (value !== undefined) request.headers.push([name, value]);
  },
});
const addHeader = (name: string, value: string): Mutation => ({
  name: `${name} again`,
  apply: (request) => request.headers.push([name, value]),
});

const inHeaders: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom(...WRONG_KEYS.filter((key) => key !== 'é').map((key) => setHeader('Authorization', `Bearer ${key}`))),
  fc
    .constantFrom(undefined, 'Basic YTpi', 'Bearer', 'bearer', UNKNOWN)
    .map((value) => setHeader('Authorization', value)),
  fc
    .constantFrom(
      undefined,
      '2024-01-01',
      '2025-12-01',
      '2026-04-15',
      '2026-06-01',
      UNKNOWN,
      '__proto__',
      '2026-06-01, 2025-12-01',
    )
    .map((value) => setHeader('service-version', value)),
  fc
    .constantFrom(
      undefined,
      'text/plain',
      'application/json; charset=utf-16',
      'application/x+json',
      UNKNOWN,
      'application/json;',
      ';',
    )
    .map((value) => setHeader('Content-Type', value)),
  fc.constantFrom('gzip', 'br', 'identity', UNKNOWN).map((value) => setHeader('Content-Encoding', value)),
  fc
    .constantFrom('x'.repeat(128), 'x'.repeat(129), `${UNKNOWN} ${UNKNOWN}`, '', 'é', '__proto__')
    .map((value) => setHeader('X-Request-Id', value)),
  fc
    .constantFrom('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', UNKNOWN)
    .map((value) => setHeader('traceparent', value)),
  fc.constantFrom(addHeader('Authorization', `Bearer ${UNKNOWN}`), addHeader('service-version', '2026-06-01')),
  fc.constantFrom(
    ...['a', 'x'.repeat(255), 'x'.repeat(256), UNKNOWN, '', '\u00e9'].map((value) =>
      setHeader('Idempotency-Key', value),
    ),
  ),
  fc.constant(setHeader('x-unknown', UNKNOWN)),
);

const inLine: fc.Arbitrary<Mutation> = fc.oneof(
  fc
    .constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'get', 'Post', UNKNOWN)
    .map((method) => ({
      name: `method ${method}`,
      apply: (request: Request) => {
        request.method = method;
      },
    })),
  fc
    .constantFrom(
      '/',
      '//',
      '/api',
      '/api/event/',
      '/api/event/x/y',
      '/api/EVENTS',
      '/api/events;a=b',
      '/%61pi/events',
      '/api/../api/event',
      `/${UNKNOWN}`,
      '/api/event/%00',
      '/api/session/%ff',
      '/api/event/__proto__',
      '/healthz/',
      '/metrics',
    )
    .map((path) => ({
      name: 'another path',
      apply: (request: Request) => {
        request.path = path;
      },
    })),
  fc
    .tuple(
      at,
      fc.constantFrom(
        '%',
        '%zz',
        '%ff',
        '%00',
        '%ed%a0%80',
        '',
        '+',
        '%2525',
        'é',
        `${UNKNOWN}`,
        '__proto__',
        'a'.repeat(129),
        'a'.repeat(257),
      ),
    )
    .map(([where, value]) => ({
      name: 'another query value',
      apply: (request: Request) => {
        const pair = request.query[where % Math.max(1, request.query.length)];
        if (pair !== undefined) request.query[where % request.query.length] = `${pair.split('=')[0]}=${value}`;
      },
    })),
  at.map((where) => ({
    name: 'a query parameter twice',
    apply: (request: Request) => {
      const pair = request.query[where % Math.max(1, request.query.length)];
      if (pair !== undefined) request.query.push(pair);
    },
  })),
  at.map((where) => ({
    name: 'a query parameter left out',
    apply: (request: Request) => {
      request.query.splice(where % Math.max(1, request.query.length), 1);
    },
  })),
  fc
    .constantFrom(
      '&&',
      'a',
      '=',
      '%=%',
      `${UNKNOWN}=${UNKNOWN}`,
      '__proto__=x',
      'cursor=x',
      'limit=-1',
      'email=a',
      'internal_id=x',
    )
    .map((pair) => ({
      name: 'a query parameter more',
      apply: (request: Request) => request.query.push(pair),
    })),
  fc
    .oneof(
      hostileText.map((each) => encodeURIComponent(each.replace(/[\ud800-\udfff]/gu, '?'))),
      fc.constantFrom('x', '00000000-0000-0000-0000-000000000000'),
    )
    .map((id) => ({
      name: 'another id in the path',
      apply: (request: Request) => {
        if (request.draft.id !== undefined) request.path = request.path.replace(/[^/]*$/, id === '' ? 'x' : id);
      },
    })),
);

const chunks: Mutation = {
  name: 'chunked',
  apply(request) {
    if (request.method !== 'POST' || request.headers.some(([name]) => name === 'Transfer-Encoding')) return;
    request.headers.push(['Transfer-Encoding', 'chunked']);
    request.edits.push((body) => {
      const parts: Buffer[] = [];
      for (let place = 0; place < body.length; ) {
        const size = Math.min(body.length - place, (place % 700) + 1);
        parts.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(place, place + size), Buffer.from('\r\n'));
        place += size;
      }
      return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
    });
  },
};

const malformed = (name: string, apply: (request: Request) => void): Mutation => ({
  name,
  apply(request) {
    request.malformed = true;
    apply(request);
  },
});

const inFraming: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(chunks) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('-1', '0x10', 'abc', '1e3', '1,1', String((32 << 20) + 1), '99999999999999999999')
      .map((length) =>
        malformed('another length', (request) => {
          request.length = length;
        }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      malformed('a length too short', (request) => {
        request.length = '1';
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(malformed('a length twice', (request) => request.headers.push(['Content-Length', '0']))),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('gzip', 'chunked, chunked', 'identity')
      .map((value) =>
        malformed('another transfer encoding', (request) => request.headers.push(['Transfer-Encoding', value])),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\u0000', ' ', 'http://a/').map((text) =>
      malformed('a broken path', (request) => {
        request.path = text + request.path;
      }),
    ),
  },
);

/** Mostly in what the service reads itself; now and then in what the library below it reads. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 10, arbitrary: inBody },
  { weight: 4, arbitrary: inBytes },
  { weight: 5, arbitrary: inHeaders },
  { weight: 5, arbitrary: inLine },
  { weight: 2, arbitrary: inFraming },
);
