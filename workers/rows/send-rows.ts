/** Sends rows to ClickHouse: one INSERT, which is one part in each table. Rows replace themselves, so it needs no token. */
import { Readable } from 'node:stream';
import { ClickHouseError } from '@clickhouse/client';
import { FOREGROUND, type HistoryClient, UNFINISHED } from '../../shared/history/client.js';

/** These make one INSERT one part in each table, and store it whatever was stored before. */
export const INSERT_SETTINGS = {
  ...FOREGROUND,
  // What a table knows of a block may be stored without the block, when the engine is killed at that moment. A repetition would then
  // store nothing, and replicas forget a block that was dropped with its part. Servers differ in which of the two they follow for a
  // table behind a view.
  insert_deduplicate: 0,
  deduplicate_blocks_in_dependent_materialized_views: 0,
  async_insert: 0,
  max_insert_block_size: '1000000000',
  min_insert_block_size_rows: '1000000000',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  input_format_parallel_parsing: 0,
  // A replayed dead letter may be of any day.
  max_partitions_per_insert_block: '0',
  // Rows of one block are different: there is nothing to merge.
  optimize_on_insert: 0,
} as const;

/** Errors of ClickHouse that are the fault of a row, by code: the same row fails again. Any other error may pass. */
const ROW_FAULTS: Readonly<Record<string, string>> = {
  '3': 'UNEXPECTED_END_OF_FILE',
  '6': 'CANNOT_PARSE_TEXT',
  '25': 'CANNOT_PARSE_ESCAPE_SEQUENCE',
  '26': 'CANNOT_PARSE_QUOTED_STRING',
  '27': 'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  '32': 'ATTEMPT_TO_READ_AFTER_EOF',
  '33': 'CANNOT_READ_ALL_DATA',
  '38': 'CANNOT_PARSE_DATE',
  '41': 'CANNOT_PARSE_DATETIME',
  '69': 'ARGUMENT_OUT_OF_BOUND',
  '70': 'CANNOT_CONVERT_TYPE',
  '72': 'CANNOT_PARSE_NUMBER',
  '117': 'INCORRECT_DATA',
  '128': 'TOO_LARGE_ARRAY_SIZE',
  '131': 'TOO_LARGE_STRING_SIZE',
  '153': 'ILLEGAL_DIVISION',
  '190': 'SIZES_OF_ARRAYS_DONT_MATCH',
  '321': 'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
  '349': 'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
  '376': 'CANNOT_PARSE_UUID',
  '395': 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
  '407': 'DECIMAL_OVERFLOW',
  '441': 'CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING',
  '467': 'CANNOT_PARSE_BOOL',
  '469': 'VIOLATED_CONSTRAINT',
  '675': 'CANNOT_PARSE_IPV4',
  '676': 'CANNOT_PARSE_IPV6',
  '691': 'UNKNOWN_ELEMENT_OF_ENUM',
};

/** Code of what a function throws, as a table does that is not whole. */
const THROWN = '395';

/** Names of usual errors that may pass, by code. */
const PASSING: Readonly<Record<string, string>> = {
  '16': 'NO_SUCH_COLUMN_IN_TABLE',
  '60': 'UNKNOWN_TABLE',
  '159': 'TIMEOUT_EXCEEDED',
  '194': 'REQUIRED_PASSWORD',
  '241': 'MEMORY_LIMIT_EXCEEDED',
  '242': 'TABLE_IS_READ_ONLY',
  '252': 'TOO_MANY_PARTS',
  '285': 'TOO_FEW_LIVE_REPLICAS',
  '319': 'UNKNOWN_STATUS_OF_INSERT',
  '497': 'ACCESS_DENIED',
  '516': 'AUTHENTICATION_FAILED',
};

/**
 * ClickHouse has answered an INSERT with an error. The message says which, and of which constraint or view, but quotes no row. That of
 * ClickHouse may; so its code counts: the client reads the type from the midst of the message.
 */
export class NotInserted extends Error {
  readonly code: string;
  /** a row is at fault, and fails again */
  readonly rowFault: boolean;

  constructor({ code, message }: ClickHouseError) {
    // Another message may quote a row that says so.
    const isUnfinished = code === THROWN && message.includes(UNFINISHED);
    const fault = isUnfinished ? undefined : ROW_FAULTS[code];
    super(isUnfinished ? UNFINISHED : `${fault ?? PASSING[code] ?? `error ${code}`}${placeIn(message)}`);
    this.code = code;
    this.rowFault = fault !== undefined;
  }
}

function placeIn(message: string): string {
  const constraint = /^Constraint `?(\w+)`? for table `?([\w.]+)`? is violated at row /.exec(message);
  if (constraint) return ` (constraint ${constraint[1]} of ${constraint[2]})`;
  const view = /: while pushing to view `?(\w+\.checked_\w+)`?\.? *$/.exec(message);
  return view ? ` (view ${view[1]})` : '';
}

/** `rows`: bytes of the format that `query` names. Rejects when ClickHouse does not acknowledge them. */
export async function sendRows(
  client: HistoryClient,
  query: string,
  rows: Iterable<Buffer> | AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { stream } = await client.exec({
      query,
      values: Readable.from(rows, { objectMode: false }),
      clickhouse_settings: INSERT_SETTINGS,
      abort_signal: signal,
    });
    // Only when the answer has been read is the insert known to have ended, and does the socket return to the pool.
    for await (const _ of stream) {
      // INSERT answers with nothing
    }
  } catch (error) {
    throw error instanceof ClickHouseError ? new NotInserted(error) : error;
  }
}
