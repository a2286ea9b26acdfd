/** What a thread is given, and what the readers of a body make of it before it is encoded. */
import type { RecordItem, ResultRecord, StoredItem } from '../../shared/api/results/record.js';
import type { Plan } from '../../shared/policy/plan.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import type { GatheredImage } from '../images/pipeline.js';
import type { RowItem } from '../rows/row-types.js';
import type { Indexes } from './images/content.js';

/** What the evaluator looked up for an entry before a thread took it. */
export interface Gathered {
  /** by position in the batch: the event a reference names, null when there is none, `unavailable` when nobody could say */
  references: Record<number, StoredItem | null | 'unavailable'>;
  /** earlier texts by conversation, oldest first */
  context: Record<string, string[]>;
  /** by item: the images that were looked at, or why they were not; absent where nothing is to be looked at */
  images?: Record<number, GatheredImage>;
  /** by `causeKey`: the events that declared causes are, or that nobody could look up; those that are not here do not resolve */
  causes?: Record<string, { id: string } | 'unavailable'>;
}

export interface Entry {
  /** id of the work entry in its stream */
  id: string;
  header: WorkHeader;
  body: Uint8Array;
  gathered: Gathered;
  /** lists of known hashes; those that cannot be searched are missing */
  indexes: Indexes;
  /** it is evaluated so long after it was submitted that something newer may have left Redis before */
  late: boolean;
  /** Unix ms at which it is evaluated: given, so that the outcome is a function of its arguments */
  completed: number;
}

/** What the readers of a body hand back, before it is encoded. */
export interface Draft {
  items: RecordItem[];
  rows: RowItem[];
  fragments: string[];
  /** what finds this request again */
  index: [key: string, member: string][];
  /** texts that later checks may look back on */
  context: [key: string, members: string[]][];
  error: ResultRecord['error'];
}

export interface Fragments {
  list: string[];
  /** number of the text in the list */
  add(text: string): number;
}

/** Numbers each distinct text: policy maps and metadata recur within a batch. */
export function fragmentTable(): Fragments {
  const list: string[] = [];
  const numbers = new Map<string, number>();
  return {
    list,
    add(text) {
      let number = numbers.get(text);
      if (number === undefined) {
        number = list.push(text) - 1;
        numbers.set(text, number);
      }
      return number;
    },
  };
}

/**
 * What "could not be evaluated" means for the team of an entry: nothing, or flagged (decisions, Sync deadline and
 * failures). Without a plan the header says it, as ingress knew it.
 */
export function failClosed(plan: Plan | null, { team, failClosed }: WorkHeader): true | null {
  const closed = plan === null ? failClosed : plan.teams.get(team)?.failClosed;
  return closed === true ? true : null;
}
