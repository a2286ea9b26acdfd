import { answerOf } from '#weir/shared/api/results/answer';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { writeRecord } from '#weir/shared/api/results/write-record';

/** The answer of a batch, of a record that may have been changed after it was read. */
export function answerText(record: ResultRecord): string {
  const redacted = record.items.map((item) => item.redacted);
  return Buffer.from(answerOf(writeRecord(record), redacted)).toString();
}
