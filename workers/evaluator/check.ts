/** A check on its way through the evaluator. */
import { sequenceOf } from '../../shared/ids.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import type { WorkerConfiguration } from '../configuration-source.js';
import type { RawEntry } from '../consumer/consumer.js';

export interface Check {
  raw: RawEntry;
  header: WorkHeader;
  /** what it is evaluated by */
  configuration: WorkerConfiguration;
  /** why its last attempt failed */
  reason: string;
  /** its attempt is made on a thread that does nothing else */
  alone: boolean;
}

/** `header` names `configuration` from here on, whatever it named before, and so does the result. */
export function checkOf(raw: RawEntry, header: WorkHeader, configuration: WorkerConfiguration): Check {
  header.config = configuration.version;
  header.configId = configuration.id;
  return { raw, header, configuration, reason: 'its workers ended while they evaluated it', alone: false };
}

export const hasImages = ({ header }: Check): boolean => (header.images ?? 0) > 0;

/** A replayed dead letter keeps the sequence that it was submitted with. */
export function sequenceIn(raw: RawEntry, header: WorkHeader): number {
  return header.sequence ?? sequenceOf(raw.id);
}
