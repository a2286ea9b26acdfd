import { encodeRecord, type ResultRecord } from '#weir/shared/api/results/record';

/** A record as Redis has it, as text. */
export const recordText = (record: ResultRecord): string => encodeRecord(record).toString();
