/** Answers to requests without the parameters that change answers: they stay what they were. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ENDPOINTS, type Endpoint } from '#weir/shared/api/endpoints';
import { packageRoot } from '#weir/shared/paths';
import { configuration, KEY } from '../configuration.ts';
import type { System } from '../system.ts';
import { createNames, type Exchange, parseRecording, renderRecording } from './recording.ts';

const FILE = join(packageRoot, 'test/e2e/recorded/answers.txt');
/** Records the answers instead of comparing them. */
const RECORDS = process.env.WEIR_RECORD === '1';

/** Flags images that are at most 8 pixels wide. */
const CONFIGURATION = configuration().replace(
  'sources: [image], detect: {terms: {list: [open sesame]}}',
  'sources: [image], detect: {image_properties: {max_width: 8}}',
);

/** Of the connection, or of the moment. */
const NOT_RECORDED = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'uwebsockets',
]);
/** Documents and pages, which say what a release can do. */
const OF_THE_RELEASE = /^\/(?:$|docs|openapi|console)/;
const MOST_TRIES = 20;
const DEFAULTS = { authorization: 'acme', 'service-version': '2026-06-01', 'x-request-id': 'recorded' };

/** Must come before what changes the configuration. */
export function replay(system: () => System): void {
  describe('an answer of which nothing new is asked', () => {
    const exchanges = parseRecording(readFileSync(FILE, 'utf8'));
    const recorded: Exchange[] = [];
    const names = createNames();
    let ran = 0;
    before(() => system().apply(CONFIGURATION));
    after(async () => {
      await system().apply(configuration());
      if (RECORDS && ran === exchanges.length) writeFileSync(FILE, renderRecording(recorded));
    });

    for (const exchange of exchanges) {
      const { label, what, request, answer } = exchange;
      it(`is the one that was recorded: ${what} (${label})`, async () => {
        const answered = await send(system(), request.map(names.filled));
        const told = answered.map((line) => names.named(label, line));
        ran++;
        if (RECORDS) recorded.push({ ...exchange, answer: told });
        else assert.deepEqual(told, answer);
      });
    }

    it('was recorded of every route', () => {
      const asked = exchanges.map(({ request }) => request[0]!.split('?')[0]!.replace(/<\w+ \d+>|(?<=\/)\d+$/, '{}'));
      const routes = Object.values<Endpoint>(ENDPOINTS).filter(({ path }) => !OF_THE_RELEASE.test(path));
      for (const { method, path, below } of routes) {
        const route = `${method} ${path.replace(/\{\w+\}/, below ? '' : '{}')}`;
        assert.ok(
          asked.some((one) => (below ? one.startsWith(route) : one === route)),
          route,
        );
      }
    });
  });
}

/** Sends a request; its answer, in lines. */
async function send(system: System, [first = '', ...lines]: readonly string[]): Promise<string[]> {
  const [method = '', path = ''] = first.split(' ');
  if (method === 'COLD') {
    await system.cold(path);
    return [];
  }
  const given = lines.map((line) => /^([\w-]+):(?: (.*))?$/.exec(line)).filter((header) => header !== null);
  const body = lines.slice(given.length).join('\n');
  const headers = new Headers({ ...DEFAULTS, ...(body && { 'content-type': 'application/json' }) });
  for (const [, name, value] of given) {
    if (value) headers.set(name!, value);
    else headers.delete(name!);
  }
  const key = KEY[headers.get('authorization') as keyof typeof KEY];
  if (key) headers.set('authorization', `Bearer ${key}`);
  const signal = AbortSignal.timeout(120_000);
  const ask = (): Promise<Response> =>
    fetch(system.stack.url + path, { method, headers, signal, ...(body && { body }) });
  let response = await ask();
  // What is tried has turns of two seconds, which a machine that does much else needs for others. No such answer is recorded.
  for (let more = 0; path.startsWith('/api/try') && response.status === 504 && more < MOST_TRIES; more++) {
    response = await ask();
  }
  const told = [...response.headers].filter(([name]) => !NOT_RECORDED.has(name)).map((header) => header.join(': '));
  const text = await response.text();
  return [String(response.status), ...told, ...(text ? [text] : [])];
}
