-- What people say of verdicts: a row for each item, policy and reviewer. Ingress writes it before it answers. A later label of the reviewer has
-- the same sorting key and replaces the earlier one. Rows are few and of any day, so a partition is a month, as that of `names`.

CREATE TABLE IF NOT EXISTS {{database}}.labels {{on_cluster}}
(
    ts DateTime64(3, 'UTC'),
    team LowCardinality(String),
    scope LowCardinality(String),
    item LowCardinality(String),
    id UUID,
    policy_id UUID,
    policy_name LowCardinality(String),
    flagged Bool,
    label Enum8('true_alarm' = 1, 'false_alarm' = 2, 'missed' = 3),
    reviewer String,
    note Nullable(String) CODEC(ZSTD(3)),
    key LowCardinality(String),
    at DateTime64(3, 'UTC'),
    region LowCardinality(Nullable(String)) DEFAULT {{region}}
)
ENGINE = {{engine:ReplacingMergeTree(at)}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, scope, ts, id, policy_id, reviewer)
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};
