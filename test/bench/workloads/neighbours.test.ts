import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import sharp from 'sharp';
import { benchConfigurations } from '#weir/bench/installation/configuration';
import { parseOptions } from '#weir/bench/options';
import {
  checkAttacks,
  pngWithTexts,
  readAttacks,
  requestOf,
  variedIn,
  varyTexts,
} from '#weir/bench/workloads/neighbours/attack';
import { type AttackPlan, runAttack, startAttacker } from '#weir/bench/workloads/neighbours/attacker';
import { startSlowModel } from '#weir/bench/workloads/neighbours/backends';
import { missedBy } from '#weir/bench/workloads/neighbours/report';
import { setUpNeighbours, withBackends, withHostileTeam } from '#weir/bench/workloads/neighbours/setup';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { packageRoot } from '#weir/shared/paths';
import { testBackends } from '../../support/models/language-model.ts';
import { pluck } from '../../support/pluck.ts';
import { until } from '../../support/wait.js';

const SCOPE = { environment: 'theirs', deployment: 'chat' };
const NEIGHBOUR = { scope: { environment: 'ours', deployment: 'chat' }, key: 'own' };
const MEANS = { scope: SCOPE, key: 'k', nowhere: '127.0.0.1:9', neighbour: NEIGHBOUR };
const HOST = '127.0.0.1:1';

const splitHead = (request: Buffer): [head: string, body: Buffer] => {
  const end = request.indexOf('\r\n\r\n');
  return [request.toString('latin1', 0, end), request.subarray(end + 4)];
};

describe('the benchmark of neighbours', () => {
  it('makes whole requests of its attacks, with their true lengths', () => {
    for (const attack of readAttacks()) {
      const [head, body] = splitHead(requestOf(attack, MEANS, HOST));
      const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
      assert.equal(length, attack.stall ?? body.length, attack.name);
      assert.doesNotMatch(head + body.toString('utf8', 0, 1000), /\$[a-z]/, attack.name);
      // The largest is too costly to parse here.
      if (attack.body && length < 1024 * 1024) assert.ok(JSON.parse(body.toString()), attack.name);
      assert.ok(length <= 32 * 1024 * 1024, attack.name);
    }
  });

  it('says which attack or which field is wrong', () => {
    assert.throws(() => readAttacks(['nonsense']), /There is no attack "nonsense"\. Name some of stalled-bodies, /);
    assert.deepEqual(pluck(readAttacks(['wrong-keys']), 'name'), ['wrong-keys']);
    const attack = { name: 'a', description: 'b', connections: 0, pause: 1, path: '/x' };
    assert.throws(() => checkAttacks([attack], 'file'), /file: attacks\[0\]\.connections must be /);
  });

  it('makes a small PNG that carries large texts', async () => {
    const png = pngWithTexts(6, 30 * 1024 * 1024);
    assert.ok(png.length < 200 * 1024, `${png.length}`);
    const { format, width, height } = await sharp(pngWithTexts(2, 1000)).metadata();
    assert.deepEqual([format, width, height], ['png', 1, 1]);
  });

  it('makes a configuration that the service takes: the second team has the same policies under ids of its own', () => {
    const path = join(packageRoot, 'bench', 'policies.yaml');
    const { policies } = benchConfigurations(readFileSync(path, 'utf8'), path);
    const urls = { hanging: 'http://127.0.0.1:9/v1', slow: 'http://127.0.0.1:10/v1' };
    const result = loadConfiguration(withBackends(withHostileTeam(policies, 'k', SCOPE), urls));
    assert.ok(result.ok, JSON.stringify(result));
    const before = loadConfiguration(policies);
    assert.ok(before.ok);
    assert.equal(result.configuration.policies.length, 2 * before.configuration.policies.length + 2 + 4);
    for (const { id, conditions } of result.configuration.environments) {
      assert.equal(conditions.find((each) => each.id === 'judged')?.policies.length, 2, id);
    }
  });

  it('sends different requests over all its connections until it is stopped', async (t) => {
    const seen: string[] = [];
    const server = await serve(t, (url) => {
      seen.push(url);
      return seen.length % 2 === 0 ? 200 : 503;
    });
    const attack = { name: 'a', description: 'b', connections: 3, pause: 1, method: 'GET', path: '/x?$stamp' } as const;
    const running = runAttack(planOf(requestOf(attack, MEANS, HOST), server, { connections: 3 }));
    await until('it has sent some', () => seen.length >= 20);
    const { answers, nextStamp } = running.stop();
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.includes('/x?00000007'), seen[0]);
    assert.ok(nextStamp >= 7 + seen.length);
    assert.ok((answers['200'] ?? 0) > 0 && (answers['503'] ?? 0) > 0, JSON.stringify(answers));
  });

  it('sends other texts in every request and in every item of one', () => {
    for (const [name, texts] of [
      ['ascii-digits', 1],
      ['masks', 1],
      ['digit-batch', 50],
    ] as const) {
      const [attack] = readAttacks([name]);
      const request = requestOf(attack!, MEANS, HOST);
      const varied = variedIn(request, attack!)!;
      assert.equal(varied.places.length, texts);
      const seen = new Set<string>();
      for (let i = 0; i < 3; i++) {
        varyTexts(request, varied);
        const body = JSON.parse(splitHead(request)[1].toString()) as { event: object; events?: { content: string }[] };
        for (const { content } of body.events ?? [body.event as { content: string }]) {
          assert.equal(content.length, attack!.vary!.bytes);
          seen.add(content);
        }
      }
      assert.equal(seen.size, 3 * texts, name);
    }
    assert.equal(variedIn(Buffer.from('x'), {}), undefined);
  });

  it('never sends the last byte of a stalled body, and starts again when the server cuts it off', async (t) => {
    const announced = 300_000;
    const received: number[] = [];
    const server = createTcpServer((socket) => {
      const at = received.push(0) - 1;
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received[at]! += bytes.length;
        // The first one is cut off, as the service does with bodies that stall.
        if (at === 0 && received[0] === head.length + announced - 1) socket.end('HTTP/1.1 408 x\r\n\r\n');
      });
    });
    const attack = { name: 'a', description: 'b', connections: 1, pause: 1, path: '/x', stall: announced };
    const head = requestOf(attack, MEANS, HOST);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const running = runAttack(planOf(head, server as unknown as Server, { connections: 1, stall: announced }));
    t.after(() => server.close());
    await until('the second is stalled', () => received[1] === head.length + announced - 1);
    const { answers } = running.stop();
    assert.deepEqual(answers, { 408: 1, closed: 1 });
  });

  it('attacks from a process of its own', async (t) => {
    let seen = 0;
    const server = await serve(t, () => {
      seen++;
      return 200;
    });
    const attacker = startAttacker();
    t.after(() => attacker.close());
    const attack = { name: 'a', description: 'b', connections: 1, pause: 1, method: 'GET', path: '/x' } as const;
    attacker.start(planOf(requestOf(attack, MEANS, HOST), server, { connections: 1 }));
    await until('it has sent some', () => seen >= 5);
    const { answers } = await attacker.stop();
    assert.ok((answers['200'] ?? 0) >= 4);
  });

  it('has a host that takes requests and never answers', async () => {
    const { extra, close } = await setUpNeighbours(parseOptions(['neighbours'], {}), () => {});
    const asked = fetch(`http://${extra.env.WEIR_FETCH_ALLOW}/x.png`);
    asked.catch(() => {});
    const answered = await Promise.race([asked.then(() => true), new Promise((resolve) => setImmediate(resolve))]);
    assert.equal(answered, undefined);
    await close();
    await assert.rejects(asked);
  });

  it('has a backend that answers late, in the form that it is asked for', async () => {
    const slow = await startSlowModel();
    const backends = testBackends();
    const rest = { api_key_env: null, api_key_file: null, timeout_ms: 60_000, concurrency: 1, cache_seconds: 0 };
    const backend = { id: 'slow', team: 't', url: slow.url, model: 'm', ...rest };
    const criteria = { flagged_content: 'a', allowed_content: 'b', examples: [] };
    const of = [{ detector: 5, policy: 'p', backend, criteria }];
    const limits = { until: performance.now() + 60_000, signal: new AbortController().signal };
    const began = performance.now();
    const { answers } = await backends.ask({ text: 'x', of }, limits);
    assert.deepEqual([...answers], [[5, { flagged: false, score: 0 }]]);
    assert.ok(performance.now() - began >= 1990);
    backends.close();
    await slow.close();
  });

  it('misses the objective by a p99 above it, by a refused request and by one that was never sent', () => {
    const quiet = { p50: 5, p99: 20, errors: {}, dropped: 0 };
    assert.deepEqual(missedBy('batches', { quiet, attacked: { ...quiet, p99: 140 } }), []);
    assert.deepEqual(missedBy('batches', { quiet, attacked: { ...quiet, p99: 141 } }), [
      'p99 of batches 141 ms, above 140',
    ]);
    assert.deepEqual(missedBy('batches', { quiet, attacked: { ...quiet, errors: { '503': 2 }, dropped: 3 } }), [
      '2 × 503 of batches',
      '3 batches never sent',
    ]);
  });

  it('needs a stack of its own, runs each load for a minute, and takes names of attacks', () => {
    const { workload, seconds, attacks } = parseOptions(['neighbours', '--attack', 'a,b'], {});
    assert.deepEqual([workload, seconds, attacks], ['neighbours', 60, ['a', 'b']]);
    assert.throws(() => parseOptions(['neighbours', '--saturate'], {}), /neighbours needs a stack of its own/);
    assert.throws(() => parseOptions(['events-50', '--attack', 'a'], {}), /--attack is for neighbours alone/);
  });
});

function planOf(request: Buffer, server: Server, rest: Partial<AttackPlan>): AttackPlan {
  const { port } = server.address() as AddressInfo;
  return { host: '127.0.0.1', port, request, connections: 1, pause: 1, firstStamp: 7, ...rest };
}

async function serve(t: TestContext, answer: (url: string) => number): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(answer(request.url ?? ''), { 'content-length': 2 }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}
