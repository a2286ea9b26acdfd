/** What a thread is given for an entry, and what `kinds/` makes of it before it is encoded. */
import type { RecordItem, ResultRecord, StoredItem } from '../../shared/api/results/record.js';
import type { Plan } from '../../shared/policy/plan.js';
import type { Answers } from '../../shared/policy/types.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import type { GatheredImage } from '../images/pipeline.js';
import type { RowItem } from '../rows/row-types.js';
import type { Indexes } from './images/content.js';

/** What the evaluator has looked up for an entry. */
export interface Gathered {
  /** by position in the batch: the event that a reference names; null: there is none; `unavailable`: it could not be looked up */
  references: Record<number, StoredItem | null | 'unavailable'>;
  /** earlier texts by conversation, oldest first */
  context: Record<string, string[]>;
  /** by item: the images that were looked at, or why they were not; absent where there are none */
  images?: Record<number, GatheredImage>;
  /** by item: what backends have said; absent: they have not been asked */
  answers?: ReadonlyMap<number, Answers>;
  /** by item: what its note says of what backends have not said */
  notes?: ReadonlyMap<number, string>;
  /** by `causeKey`: the events of declared causes, or `unavailable`; a cause that is missing does not resolve */
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
  /** it is evaluated so late that something submitted after it may have left Redis already */
  late: boolean;
  /** Unix ms at which it is evaluated; an argument, so that evaluating is a pure function */
  completed: number;
}

/** The outcome of an entry before it is encoded. */
export interface Draft {
  items: RecordItem[];
  rows: RowItem[];
  fragments: string[];
  /** entries of indexes that find this request */
  index: [key: string, member: string][];
  /** texts that later checks may look back on, and for how long where that is not the usual time */
  context: [key: string, members: string[], seconds?: number][];
  error: ResultRecord['error'];
}

const NONE: Answers = new Map();

/** What backends have said of the text of an item; undefined: they have not been asked. */
export const answersFor = ({ answers }: Gathered, item: number): Answers | undefined =>
  answers && (answers.get(item) ?? NONE);

/** What the note of an item says of what backends have not said; `unknown`: policies that could not be evaluated. */
export const unansweredNote = ({ notes }: Gathered, item: number, unknown: number): string =>
  (unknown > 0 && notes?.get(item)) || '';

export interface Fragments {
  list: string[];
  /** number of the text in the list */
  add(text: string): number;
}

/** Stores each distinct text once: policy maps and metadata recur within a batch. */
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
 * The flag of what could not be evaluated: true if the team fails closed, else null (decisions, Sync deadline and failures). Without a
 * plan the header tells, as ingress knew it.
 */
export function failClosed(plan: Plan | null, { team, failClosed }: WorkHeader): true | null {
  const closed = plan === null ? failClosed : plan.teams.get(team)?.failClosed;
  return closed === true ? true : null;
}
