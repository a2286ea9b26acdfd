/** What is sent is checked, kept and given back as it was written (decisions, General and Events). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, POLICY } from '../../../e2e/configuration.ts';
import { newRun, type System } from '../../../e2e/system.ts';
import { pluck } from '../../../support/pluck.ts';

const NUMBERS = '{"n":12345678901234567890,"big":1e400,"one":1.0,"__proto__":{"constructor":-0}}';
const SPACED = '{ "n": 12345678901234567890, "big": 1e400,\n "one": 1.0, "__proto__": {"constructor": -0} }';

export function written(system: () => System): void {
  describe('what is sent', { concurrency: 4 }, () => {
    const post = (path: string, json: string) => system().post(path, Buffer.from(json));

    it('is given back as it was written, hot and archived, and is so in the rows of history [general.as-written] [general.prototype]', async () => {
      const run = newRun();
      const event = `{"type":"tool","event_id":"t","output":${SPACED},"metadata":${SPACED}}`;
      const answer = await post('/api/events', `{"environment_id":"prod","run_id":"${run}","events":[${event}]}`);
      assert.equal(answer.status, 200, answer.text);
      const id = answer.json.order[0].internal_event_id;
      const found = async (): Promise<string> => (await system().get(`/api/event/${id}?environment_id=prod`)).text;
      const hot = await found();
      assert.ok(await system().isHot(id), 'it was still in Redis');
      assert.ok(hot.endsWith(`"metadata":${NUMBERS}}`), hot);
      await system().cold(id);
      assert.equal(await found(), hot);
      const rows = await system().sql(`SELECT content, metadata FROM contents WHERE id = '${id}'`);
      assert.deepEqual(rows, [{ content: NUMBERS, metadata: NUMBERS }]);
    });

    it('is read in strings that are JSON, and in numbers [event.json-string] [event.json-content]', async () => {
      const card = CARD.replaceAll(' ', '');
      for (const said of [
        `{"card":${card}}`,
        JSON.stringify(`{"card":${card}}`),
        '"{\\"a\\":\\"\\\\u006fpen sesame\\"}"',
      ]) {
        const { json } = await post(
          '/api/event',
          `{"environment_id":"prod","event":{"type":"tool","arguments":${said}}}`,
        );
        assert.equal(json.flagged, true, said);
      }
    });

    it('with calls of tools is checked by what they say, as the last message [session.tool-calls]', async () => {
      const calls = [{ id: 'c', type: 'function', function: { name: 'pay', arguments: `{"card":"${CARD}"}` } }];
      for (const content of [null, '', undefined]) {
        const call = { role: 'assistant', ...(content === undefined ? {} : { content }), tool_calls: calls };
        const last = await system().session({ messages: [{ role: 'user', content: 'hi' }, call] });
        assert.deepEqual([last.json.flagged, last.json.policies[POLICY.card].flagged], [true, true]);
        const earlier = await system().session({ messages: [call, { role: 'tool', content: 'done' }] });
        assert.equal(earlier.json.flagged, false);
      }
    });

    it('with images in it says so, or is refused [event.images-within] [event.message-images] [session.earlier-parts]', async () => {
      const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
      const output = [{ type: 'text', text: 'here' }, image];
      const { json } = await system().post('/api/event', { environment_id: 'prod', event: { type: 'tool', output } });
      assert.deepEqual([json.flagged, json.event.status], [false, 'completed']);
      assert.equal(json.note, '1 image within the content was not looked at: output[1]');
      const event = { type: 'message', role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] };
      const refused = await system().post('/api/event', { environment_id: 'prod', event });
      const why = [refused.status, refused.json.error.code, refused.json.error.param];
      assert.deepEqual(why, [400, 'unsupported_content_part', 'event.content[0]']);
      const earlier = [
        { role: 'user', content: [{ type: 'image_url' }, { type: 'audio' }] },
        { role: 'user', content: 'hi' },
      ];
      assert.equal((await system().session({ messages: earlier })).json.flagged, false);
    });

    it('in the wrong place is refused, and external_session_id beside an event is taken [general.misplaced] [general.parent_event_id] [event.session-beside]', async () => {
      const event = { type: 'reasoning', content: 'x' };
      const wrong = await system().post('/api/event', { environment_id: 'prod', event, metadata: {} });
      assert.deepEqual([wrong.status, wrong.json.error.param], [400, 'metadata']);
      assert.match(wrong.json.error.message, /belongs into event/);
      const parent = await system().post('/api/events', {
        environment_id: 'prod',
        events: [{ ...event, parent_event_id: 'p' }],
      });
      assert.match(parent.json.error.message, /use parent\.event_id/);
      const beside = await system().post('/api/event', {
        environment_id: 'prod',
        event,
        external_session_id: 'beside',
      });
      assert.equal(beside.json.event.external_session_id, 'beside');
    });

    it('in a short form is checked, linked and kept as if it were sent in full [event.short-references] [event.role-postfix] [event.scalar-content]', async () => {
      const run = newRun();
      const message = { type: 'message', role: 'user', event_id: 'm1', content: 'hi' };
      const reply = { type: 'message', role: 'assistant-2', event_id: 'm2', content: 'a@example.org', parent: 'm1' };
      const tool = { type: 'tool', event_id: 't', output: Number(CARD.replaceAll(' ', '')), links: ['m1', 'm2'] };
      const { json } = await system().events([message, reply, tool], { run_id: run });
      assert.deepEqual(pluck(json.order, 'flagged'), [false, true, true]);
      const [m1, m2, t] = pluck(json.order, 'internal_event_id') as [string, string, string];
      const graph = async (): Promise<unknown> => {
        const found = await system().get(`/api/run/graph?environment_id=prod&run_id=${run}`);
        assert.deepEqual(pluck(found.json.nodes, 'role'), ['user', 'assistant', undefined]);
        return pluck(found.json.edges, 'kind', 'source', 'target', 'relation', 'resolved');
      };
      const edges = [
        ['parent', m1, m2, undefined, true],
        ['link', m1, t, 'caused_by', true],
        ['link', m2, t, 'caused_by', true],
      ];
      assert.deepEqual(await graph(), edges);
      await system().cold(m1);
      assert.deepEqual(await graph(), edges);
      const rows = await system().sql(`SELECT content FROM contents WHERE id = '${t}'`);
      assert.deepEqual(rows, [{ content: String(tool.output) }]);
    });

    it('that fails counts, and causes of a reference are kept out [batch.failed] [event.reference-links]', async () => {
      const { json } = await system().events([
        { type: 'artifact', content: { kind: 'image', data: 'AAAA' } },
        { type: 'reasoning', event_id: 'e', run_id: newRun(), parent: { event_id: 'p' } },
      ]);
      assert.deepEqual([json.failed, json.flagged], [1, false]);
      assert.equal(json.results.reasoning.e.note, 'no such event; parent and links are kept out of a reference');
    });
  });
}
