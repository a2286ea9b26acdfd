/**
 * All look-ups in history. Every value is a bound parameter, and every query has a time limit. Team and scope are part of each
 * key, so an item of another team is not found, like one that does not exist.
 */
import { type AppealQueries, appealQueries } from './appeals.js';
import { type AskOptions, createAsk } from './ask.js';
import type { Asker } from './asker.js';
import { type AuditQueries, auditQueries } from './audit.js';
import { type ContentQueries, contentQueries } from './contents.js';
import { type ConversationQueries, conversationQueries } from './conversation.js';
import { type FiguresQueries, figuresQueries } from './figures.js';
import { type FoundTextQueries, foundTextQueries } from './found-text.js';
import { type GraphQueries, graphQueries } from './graph.js';
import { type ItemQueries, itemQueries } from './items.js';
import { type LabelQueueQueries, labelQueueQueries } from './label-queue.js';
import { type LabelQueries, labelQueries } from './labels.js';
import { type NameQueries, nameQueries } from './names.js';
import { type PastQueries, pastQueries } from './past.js';
import { createReplicaCheck } from './replica.js';
import { type RiskQueries, riskQueries } from './risk.js';
import { type StoredPageQueries, storedPageQueries } from './stored-page.js';

/** All throw `HistoryUnavailable` when ClickHouse cannot be asked. */
export interface HistoryQueries
  extends ItemQueries,
    ContentQueries,
    NameQueries,
    GraphQueries,
    RiskQueries,
    LabelQueries,
    LabelQueueQueries,
    AppealQueries,
    PastQueries,
    FiguresQueries,
    StoredPageQueries,
    FoundTextQueries,
    ConversationQueries,
    AuditQueries {}

export interface QueryOptions extends Omit<AskOptions, 'upToDate'> {
  /** ms that results stay in Redis after they are archived; absent: rows are never taken for missing */
  hotMs?: number;
  /** options of the run queries (`GraphQueries`) that differ from these */
  runs?: Omit<AskOptions, 'onFailure' | 'upToDate'>;
}

/**
 * Run queries are costly. They have a queue and a breaker of their own, so that many or failing ones do not affect look-ups of
 * single items.
 */
const RUNS_AT_ONCE = 3;

/** Lists and figures read many rows. They wait for each other, and never before a look-up or a check, from which they would take the processors. */
const PAST = { atOnce: 2, memoryBytes: 1024 ** 3, priority: 1 } as const;
/** ms that one may take, and wait, at least; where a look-up may take longer, as long. */
const PAST_MS = 5000;

export function createHistoryQueries(client: Asker, options: QueryOptions = {}): HistoryQueries {
  const replica = options.hotMs === undefined ? {} : { upToDate: createReplicaCheck(client, options.hotMs) };
  const ask = createAsk(client, { ...options, ...replica });
  const askRuns = createAsk(client, { ...options, ...replica, atOnce: RUNS_AT_ONCE, ...options.runs });
  const pastMs = Math.max(PAST_MS, options.timeoutMs ?? 0);
  const askPast = createAsk(client, { ...options, ...replica, ...PAST, timeoutMs: pastMs, waitMs: pastMs });
  return {
    ...itemQueries(ask),
    ...contentQueries(ask),
    ...nameQueries(ask),
    ...graphQueries(askRuns),
    ...riskQueries(ask),
    ...labelQueries(ask),
    ...labelQueueQueries(askRuns),
    ...appealQueries(ask, askPast),
    ...pastQueries(askPast),
    ...figuresQueries(askPast),
    ...storedPageQueries(askPast),
    ...foundTextQueries(askPast),
    ...conversationQueries(askPast),
    ...auditQueries(askPast),
  };
}
