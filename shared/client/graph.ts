/** Reads the pages of a run graph (4.12), one after the other. */
import type { RunGraph } from '../api/types.js';
import type { Result } from './errors.js';

export interface RunGraphQuery {
  environment_id: string;
  run_id: string;
  /** most nodes of a page */
  limit?: number;
  /** `next_cursor` of the page before */
  cursor?: string;
}

/** Ends after the last page, or after the first failure, which it gives like a page. */
export async function* graphPages(
  ask: (query: RunGraphQuery) => Promise<Result<RunGraph>>,
  query: RunGraphQuery,
): AsyncGenerator<Result<RunGraph>, void, undefined> {
  let cursor = query.cursor;
  for (;;) {
    const page = await ask({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    yield page;
    if (!page.ok || page.value.next_cursor === null || page.value.next_cursor === undefined) return;
    // Without this, a cursor that leads to itself would never end.
    if (page.value.next_cursor === cursor) {
      const message = 'The page after this one is this one again: the service does not page as it should.';
      yield { ok: false, error: { type: 'protocol_error', message, status: 200, attempts: 1 } };
      return;
    }
    cursor = page.value.next_cursor;
  }
}
