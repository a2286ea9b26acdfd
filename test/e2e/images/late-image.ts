/** An image whose origin takes its time. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { picture } from '../../support/images/pictures.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { until } from '../../support/wait.ts';
import { type CallOptions, newRun, type System } from '../system.ts';

/** An origin of one image, which answers only when it is told to. */
export interface LateOrigin {
  origin: Origin;
  answerNow(): void;
}

export async function startLateOrigin(): Promise<LateOrigin> {
  const image = await picture('photo', 3, 64, 64);
  let answer = (): void => {};
  const origin = await startOrigin((_, response) => {
    answer = () => response.end(image);
  });
  return { origin, answerNow: () => answer() };
}

/** `deadlineMs`: that of the system, less than an artifact's own fetch may take (10 s). `more`: of the body. */
export function lateImage(
  late: () => LateOrigin,
  system: () => System,
  deadlineMs: number,
  options: CallOptions,
  more: object,
): void {
  after(() => late()?.origin.close());

  it('an image that comes late is processing at the deadline, and finished when it has come [3.artifact-processing] [3.artifact-transitions] [deadline.artifact]', async () => {
    const external = newRun('artifact');
    const content = { kind: 'image', url: `http://127.0.0.1:${late().origin.port}/late` };
    const started = performance.now();
    const body = { content, external_artifact_id: external, ...more };
    const answer = await system().post('/api/artifact', body, options);
    assert.equal(answer.status, 200);
    assert.ok(performance.now() - started > deadlineMs - 500);
    late().answerNow();
    const { json } = answer;
    assert.deepEqual([json.status, json.flagged, json.policies], ['processing', null, {}]);
    const id = json.internal_artifact_id;
    for (const query of [`internal_artifact_id=${id}`, `external_artifact_id=${external}`]) {
      const seen: string[] = [];
      await until('it is finished', async () => {
        const found = await system().get(`/api/artifact/get_by_id?${query}`, options);
        assert.equal(found.json.internal_artifact_id, id);
        if (seen.at(-1) !== found.json.status) seen.push(found.json.status);
        return found.json.status !== 'processing';
      });
      assert.equal(seen.at(-1), 'completed');
      assert.ok(seen.length <= 2);
    }
  });
}
