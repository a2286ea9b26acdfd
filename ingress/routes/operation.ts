/** What operators ask of the installation, over all teams, and have tried again. Nothing that callers have sent. */
import { validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import type {
  DeadLetterPage,
  DeadLetterSummary,
  OperationStatus,
  PartitionState,
  RedisState,
  RefusedPage,
  ReplayResult,
} from '../../shared/api/operation.js';
import { timestamp } from '../../shared/api/results/render.js';
import type { CheckInput, ReplayInput } from '../../shared/api/validate/issues.js';
import type { RedisNodeStatus } from '../../shared/operation/redis-state.js';
import type { PartitionStatus, Status } from '../../shared/operation/state.js';
import { type DeadLetter, NotReplayed, replayObstacle } from '../../shared/streams/dead-letters.js';
import { type EntryPlace, placeFrom, placeText, timeOf } from '../../shared/streams/partition-entries.js';
import { actorOf } from '../audit/actor.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readNumber, readQuery } from '../http/query.js';
import { sendJson } from '../http/response.js';
import type { KnownPage, PlaceQuestion } from '../operation/operation.js';
import { answering } from './body.js';

async function getStatus(edge: Edge, exchange: Exchange): Promise<void> {
  sendJson(edge, exchange, JSON.stringify(statusOf(await edge.operation.status())));
}

function statusOf(status: Status): OperationStatus {
  const { live, identity, hooks, redis } = status;
  const names = (members: readonly { name: string }[]): string[] => members.map(({ name }) => name);
  return {
    refusing: status.refusing,
    ...(status.region ? { region: status.region.name } : {}),
    configuration: status.configuration,
    unable: Object.entries(status.unable).map(([name, reason]) => ({ name, reason })),
    behind: names(live.ingress.filter(({ inForce }) => inForce !== identity)),
    processes: {
      ingress: names(live.ingress),
      evaluators: names(live.worker),
      archivers: names(live.archiver),
      metrics: names(live.metrics),
      hooks: names(live.hooks),
    },
    formats: Object.entries(status.formats).map(([newest, count]) => ({ newest: Number(newest), processes: count })),
    redis: redis.nodes
      ? redis.nodes.map((node) => ({ address: node.address, ...redisState(node) }))
      : [redisState(redis)],
    clickhouse: status.clickhouse ?? null,
    metrics_in_use: status.metrics,
    webhooks: { in_use: hooks.inUse, waiting: hooks.waiting, given_up: hooks.dead, dropped: hooks.dropped },
    partitions: status.partitions.map(partitionState),
    partitions_away: status.away,
    unread: status.unread,
  };
}

const ROLES: Readonly<Record<string, RedisState['role']>> = { master: 'primary', slave: 'replica' };

const redisState = ({ role, replicas, refuses, memoryRatio }: Omit<RedisNodeStatus, 'address'>): RedisState => ({
  role: ROLES[role] ?? 'unknown',
  replicas,
  refuses,
  memory_share: memoryRatio,
});

const partitionState = (of: PartitionStatus): PartitionState => ({
  partition: of.partition,
  entries: of.entries,
  pending: of.pending,
  oldest_unread_ms: Math.round(of.oldestUnread),
  consumers: of.consumers,
  unarchived: of.unarchived,
  archive_lag_ms: Math.round(of.archiveLag),
  dead_letters: of.deadLetters,
  refused: of.refused,
  refused_full: of.refusedFull,
  unmeasured: of.unmeasured,
  metrics_dropped: of.metricsDropped,
  unnotified: of.unnotified,
  hooks_dropped: of.hooksDropped,
});

async function getDeadLetters(edge: Edge, exchange: Exchange): Promise<void> {
  const page = await edge.operation.deadLetters(questionOf(exchange));
  const answer: DeadLetterPage = { dead_letters: page.entries.map(deadLetter), ...pageEnd(page) };
  sendJson(edge, exchange, JSON.stringify(answer));
}

function deadLetter(letter: DeadLetter): DeadLetterSummary {
  const { header, reason, attempts, bodyBytes } = letter;
  return {
    dead_letter: placeText(letter),
    given_up_at: timestamp(timeOf(letter)),
    reason,
    attempts,
    ...(header
      ? {
          kind: header.kind,
          request_id: header.id,
          team: header.team,
          scope: header.scope,
          received_at: timestamp(header.received),
        }
      : {}),
    body_bytes: bodyBytes,
    obstacle: replayObstacle(letter) ?? null,
  };
}

async function getRefused(edge: Edge, exchange: Exchange): Promise<void> {
  const page = await edge.operation.refused(questionOf(exchange));
  const refused = page.entries.map(({ request, reason, rowBytes, ...place }) => ({
    refused: placeText(place),
    finished_at: timestamp(timeOf(place)),
    reason,
    ...(request === '' ? {} : { request_id: request }),
    row_bytes: rowBytes,
  }));
  sendJson(edge, exchange, JSON.stringify({ refused, ...pageEnd(page) } satisfies RefusedPage));
}

/** Throws 400. */
function questionOf({ query }: Exchange): PlaceQuestion {
  const { after, limit } = readQuery(query, ['after', 'limit']);
  const place = after === '' ? undefined : placeFrom(after);
  if (after !== '' && !place)
    throw queryError('after', 'place', 'expected a partition and an id, as `next` of an earlier answer has them');
  return { after: place, limit: readNumber('limit', limit, { most: LIMITS.operationEntries, otherwise: 50 }) };
}

const pageEnd = ({ next, away }: KnownPage<EntryPlace>): { next?: string; partitions_away: number[] } => ({
  ...(next ? { next: placeText(next) } : {}),
  partitions_away: away,
});

async function replay(edge: Edge, exchange: Exchange, { replay: input }: CheckInput): Promise<string> {
  if (!input) throw new Error('a replay was not read as one');
  const { key, requestId } = exchange;
  const subject = { kind: input.of, id: input.place === 'all' ? 'all' : placeText(input.place) };
  await edge.audit.tell([{ team: '', action: 'replay.requested', actor: actorOf(exchange), scope: '', subject }]);
  const result = await replayed(edge, input);
  edge.logger.info({ key: key.id, request: requestId, [input.of]: subject.id, ...result }, 'replayed for an operator');
  return JSON.stringify(result);
}

async function replayed({ operation }: Edge, { of, place }: ReplayInput): Promise<ReplayResult> {
  if (place === 'all') return await operation.replayAllRefused(LIMITS.replayedRefused);
  if (of === 'refused') {
    if (!(await operation.replayRefused(place))) throw notFound('refused');
    return { replayed: 1 };
  }
  try {
    await operation.replayDeadLetter(place);
  } catch (error) {
    if (!(error instanceof NotReplayed)) throw error;
    if (error.gone) throw notFound('dead_letter');
    throw validationError([{ path: 'dead_letter', code: 'not_replayable', message: error.message }]);
  }
  return { replayed: 1 };
}

export const operationRoutes = {
  getStatus,
  getDeadLetters,
  getRefused,
  replay: answering('replay', replay),
} satisfies RouteHandlers;
