/**
 * What `redact=true` adds to the answer of a check: the content of an item as it was sent, with marks in place of what was found.
 *
 * An evaluator stores where the marks go, and never the content. Ingress, which still has the body, puts them there:
 *
 *     {"at":[120,158],"texts":["[CREDIT_CARD]"],"cuts":[5,19,0]}      or      {"why":"it could not be evaluated"}
 *
 * Offsets are bytes of the body. `at` is the content. `cuts` has three numbers for each mark: bytes that stay since the one before, bytes
 * that it replaces, and its place in `texts`. Most contents have no mark: of those only `at` is stored, in the head of the record.
 * `message` has the same of the message around the content, where something was found beside it.
 */
import type { ContentAt, RecordItem, Redacted, ResultRecord } from './record.js';

/** `blocked`: policies that it violates do not let it pass even so. */
export interface StoredRedaction extends Partial<Marked> {
  blocked?: 1;
  /** why there is no redacted content */
  why?: string;
  message?: Marked;
}

export interface Marked {
  at: ContentAt;
  texts?: string[];
  cuts?: number[];
}

function storedIn({ marks }: RecordItem, { fragments }: ResultRecord): StoredRedaction | undefined {
  if (marks === undefined) return undefined;
  return typeof marks === 'number' ? (JSON.parse(fragments[marks]!) as StoredRedaction) : { at: marks };
}

/** The policies that the item violates let it pass with its marks. */
export function mayPass(item: RecordItem, record: ResultRecord): boolean {
  const stored = storedIn(item, record);
  return stored !== undefined && stored.blocked !== 1;
}

const NOT_ASKED = 'the check was begun without redact=true, or its marks are no longer there';

/** A record whose checked texts have their redacted content, or a note that says why not. `body`: of the request that was checked. */
export function redactedRecord(record: ResultRecord, body: Buffer): ResultRecord {
  return { ...record, items: record.items.map((item) => redactedItem(item, record, body)) };
}

function redactedItem(item: RecordItem, record: ResultRecord, body: Buffer): RecordItem {
  const { marks, note } = item;
  // A reference has no content of its own, and images are left as they are.
  if (item.type === 'artifact' || (marks === undefined && !isChecked(item))) return item;
  const { at, texts, cuts, message, why } = storedIn(item, record) ?? { why: NOT_ASKED };
  const told = why === undefined ? '' : `not redacted: ${why}`;
  return {
    ...item,
    ...(at === undefined ? {} : { redacted: contentOf({ at, texts: texts ?? [], cuts: cuts ?? [] }, body) }),
    ...(message === undefined ? {} : { redactedMessage: contentOf(message, body) }),
    note: [note, told].filter((each) => each !== '').join('; '),
  };
}

const isChecked = ({ status, target }: RecordItem): boolean =>
  target === null && (status === 'completed' || status === 'failed');

/** JSON of the content with its marks. */
function contentOf({ at: [start, end], texts = [], cuts = [] }: Marked, body: Buffer): Redacted {
  return (encoding) => {
    let json = '';
    let from = start;
    for (let i = 0; i < cuts.length; i += 3) {
      const cut = from + cuts[i]!;
      const text = Buffer.from(texts[cuts[i + 2]!]!).toString(encoding);
      json += body.toString(encoding, from, cut) + text;
      from = cut + cuts[i + 1]!;
    }
    return json + body.toString(encoding, from, end);
  };
}
