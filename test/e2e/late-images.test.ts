/** Images whose origin takes its time: who waits for them, how long, and what comes of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Origin, startOrigin } from '../support/origin.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/wait.ts';
import { newRun, type System, startSystem } from './system.ts';

/** Less than an artifact's own fetch may take (10 s). */
const DEADLINE_MS = 5000;
/** What the origin is asked for and has not answered yet, by path. */
const held = new Map<string, () => void>();

let system: System;
let origin: Origin;

before(async () => {
  const image = await picture('photo', 3, 64, 64);
  origin = await startOrigin((request, response) => held.set(request.url!, () => response.end(image)));
  const env = {
    WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port}`,
    WEIR_DEADLINE_MS: String(DEADLINE_MS),
    WEIR_MAX_SLOW_AGE_MS: '20000',
    WEIR_DECODERS: '1',
  };
  system = await startSystem({ env });
});
after(async () => {
  await system?.close();
  await origin?.close();
});

const slow = (path = `/${newRun()}`): object => ({ kind: 'image', url: `http://127.0.0.1:${origin.port}${path}` });

describe('an image that comes late', { concurrency: true }, () => {
  it('is processing at the deadline, and finished when it has come [3.artifact-processing] [3.artifact-transitions] [deadline.artifact]', async () => {
    const external = newRun('artifact');
    const started = performance.now();
    const answer = await system.post('/api/artifact', { content: slow('/late'), external_artifact_id: external });
    assert.equal(answer.status, 200);
    assert.ok(performance.now() - started > DEADLINE_MS - 500);
    held.get('/late')!();
    const { json } = answer;
    assert.deepEqual([json.status, json.flagged, json.policies], ['processing', null, {}]);
    const id = json.internal_artifact_id;
    for (const query of [`internal_artifact_id=${id}`, `external_artifact_id=${external}`]) {
      const seen: string[] = [];
      await until('it is finished', async () => {
        const found = await system.get(`/api/artifact/get_by_id?${query}`);
        assert.equal(found.json.internal_artifact_id, id);
        if (seen.at(-1) !== found.json.status) seen.push(found.json.status);
        return found.json.status !== 'processing';
      });
      assert.equal(seen.at(-1), 'completed');
      assert.ok(seen.length <= 2);
    }
  });

  it('fails in a batch before the deadline, and what stands beside it is answered', async () => {
    const { status, json } = await system.post('/api/events', {
      environment_id: 'prod',
      run_id: newRun(),
      events: [
        { type: 'artifact', event_id: 'late', content: slow() },
        { type: 'message', role: 'user', event_id: 'm1', content: 'open sesame' },
      ],
    });
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(json.results.artifact.late.event.status, 'failed');
    assert.deepEqual(json.results.artifact.late.policies, {});
    assert.deepEqual([json.flagged, json.results.message.m1.flagged], [true, true]);
  });

  it('makes a session an error, unless something else is flagged', async () => {
    const say = (text: string): object => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'artifact', content: slow() },
          ],
        },
      ],
    });
    const [clean, flagged] = await Promise.all(
      ['hello', 'open sesame'].map((text) => system.post('/api/session/check', say(text))),
    );
    assert.deepEqual([clean!.status, clean!.json.error.code], [503, 'unavailable']);
    assert.deepEqual([flagged!.status, flagged!.json.flagged], [200, true]);
  });
});
