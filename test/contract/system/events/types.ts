/** Every type of event and every content field (2.7), and the limits of section 8, through the whole system. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, POLICY } from '../../../e2e/configuration.ts';
import { newRun, type System } from '../../../e2e/system.ts';

const FIELDS: Record<string, string[]> = {
  message: ['content'],
  tool: ['arguments', 'output', 'definition'],
  function: ['arguments', 'output', 'definition'],
  agent: ['input', 'instructions', 'output', 'state'],
  reasoning: ['content'],
};
const EVERY_FIELD = [...new Set(Object.values(FIELDS).flat())];
const KIB_256 = 256 * 1024;

export function types(system: () => System): void {
  const inRun = (event: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    system().post('/api/event', { environment_id: 'prod', event, ...more });
  /** Path and code of the one issue that a batch is refused with. */
  const issueOf = async (events: unknown[], more: Record<string, unknown> = {}): Promise<string> => {
    const { status, json } = await system().post('/api/events', { environment_id: 'prod', ...more, events });
    assert.equal(status, 400);
    assert.equal(json.error.issues.length, 1);
    return `${json.error.code} ${json.error.issues[0].path}`;
  };

  describe('events of each type', { concurrency: 8 }, () => {
    for (const [type, fields] of Object.entries(FIELDS)) {
      const role = type === 'message' ? { role: 'user' } : {};
      const others = EVERY_FIELD.filter((field) => !fields.includes(field));
      it(`are checked in ${fields.join(', ')} of a ${type} event, and take no other field [2.7.${type}] [6.1] [general.other-content]`, async () => {
        for (const field of fields) {
          for (const value of [`pay with ${CARD}`, { note: [`pay with ${CARD}`] }]) {
            const { status, json, text } = await inRun({ type, ...role, [field]: value });
            assert.equal(status, 200, text);
            assert.deepEqual([json.flagged, json.event.type, json.event.status], [true, type, 'completed']);
            assert.equal(json.policies[POLICY.card].flagged, true, field);
          }
        }
        for (const field of others) {
          for (const event of [
            { type, ...role, [field]: 'x' },
            { type, ...role, [field]: 'x', [fields[0]!]: 'x' },
          ]) {
            const { status, json } = await inRun({ ...event, event_id: 'e', run_id: 'r' });
            assert.equal(status, 400, `${type}.${field}`);
            const { path, code } = json.error.issues[0];
            assert.deepEqual([path, code], [`event.${field}`, 'unexpected']);
          }
        }
        if (fields.length > 1) {
          const [one, two] = fields;
          assert.equal((await inRun({ type, [one!]: 'x', [two!]: 'y' })).json.error.param, `event.${two}`);
        }
      });
    }

    it('with a field of null or none at all are references, of each of the six types [2.7.reference] [general.null]', async () => {
      for (const type of [...Object.keys(FIELDS), 'artifact']) {
        for (const event of [
          { type, event_id: 'e' },
          { type, event_id: 'e', content: null, output: null },
        ]) {
          const { status, json, text } = await inRun(event, { run_id: newRun() });
          assert.equal(status, 200, text);
          assert.deepEqual([json.event.type, json.event.status, json.event.updated_at], [type, 'not_found', null]);
          assert.deepEqual(Object.keys(json.event), ['type', 'status', 'updated_at', 'event_id', 'run_id']);
        }
      }
      for (const type of ['session', 'Message', '', 'image', null, 5, undefined]) {
        assert.equal((await inRun({ type, event_id: 'e' }, { run_id: 'r' })).json.error.param, 'event.type');
      }
    });

    it('need user or assistant for the role of a message, with each its direction [2.7.role] [6.4]', async () => {
      for (const role of ['system', 'tool', 'developer', 'user2', '', null, undefined]) {
        const { status, json } = await inRun({ type: 'message', role, content: 'x' });
        assert.deepEqual([status, json.error.param], [400, 'event.role'], String(role));
      }
      for (const [role, flagged] of [
        ['user', true],
        ['user-2', true],
        ['assistant', false],
        ['assistant-user', false],
      ] as const)
        assert.equal((await inRun({ type: 'message', role, content: 'open sesame' })).json.flagged, flagged, role);
    });

    it('of nothing but an empty string are content [general.empty] [3.event-completed]', async () => {
      for (const event of [
        { type: 'message', role: 'user', content: '' },
        { type: 'tool', arguments: {} },
        { type: 'agent', state: [] },
      ]) {
        const { json } = await inRun(event);
        assert.equal(json.event.status, 'completed');
        const found = (await system().get(`/api/event/${json.event.internal_event_id}?environment_id=prod`)).status;
        assert.equal(found, 200);
      }
    });
  });

  describe('limits', { concurrency: 4 }, () => {
    const reasoning = (more: Record<string, unknown> = {}) => ({ type: 'reasoning', content: 'x', ...more });
    const accepted = async (events: unknown[], more: Record<string, unknown> = {}) => {
      const { order } = (await system().events(events, more)).json;
      for (const { status } of order) assert.equal(status, 'completed');
      return order;
    };

    it('are 50 events in a batch [8.events] [4.7.events] [batch.size] [error.too_many_events]', async () => {
      const events = Array.from({ length: 51 }, () => reasoning());
      assert.equal((await accepted(events.slice(1))).length, 50);
      assert.equal(await issueOf(events), 'too_many_events events');
      assert.equal(await issueOf([]), 'validation_failed events');
    });

    it('are 50 links in an event and 500 parents and links in a batch [8.links] [8.declarations]', async () => {
      const links = (count: number) => Array.from({ length: count }, (_, i) => ({ event_id: `e${i}` }));
      await accepted([reasoning({ links: links(50) })]);
      assert.equal(await issueOf([reasoning({ links: links(51) })]), 'validation_failed events[0].links');
      const nine = Array.from({ length: 9 }, () => reasoning({ links: links(50) }));
      const parent = { event_id: 'p' };
      await accepted([...nine, reasoning({ links: links(49), parent })]);
      assert.equal(await issueOf([...nine, reasoning({ links: links(50), parent })]), 'validation_failed events');
    });

    it('are 256 KiB of UTF-8 in each content field, in compact form where it is JSON [8.content] [event.json-size] [general.bytes] [error.content_too_large]', async () => {
      for (const [type, fields] of Object.entries(FIELDS)) {
        const role = type === 'message' ? { role: 'user' } : {};
        for (const field of fields) {
          const event = (value: unknown) => ({ type, ...role, [field]: value });
          const text = '€'.repeat((KIB_256 - 1) / 3);
          const spaced = { key: ['x'.repeat(KIB_256 - '{"key":[""]}'.length)] };
          assert.equal(Buffer.byteLength(JSON.stringify(spaced)), KIB_256);
          await accepted([event(`${text}x`), event(spaced)]);
          assert.equal(await issueOf([event(`${text}xx`)]), `content_too_large events[0].${field}`);
          const more = { key: [`${spaced.key[0]}x`] };
          assert.equal(await issueOf([event(more)]), `content_too_large events[0].${field}`);
        }
      }
    });

    it('are 256 KiB of compact JSON in the metadata of an event [8.metadata] [2.7.metadata]', async () => {
      const metadata = { é: 'ü'.repeat((KIB_256 - '{"é":""}'.length - 1) / 2) };
      const filler = KIB_256 - Buffer.byteLength(JSON.stringify(metadata));
      const most = { é: metadata.é + 'x'.repeat(filler) };
      await accepted([reasoning({ metadata: most })]);
      const longer = await issueOf([reasoning({ metadata: { é: `${most.é}x` } })]);
      assert.equal(longer, 'validation_failed events[0].metadata');
    });

    it('are 128 characters in ids and 256 in names [8.ids] [8.names]', async () => {
      for (const field of ['event_id', 'run_id']) {
        const [event] = await accepted([reasoning({ [field]: '.'.repeat(128) })]);
        assert.equal(event[field], '.'.repeat(128));
        assert.equal(await issueOf([reasoning({ [field]: '.'.repeat(129) })]), `validation_failed events[0].${field}`);
      }
      for (const field of ['external_session_id', 'name', 'call_id', 'format', 'external_artifact_id']) {
        await accepted([{ type: 'tool', output: 'x', [field]: '🦊'.repeat(256) }]);
        const longer = { type: 'tool', output: 'x', [field]: '🦊'.repeat(257) };
        assert.equal(await issueOf([longer]), `validation_failed events[0].${field}`);
      }
      const top = '🦊'.repeat(256);
      await accepted([reasoning()], { external_session_id: top });
      const beside = await issueOf([reasoning()], { external_session_id: `${top}x` });
      assert.equal(beside, 'validation_failed external_session_id');
    });

    it('of names hold in look-ups too, at the same character [8.ids] [8.names]', async () => {
      const s = system();
      const run = newRun('r').padEnd(128, '-');
      const event = 'e'.repeat(128);
      await accepted([reasoning({ run_id: run, event_id: event })]);
      const path = (r: string, e: string) => `/api/event?environment_id=prod&run_id=${r}&event_id=${e}`;
      assert.equal((await s.get(path(run, event))).status, 200);
      assert.equal((await s.get(path(run, `${event}e`))).json.error.param, 'event_id');
      assert.equal((await s.get(path(`${run}-`, event))).json.error.param, 'run_id');
      const external = `${newRun()}${'🦊'.repeat(256)}`.slice(0, 40) + '🦊'.repeat(216);
      await s.session({ external_session_id: external, messages: [{ role: 'user', content: 'x' }] });
      const session = (id: string) => s.get(`/api/session?external_session_id=${encodeURIComponent(id)}`);
      assert.equal((await session(external)).json.session.external_session_id, external);
      assert.equal((await session(`${external}x`)).json.error.param, 'external_session_id');
    });
  });
}
