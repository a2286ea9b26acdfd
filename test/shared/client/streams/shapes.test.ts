import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { guardStream, WeirViolation } from '#weir/shared/client/index';
import { until } from '../../../support/wait.ts';
import { RECORDED, type RecordedStream, type Said } from './recorded.ts';
import { CODE, collect, sourceOf, streamService } from './support.ts';

const SAID: Said = {
  text: 'A table by the window is free at eight. Shall I?',
  call: '{"seats": 2, "at": "20:00", "note": "window"}',
};

describe('a guarded stream of a model', () => {
  const service = streamService();
  let name = '';
  let named = 0;
  beforeEach(() => {
    name = `m${named++}`;
  });
  const guard = (source: AsyncIterable<unknown>, streamId = name) =>
    guardStream(source, { client: service.client(), environment_id: 'prod', streamId });
  const sent = (streamId = name): string[] =>
    [...service.streams].flatMap(([id, { text }]) => (id.startsWith(`${streamId}-`) ? [text] : []));

  async function assertHandsOn({ chunks, sent: expected }: RecordedStream): Promise<void> {
    const all = chunks(SAID);
    const { chunks: seen, error } = await collect(guard(sourceOf(all)));
    assert.equal(error, undefined);
    assert.equal(seen.length, all.length);
    assert.ok(
      seen.every((chunk, n) => chunk === all[n]),
      'the same objects, in their order',
    );
    assert.deepEqual(sent(), expected(SAID));
    assert.ok([...service.streams.values()].every(({ final }) => final));
  }

  async function assertHoldsBack({ chunks }: RecordedStream, said: Said, streamId: string): Promise<void> {
    const source = sourceOf(chunks(said));
    const { chunks: seen, error } = await collect(guard(source, streamId));
    assert.ok(error instanceof WeirViolation);
    assert.doesNotMatch(JSON.stringify(seen), /CODE/);
    const streams = [...service.streams].filter(([id]) => id.startsWith(`${streamId}-`));
    await until('all streams are closed', () => streams.every(([, { final }]) => final));
  }

  for (const [kind, recorded] of Object.entries(RECORDED)) {
    it(`hands on ${kind} as they are, and checks each of their texts`, () => assertHandsOn(recorded));

    it(`holds back ${kind} from what violates a policy, in the text and in a call`, async () => {
      await assertHoldsBack(recorded, { ...SAID, text: `It is ${CODE}, I think.` }, `${name}t`);
      await assertHoldsBack(recorded, { ...SAID, call: `{"seats":2,"note":"it is ${CODE}, I think"}` }, `${name}c`);
    });
  }

  it('finds what is cut by a citation', async () => {
    const { chunks } = RECORDED['Messages of Anthropic']!;
    await assertHoldsBack(
      { chunks, sent: () => [] },
      { ...SAID, text: `${'x'.repeat(40)} ${CODE}${'x'.repeat(41)}` },
      name,
    );
  });

  it('checks what goes on after its end as another stream', async () => {
    const chunk = (content: string, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason }],
    });
    const all = [chunk('One.', 'stop'), chunk('Two.', 'stop')];
    assert.equal((await collect(guard(sourceOf(all)))).chunks.length, 2);
    assert.deepEqual(sent(), ['One.', 'Two.']);
  });
});
