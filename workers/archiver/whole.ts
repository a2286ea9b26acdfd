/**
 * Whether all views are there that store the rows of checks. The tables into which an archiver inserts keep nothing themselves. `RESTORE` makes
 * them before their views, and ClickHouse would acknowledge rows meanwhile that nothing stores.
 *
 *     unsure ──all views are there──> sure ──an INSERT fails, or none was begun for two seconds──> unsure
 *
 * - *unsure*: ClickHouse is asked before the next INSERT, which fails while a view is missing. So it is after a start.
 * - *sure*: nothing is asked, so what archives all the time pays nothing.
 */
import type { HistoryClient } from '../../shared/history/client.js';

/** The views of each table. A test holds them to the migrations. */
export const VIEWS_OF: Readonly<Record<string, readonly string[]>> = {
  checked: ['checked_contents', 'checked_items', 'checked_names', 'checked_run_events', 'checked_users'],
  checked_with_images: ['checked_image_names', 'checked_image_rows', 'checked_images_handed_on'],
  checked_with_shadow: ['checked_shadow_images_handed_on', 'checked_shadow_rows', 'checked_shadow_texts_handed_on'],
};

/** Longer than a round of an archiver. */
const SURE_MS = 2000;

export interface WholeHistory {
  /** Runs an INSERT once it is sure that all views are there. Rejects as the INSERT does, and where one is missing. */
  insert(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
}

export function createWholeHistory(clickhouse: HistoryClient, sureMs = SURE_MS): WholeHistory {
  /** ms of the steady clock */
  let sureUntil = Number.NEGATIVE_INFINITY;

  async function missing(signal: AbortSignal): Promise<string[]> {
    const result = await clickhouse.query({
      // Of each table the views that get its rows.
      query:
        'SELECT name, dependencies_table AS views FROM system.tables WHERE database = currentDatabase() AND name IN {tables:Array(String)}',
      query_params: { tables: Object.keys(VIEWS_OF) },
      format: 'JSONEachRow',
      abort_signal: signal,
    });
    const there = new Map((await result.json<{ name: string; views: string[] }>()).map((one) => [one.name, one.views]));
    return Object.entries(VIEWS_OF).flatMap(([table, views]) =>
      there.has(table) ? views.filter((view) => !there.get(table)!.includes(view)) : [table],
    );
  }

  return {
    async insert(work, signal) {
      const started = performance.now();
      try {
        if (started > sureUntil) {
          const lacking = await missing(signal);
          if (lacking.length > 0) {
            throw new Error(
              `history lacks ${lacking.join(', ')}, so nothing is stored: it is being restored or migrated, or that was cut off (weir migrate)`,
            );
          }
        }
        await work();
        sureUntil = started + sureMs;
      } catch (error) {
        sureUntil = Number.NEGATIVE_INFINITY;
        throw error;
      }
    },
  };
}
