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
 *
 * With `redact=reversible` ingress numbers the marks (`numbered-marks.ts`) and seals what they replace. Both need the body and nothing more, so
 * what is stored is the same.
 */
import { createMarkNumbers, type MarkNumbers } from './numbered-marks.js';
import type { Marked, RecordItem, Redacted, ResultRecord } from './record.js';

/** `blocked`: policies that it violates do not let it pass even so. */
export interface StoredRedaction extends Partial<Marked> {
  blocked?: 1;
  /** why there is no redacted content */
  why?: string;
  message?: Marked;
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

/** Seals what marks replace, by mark without its brackets; undefined: that is too large. */
export type SealValues = (values: ReadonlyMap<string, string>) => string | undefined;

/**
 * A record whose checked texts have their redacted content, or a note that says why not. `body`: of the request that was checked. `seal`: the
 * marks are numbered, and what they replace is sealed, by item.
 */
export function redactedRecord(record: ResultRecord, body: Buffer, seal?: SealValues): ResultRecord {
  const sealing = seal && { seal, numbers: createMarkNumbers(body) };
  return { ...record, items: record.items.map((item) => redactedItem(item, record, body, sealing)) };
}

interface Sealing {
  seal: SealValues;
  numbers: MarkNumbers;
}

const OWN_MARKS = 'the request itself has too many texts like marks, or writes them with escapes';
const TOO_LARGE = 'what would be sealed is too large';

/** The redaction with numbered marks, and what they replace; or why it cannot be made. */
function sealedRedaction(
  stored: StoredRedaction,
  { seal, numbers }: Sealing,
): Pick<StoredRedaction, 'at' | 'texts' | 'cuts' | 'message' | 'why'> & { sealed?: string } {
  const { at, texts = [], cuts = [], message } = stored;
  const values = new Map<string, string>();
  // The message has all marks of the content. What is numbered first is what is read first.
  const around = message && numbers.number(message, values);
  const content = at && numbers.number({ at, texts, cuts }, values);
  if ((message && !around) || (at && !content)) return { why: OWN_MARKS };
  const numbered = { ...content, ...(around ? { message: around } : {}) };
  if (values.size === 0) return numbered;
  const sealed = seal(values);
  return sealed === undefined ? { why: TOO_LARGE } : { ...numbered, sealed };
}

function redactedItem(item: RecordItem, record: ResultRecord, body: Buffer, sealing: Sealing | undefined): RecordItem {
  const { marks, note } = item;
  // A reference has no content of its own, and images are left as they are.
  if (item.type === 'artifact' || (marks === undefined && !isChecked(item))) return item;
  const stored = storedIn(item, record) ?? { why: NOT_ASKED };
  const shown: StoredRedaction & { sealed?: string } =
    sealing && stored.why === undefined ? sealedRedaction(stored, sealing) : stored;
  const { at, texts, cuts, message, why, sealed } = shown;
  const told = why === undefined ? '' : `not redacted: ${why}`;
  return {
    ...item,
    ...(at === undefined ? {} : { redacted: contentOf({ at, texts: texts ?? [], cuts: cuts ?? [] }, body) }),
    ...(message === undefined ? {} : { redactedMessage: contentOf(message, body) }),
    ...(sealed === undefined ? {} : { sealed }),
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
