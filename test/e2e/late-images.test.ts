/** An image whose origin takes its time. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Origin, startOrigin } from '../support/origin.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/wait.ts';
import { newRun, type System, startSystem } from './system.ts';

/** Less than an artifact's own fetch may take (10 s). */
const DEADLINE_MS = 5000;
/** Answers what the origin is asked for. */
let answerNow: () => void;

let system: System;
let origin: Origin;

before(async () => {
  const image = await picture('photo', 3, 64, 64);
  origin = await startOrigin((_, response) => {
    answerNow = () => response.end(image);
  });
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

describe('an image that comes late', () => {
  it('is processing at the deadline, and finished when it has come [3.artifact-processing] [3.artifact-transitions] [deadline.artifact]', async () => {
    const external = newRun('artifact');
    const content = { kind: 'image', url: `http://127.0.0.1:${origin.port}/late` };
    const started = performance.now();
    const answer = await system.post('/api/artifact', { content, external_artifact_id: external });
    assert.equal(answer.status, 200);
    assert.ok(performance.now() - started > DEADLINE_MS - 500);
    answerNow();
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
});
