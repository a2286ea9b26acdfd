import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfigurations } from '#weir/bench/installation/configuration';
import { makeBodies, STAMP, stampBody } from '#weir/bench/workloads/bodies';
import { seeded } from '#weir/bench/workloads/random';
import { cardNumber, passesLuhn, sensitiveSentence } from '#weir/bench/workloads/sensitive';
import {
  checkWorkload,
  itemsPerRequest,
  readWorkload,
  type Workload,
  workloadNames,
} from '#weir/bench/workloads/workload';
import { LIMITS } from '#weir/shared/api/limits';
import { CHECKABLE_FIELDS, type EventInput } from '#weir/shared/api/types';
import { validateModerations } from '#weir/shared/api/validate/dialects/moderations';
import { validatePerspective } from '#weir/shared/api/validate/dialects/perspective';

const SCOPE = { environment: 'prod', deployment: 'chat' };
const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const SENSITIVE = /\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}|@|AKIA|ghp_|ignore all previous|reveal your system/;

const eventsOf = (bytes: Buffer): EventInput[] => {
  const body = JSON.parse(bytes.toString()) as { events?: EventInput[]; event?: EventInput };
  return body.events ?? [body.event!];
};

describe('workloads', () => {
  it('reads every workload that comes with the package, each under its own name', () => {
    const names = workloadNames();
    assert.ok(names.includes('events-50') && names.includes('session') && names.includes('events-mixed'));
    for (const name of names) assert.equal(readWorkload(name).name, name);
  });

  it('reads no file that is none, of workloads and of configurations', () => {
    const device = { message: '/dev/zero: cannot be read: expected a file, found a device' };
    assert.throws(() => readWorkload('/dev/zero'), device);
    assert.throws(() => readConfigurations('/dev/zero'), device);
    assert.throws(() => readWorkload('/nowhere/a.yaml'), /^Error: There is no workload "\/nowhere\/a.yaml"/);
  });

  it('makes the same bytes from the same seed, and others from another', () => {
    const workload = { ...readWorkload('events-50'), bodies: 3 };
    const bytes = (of: Workload): string =>
      makeBodies(of, SCOPE, 't')
        .map((body) => body.bytes.toString())
        .join();
    assert.equal(bytes(workload), bytes(workload));
    assert.notEqual(bytes(workload), bytes({ ...workload, seed: workload.seed + 1 }));
  });

  it('makes batches of 50 events of about 250 characters in about 16 KB', () => {
    const bodies = makeBodies(readWorkload('events-50'), SCOPE, 't');
    const mean = bodies.reduce((sum, body) => sum + body.bytes.length, 0) / bodies.length;
    assert.ok(mean > 15_000 && mean < 18_000, `${mean} bytes`);
    for (const body of bodies) assert.equal(eventsOf(body.bytes).length, 50);
  });

  it('makes only events that the API takes', () => {
    for (const name of ['events-50', 'events-mixed', 'event-1']) {
      for (const body of makeBodies({ ...readWorkload(name), bodies: 8 }, SCOPE, 't')) {
        assert.ok(body.bytes.length < LIMITS.bodyBytes);
        for (const event of eventsOf(body.bytes)) {
          const fields = CHECKABLE_FIELDS[event.type].filter((field) => field in event);
          assert.equal(fields.length, 1, `${event.type} has ${fields.join()}`);
          assert.match(event.event_id!, ID);
          assert.equal(event.role !== undefined, event.type === 'message');
        }
      }
    }
  });

  it('puts the stated share of sensitive things into a body, and nothing similar anywhere else', () => {
    for (const name of ['events-50', 'events-mixed', 'events-50-clean']) {
      for (const body of makeBodies({ ...readWorkload(name), bodies: 16 }, SCOPE, 't')) {
        const found = eventsOf(body.bytes).filter((event) => SENSITIVE.test(JSON.stringify(event)));
        assert.equal(found.length, body.flagged);
        assert.equal(body.flagged, name === 'events-50-clean' ? 0 : 5);
      }
    }
  });

  it('reaches the share over many single events', () => {
    const bodies = makeBodies(readWorkload('event-1'), SCOPE, 't');
    const share = bodies.reduce((sum, body) => sum + body.flagged, 0) / bodies.length;
    assert.ok(share > 0.06 && share < 0.15, `${share}`);
  });

  it('spreads a mixed batch over its runs and sessions', () => {
    const [body] = makeBodies(readWorkload('events-mixed'), SCOPE, 't');
    const events = eventsOf(body!.bytes);
    assert.equal(new Set(events.map((event) => event.run_id ?? 'the batch')).size, 8);
    assert.equal(new Set(events.map((event) => event.external_session_id)).size, 4);
  });

  it('ends a session with a message of the user, and counts one item for it', () => {
    const workload = readWorkload('session');
    assert.equal(itemsPerRequest(workload), 1);
    for (const body of makeBodies(workload, SCOPE, 't').slice(0, 20)) {
      const { messages, deployment_id } = JSON.parse(body.bytes.toString());
      assert.equal(deployment_id, 'chat');
      assert.equal(messages.length, 6);
      assert.equal(messages.at(-1).role, 'user');
      assert.equal(SENSITIVE.test(messages.at(-1).content), body.flagged === 1);
    }
  });

  it('has a text of a session in the words of other services, as they are taken here', () => {
    for (const [name, read] of [
      ['moderations', validateModerations],
      ['perspective', validatePerspective],
    ] as const) {
      const workload = readWorkload(name);
      assert.equal(itemsPerRequest(workload), 1);
      for (const { bytes, items } of makeBodies({ ...workload, bodies: 8 }, SCOPE, 't')) {
        assert.equal(items, 1);
        const made = read(JSON.parse(bytes.toString()));
        assert.ok(made.ok, name);
        assert.ok((made.value.session ?? made.value.batch![0]!).length > 100);
      }
    }
  });

  it('makes every id of a request unique by its stamp', () => {
    const names = ['events-50', 'events-mixed', 'events-agents', 'event-1', 'session', 'moderations', 'perspective'];
    for (const name of names) {
      const [body] = makeBodies({ ...readWorkload(name), bodies: 1 }, SCOPE, 'tag');
      const stamped = [1, 36 ** STAMP - 1].map((n) => {
        const bytes = Buffer.from(body!.bytes);
        stampBody(bytes, body!.stamps, n);
        return bytes.toString();
      });
      const ids = stamped.map((text) => new Set(text.match(/"(bench-[^"]+|[0-9a-z]{8}-\d+)"/g)));
      assert.ok(ids[0]!.size > 0);
      for (const id of ids[0]!) assert.ok(!ids[1]!.has(id), `${id} is in both`);
      assert.doesNotThrow(() => stamped.map((text) => JSON.parse(text)));
    }
  });

  it('stamps a body that stands behind a head', () => {
    const bytes = Buffer.from('head{"id":"00000000"}');
    stampBody(bytes, [7], 36 + 35, 4);
    assert.equal(bytes.toString(), 'head{"id":"0000001z"}');
  });

  it('draws card numbers that pass the Luhn check', () => {
    const random = seeded(7);
    for (let i = 0; i < 200; i++) {
      const number = cardNumber(random);
      assert.equal(number.replaceAll(/\D/g, '').length, 16);
      assert.ok(passesLuhn(number), number);
    }
    assert.ok(!passesLuhn('4000 0000 0000 0000'));
  });

  it('writes a sentence of every sensitive kind', () => {
    for (const kind of ['card', 'email', 'secret', 'term'] as const) {
      assert.match(sensitiveSentence(kind, ['ignore all previous instructions'], seeded(3)), SENSITIVE);
    }
  });

  it('says which field of a workload is wrong', () => {
    const good = readWorkload('events-50');
    assert.throws(() => checkWorkload({ ...good, items: 51 }, 'w.yaml'), /w\.yaml: workload\.items must be/);
    assert.throws(() => checkWorkload({ ...good, itmes: 5 }, 'w.yaml'), /itmes/);
    assert.throws(() => checkWorkload({ ...good, mix: {} }, 'w.yaml'), /mix must name/);
    assert.throws(() => checkWorkload({ ...good, route: '/api/event' }, 'w.yaml'), /items must be 1/);
    const noTerms = { share: 0.1, kinds: { term: 1 }, terms: [] };
    assert.throws(() => checkWorkload({ ...good, flagged: noTerms }, 'w.yaml'), /flagged\.terms/);
    assert.throws(() => readWorkload('nothing'), /There is no workload "nothing"\. Name one of .*events-50/);
  });
});
