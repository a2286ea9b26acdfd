/** What operators are shown of an installation, over all teams (`/api/operation/…`). Nothing that callers have sent. */

/** A Redis, or a primary of a Cluster. */
export interface RedisState {
  /** `host:port`. Only of a Cluster. */
  address?: string;
  /** What it is. `unknown`: it does not answer. */
  role: 'primary' | 'replica' | 'unknown';
  /** How many replicas it has. @x-form count */
  replicas: number;
  /** Why it takes no writes, in a sentence. Null: it takes them. */
  refuses: string | null;
  /** The share of `maxmemory` that is in use. 0 if that is not set. */
  memory_share: number;
}

/** How far a partition is. */
export interface PartitionState {
  /** Its number. @x-form count */
  partition: number;
  /** Requests that are not finished, unread or under way. @x-form count */
  entries: number;
  /** Those of them that are under way. @x-form count */
  pending: number;
  /** How long the oldest unread one waits, in milliseconds. @x-form count */
  oldest_unread_ms: number;
  /** Live workers that read it. @x-form count */
  consumers: number;
  /** Finished requests that are not archived. @x-form count */
  unarchived: number;
  /** Since when the oldest of them is finished, in milliseconds. @x-form count */
  archive_lag_ms: number;
  /** Requests that were given up. @x-form count */
  dead_letters: number;
  /** Requests whose rows ClickHouse refuses. @x-form count */
  refused: number;
  /** Whether archiving waits, because there is no room for another refused one. */
  refused_full: boolean;
  /** Finished requests whose metrics are not computed. @x-form count */
  unmeasured: number;
  /** Those that have none, because there was no room for more. @x-form count */
  metrics_dropped: number;
  /** Finished requests that webhooks are not told of. @x-form count */
  unnotified: number;
  /** Those that were not told, because there was no room for more. @x-form count */
  hooks_dropped: number;
}

/** The state of an installation, as `weir status` says it. */
export interface OperationStatus {
  /** Why checks are refused, in sentences. Empty: they are taken. */
  refusing: string[];
  /** The name of the region. Absent if it has none. */
  region?: string;
  /** The number of the active configuration. 0: there is none. @x-form count */
  configuration: number;
  /** Workers that cannot use it, with the reason. */
  unable: {
    /** The name of the process. */
    name: string;
    /** Why, in a sentence. */
    reason: string;
  }[];
  /** Ingresses that do not work by it yet. */
  behind: string[];
  /** The names of the live processes, by what they do. */
  processes: {
    /** They take requests. */
    ingress: string[];
    /** They evaluate checks. */
    evaluators: string[];
    /** They write to ClickHouse. */
    archivers: string[];
    /** They compute metrics. */
    metrics: string[];
    /** They tell webhooks. */
    hooks: string[];
  };
  /** The newest format that processes read, and how many: several during an upgrade. */
  formats: {
    /** The format. @x-form count */
    newest: number;
    /** How many processes. @x-form count */
    processes: number;
  }[];
  /** The Redis; of a Cluster its primaries. */
  redis: RedisState[];
  /** Why ClickHouse cannot be used, in a sentence. Null: it answers. */
  clickhouse: string | null;
  /** How many metrics are in use. @x-form count */
  metrics_in_use: number;
  /** The webhooks that are in use, and their deliveries. */
  webhooks: {
    /** How many webhooks. @x-form count */
    in_use: number;
    /** Deliveries that wait. @x-form count */
    waiting: number;
    /** Those that were given up. @x-form count */
    given_up: number;
    /** Those that were dropped, because there was no room for more. @x-form count */
    dropped: number;
  };
  /** The partitions. */
  partitions: PartitionState[];
  /** Those whose Redis does not answer: nothing is known of them. */
  partitions_away: number[];
  /** Why the rest of the state could not be read, in a sentence. Null: it was read. */
  unread: string | null;
}

/** A request that was given up, without what it checked. */
export interface DeadLetterSummary {
  /** Where it is: partition and id. */
  dead_letter: string;
  /** When it was given up. @x-form time */
  given_up_at: string;
  /** Why, without what was sent. */
  reason: string;
  /** How often it was tried. @x-form count */
  attempts: number;
  /** What was to be checked. Absent, as the next ones, if that cannot be read. */
  kind?: 'event' | 'events' | 'session' | 'artifact';
  /** The id of the request. @x-form uuid */
  request_id?: string;
  /** Whose it is. */
  team?: string;
  /** The environment or deployment. */
  scope?: string;
  /** When it arrived. @x-form time */
  received_at?: string;
  /** Bytes of its body. @x-form count */
  body_bytes: number;
  /** Why it cannot be replayed. Null: it can. */
  obstacle: string | null;
}

/** Requests that were given up. */
export interface DeadLetterPage {
  /** The newest first. */
  dead_letters: DeadLetterSummary[];
  /** Where the next page begins: `after` of the next question. Absent if there is none. */
  next?: string;
  /** Partitions whose Redis does not answer, so theirs are missing. */
  partitions_away: number[];
}

/** A request whose rows ClickHouse refuses. */
export interface RefusedSummary {
  /** Where it is: partition and id. */
  refused: string;
  /** When it was finished. @x-form time */
  finished_at: string;
  /** Why, without what was sent. */
  reason: string;
  /** The id of the request. Absent if that cannot be read. @x-form uuid */
  request_id?: string;
  /** Bytes of its rows. @x-form count */
  row_bytes: number;
}

/** Requests whose rows ClickHouse refuses. */
export interface RefusedPage {
  /** The oldest first. */
  refused: RefusedSummary[];
  /** Where the next page begins: `after` of the next question. Absent if there is none. */
  next?: string;
  /** Partitions whose Redis does not answer, so theirs are missing. */
  partitions_away: number[];
}

/** What is to be tried again. Exactly one of the two. */
export interface ReplayRequest {
  /** A request that was given up: it is evaluated again, and the new result replaces the failure. */
  dead_letter?: string | null;
  /** A request whose rows ClickHouse has refused: they are archived again. `all`: those of all, up to {@link LIMITS.replayedRefused} at once. */
  refused?: string | null;
}

/** What is tried again. */
export interface ReplayResult {
  /** How many requests. @x-form count */
  replayed: number;
  /** How many refused ones are left. Only with `all`. @x-form count */
  left?: number;
}
