-- What was erased: the ids of its items, by which every table is searched, and what is said of each erasure. Neither has what was erased.

CREATE TABLE IF NOT EXISTS {{database}}.erased {{on_cluster}}
(
    erasure UUID,
    team LowCardinality(String),
    scope LowCardinality(String),
    -- time in the id of the item
    ts DateTime64(3, 'UTC'),
    id UUID
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (erasure, team, scope, ts, id)
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1,
    fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE TABLE IF NOT EXISTS {{database}}.erasures {{on_cluster}}
(
    ts DateTime64(3, 'UTC'),
    id UUID,
    team LowCardinality(String),
    subject Enum8('user' = 1, 'session' = 2, 'run' = 3, 'event' = 4),
    scope LowCardinality(String),
    by_key LowCardinality(String),
    -- when nothing of it was left in tables and answers, and when no file had it any more; null: not yet
    erased Nullable(DateTime64(3, 'UTC')),
    complete Nullable(DateTime64(3, 'UTC')),
    items UInt64,
    -- JSON of counts
    removed String
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, ts, id)
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1,
    fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};
