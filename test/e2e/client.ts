/** The client against a whole installation, whose deadline is short. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createClient, type EventInput, isServiceError, type ServiceError, unwrap } from '#weir/shared/client/index';
import { packageRoot } from '#weir/shared/paths';
import { installClient } from '../support/client-package.ts';
import { pluck } from '../support/pluck.ts';
import { CARD, KEY, POLICY } from './configuration.ts';
import { newRun, type System } from './system.ts';

const run = promisify(execFile);

export function client(started: () => System): void {
  describe('the client and a service', () => {
    let system: System;
    before(() => {
      system = started();
    });
    const make = (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
      createClient({ url: system.stack.url, apiKey: KEY.acme, ...options });

    const failing = async (call: Promise<{ ok: boolean; error?: unknown }>): Promise<ServiceError> => {
      const result = await call;
      assert.equal(result.ok, false);
      assert.ok(isServiceError(result.error as ServiceError), JSON.stringify(result));
      return result.error as ServiceError;
    };

    it('check more events than a batch takes, in order and as one run', async () => {
      const events: EventInput[] = Array.from({ length: 107 }, (_, i) => ({
        type: 'reasoning',
        event_id: `e${i}`,
        content: i === 60 ? CARD : `thought ${i}`,
      }));
      // References over batches, and a phrase that is split over two of them.
      events[99] = { type: 'reasoning', event_id: 'e7' };
      events[101] = { type: 'reasoning', event_id: 'e60' };
      const { flagged, run_id, results, order } = unwrap(await make().checkEvents({ environment_id: 'prod', events }));
      assert.equal(flagged, true);
      assert.match(run_id ?? '', /^run_/);
      assert.equal(order.length, 107);
      const referenced = [99, 101].map((i) => [order[i]!.status, order[i]!.flagged, order[i]!.internal_event_id]);
      assert.deepEqual(referenced, [
        ['referenced', false, order[7]!.internal_event_id],
        ['referenced', true, order[60]!.internal_event_id],
      ]);
      assert.equal(results.reasoning.e60!.policies[POLICY.card]!.flagged, true);
      const phrase = Array.from({ length: 52 }, (_, i) => ['purple', 'elephants', 'dance'][i - 48] ?? `x${i}`);
      const support = phrase.map((content): EventInput => ({ type: 'reasoning', content }));
      const split = unwrap(await make().checkEvents({ environment_id: 'support', events: support }));
      const hits = split.order.filter((entry) => entry.flagged);
      assert.deepEqual(pluck(hits, 'index'), [50]);
    });

    it('look up what they checked, each by its methods', async () => {
      const client = make();
      const run_id = newRun();
      const event = { type: 'tool', event_id: 't', name: 'search', output: CARD } as const;
      const posted = unwrap(await client.checkEvent({ environment_id: 'prod', run_id, event }));
      assert.equal(posted.flagged, true);
      const internal_event_id = posted.event.internal_event_id!;
      const byId = unwrap(await client.getEvent({ internal_event_id, environment_id: 'prod' }));
      const found = unwrap(await client.findEvent({ environment_id: 'prod', run_id, event_id: 't', type: 'tool' }));
      assert.deepEqual(found, byId);
      assert.deepEqual(byId.policies, posted.policies);

      const external_session_id = `é & ${randomUUID()}`;
      const messages = [{ role: 'user', content: CARD }];
      const first = unwrap(await client.checkSession({ deployment_id: 'chat', external_session_id, messages }));
      const created = unwrap(await client.createSession({ external_session_id, messages }));
      assert.deepEqual([first.flagged, created.session.flagged, created.artifacts], [true, true, []]);
      const { internal_session_id } = created.session;
      assert.deepEqual(unwrap(await client.getSession({ internal_session_id, deployment_id: 'chat' })), created);
      assert.deepEqual(unwrap(await client.findSession({ external_session_id })), created);
      for (const probe of [client.healthz, client.readyz]) assert.deepEqual(unwrap(await probe()), { status: 'ok' });
    });

    it('meet the errors of the service as values', async () => {
      const messages = [{ role: 'user', content: 'x' }];
      const unknown = await failing(make({ apiKey: 'wk_unknown' }).checkSession({ messages }));
      assert.deepEqual([unknown.type, unknown.code, unknown.status], ['authentication_error', 'invalid_api_key', 401]);
      const absent = await failing(make().getSession({ internal_session_id: randomUUID() }));
      assert.deepEqual([absent.type, absent.status, absent.attempts], ['not_found_error', 404, 1]);
      const wrong = await failing(make().checkSession({ messages: [{ role: 'nobody', content: 'x' }] }));
      assert.deepEqual([wrong.code, wrong.issues[0]?.path], ['validation_failed', 'messages[0].role']);
      const events: EventInput[] = Array.from({ length: 60 }, () => ({ type: 'reasoning', content: 'x' }));
      events[58] = { type: 'message', content: 'x' };
      const late = await make().checkEvents({ environment_id: 'prod', events }, { requestId: 'mine' });
      assert.ok(!late.ok && isServiceError(late.error));
      assert.deepEqual([late.error.param, late.error.requestId], ['events[58].role', 'mine']);
      assert.equal(late.checked!.order.length, 50);
    });

    it('wait for the result of a check that was late', async () => {
      const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
        for (const { pid } of system.stack.evaluators) process.kill(pid, name);
      };
      const messages = [{ role: 'user', content: CARD }];
      signal('SIGSTOP');
      try {
        const late = await failing(make({ retries: 0 }).checkSession({ deployment_id: 'chat', messages }));
        assert.deepEqual([late.code, late.status], ['evaluation_timeout', 504]);
        const { internal_session_id } = late.result as { internal_session_id: string };
        const pending = await failing(make({ retries: 0 }).getSession({ internal_session_id }));
        assert.deepEqual([pending.code, pending.retryAfter], ['result_not_ready', 1]);
        const waiting = make({ retries: 20 }).getSession({ internal_session_id });
        signal('SIGCONT');
        assert.equal(unwrap(await waiting).session.flagged, true);
      } finally {
        signal('SIGCONT');
      }
    });

    it('find the check again after a 504, by the key that the client drew: one check, one result', async () => {
      const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
        for (const { pid } of system.stack.evaluators) process.kill(pid, name);
      };
      const run_id = newRun();
      const keys: (string | null)[] = [];
      const statuses: number[] = [];
      const told: string[] = [];
      let replayed: string | null = null;
      const client = make({
        retries: 20,
        idempotencyKeys: true,
        async fetch(url, init) {
          keys.push(new Headers(init?.headers).get('idempotency-key'));
          const response = await fetch(url, init);
          statuses.push(response.status);
          if (response.status === 504) {
            const { error } = (await response.clone().json()) as { error: { items: { internal_event_id: string }[] } };
            told.push(...error.items.map(({ internal_event_id }) => internal_event_id));
            signal('SIGCONT');
          }
          replayed = response.headers.get('idempotency-replayed');
          return response;
        },
      });
      const events: EventInput[] = [
        { type: 'reasoning', event_id: 'a', content: CARD },
        { type: 'reasoning', event_id: 'b', content: 'fine' },
      ];
      signal('SIGSTOP');
      try {
        const { order } = unwrap(await client.checkEvents({ environment_id: 'prod', run_id, events }));
        assert.deepEqual(pluck(order, 'event_id', 'flagged', 'status'), [
          ['a', true, 'completed'],
          ['b', false, 'completed'],
        ]);
        assert.deepEqual([statuses[0], statuses.at(-1)], [504, 200]);
        assert.equal(replayed, 'true');
        assert.match(keys[0] ?? '', /^[!-~]{16,255}$/);
        assert.deepEqual(new Set(keys), new Set([keys[0]]), 'the same key at every attempt');
        const ids = order.map(({ internal_event_id }) => internal_event_id);
        assert.deepEqual(new Set(told), new Set(ids), 'the ids that the 504 told');
      } finally {
        signal('SIGCONT');
      }
      const { nodes } = unwrap(await make().getRunGraph({ environment_id: 'prod', run_id }));
      assert.deepEqual(pluck(nodes, 'event_id'), ['a', 'b']);
      await system.archived();
      const [row] = await system.sql(
        `SELECT count() AS rows, uniqExact(request_id) AS requests FROM items WHERE run_id = '${run_id}'`,
      );
      assert.deepEqual([Number(row!.rows), Number(row!.requests)], [2, 1]);
    });

    it('give a first verdict in less than a minute from an empty folder, as docs/clients.md shows', async () => {
      const page = readFileSync(join(packageRoot, 'docs/clients.md'), 'utf8');
      const [, code = '', printed] =
        /```ts\n(import .*? from '@weir\/client';.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? [];
      const address = 'http://127.0.0.1:8080';
      assert.ok(code.includes(address));
      const project = mkdtempSync(join(tmpdir(), 'weir-first-'));
      try {
        const begun = performance.now();
        await installClient(project);
        const { stdout } = await run(
          process.execPath,
          ['--input-type=module', '--eval', code.replace(address, system.stack.url)],
          { cwd: project, env: { ...process.env, KEY: KEY.acme }, timeout: 30_000 },
        );
        assert.equal(stdout, printed);
        assert.ok(performance.now() - begun < 60_000);
      } finally {
        rmSync(project, { recursive: true });
      }
    });
  });
}
