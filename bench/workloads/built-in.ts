/** Workloads that code describes rather than a file. Each needs a stack of its own. */
import type { Extra } from '../installation/target.js';
import type { BenchOutcome } from '../measurement/session.js';
import type { Bench } from '../measurement/stages.js';

export interface BuiltIn {
  /** what the stack is given beside the options */
  extra: Extra;
  run(bench: Bench): Promise<BenchOutcome>;
  close(): Promise<void>;
}
