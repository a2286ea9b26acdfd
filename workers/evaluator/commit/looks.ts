/** Answers looks at streams, which are no checks: nothing of them is stored. */
import type { Redis } from '../../../shared/streams/client.js';
import { GROUP, keys, type WorkStream } from '../../../shared/streams/keys.js';
import { type Argument, script } from '../../../shared/streams/script.js';
import { type SegmentsReference, segmentsKey } from '../../../shared/streams/segments.js';

const answer = script('work/answer-looks');

export interface AnsweredLook {
  entryId: string;
  requestId: string;
  /** id of the ingress process that waits; empty: none does */
  reply: string;
  answer: Buffer;
  /** where its window is, if that is large; else empty */
  segments: SegmentsReference;
}

/** Returns which of the looks this call has answered: another worker may have been first. */
export async function answerLooks(
  redis: Redis,
  { partition, lane }: WorkStream,
  looks: readonly AnsweredLook[],
): Promise<boolean[]> {
  const scriptKeys = [keys.checks(partition, lane)];
  const values: Argument[] = [GROUP];
  for (const { entryId, requestId, reply, answer: said, segments } of looks) {
    if (segments !== '') scriptKeys.push(segmentsKey(partition, segments));
    values.push(entryId, requestId, reply === '' ? '' : keys.reply(partition, reply), said, segments === '' ? '' : '1');
  }
  const done = (await answer(redis, scriptKeys, values)) as number[];
  return done.map((one) => one === 1);
}
