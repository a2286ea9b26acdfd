-- A reviewer may take a label back: the row that says so replaces that of the label.

ALTER TABLE {{database}}.labels {{on_cluster}}
    MODIFY COLUMN label Enum8('true_alarm' = 1, 'false_alarm' = 2, 'missed' = 3, 'withdrawn' = 4);

-- What users have against verdicts: a row for each item and policy, which ingress writes before it answers. Labels that come later decide it, so
-- nothing of it ever changes.

CREATE TABLE IF NOT EXISTS {{database}}.appeals {{on_cluster}}
(
    ts DateTime64(3, 'UTC'),
    team LowCardinality(String),
    scope LowCardinality(String),
    item LowCardinality(String),
    id UUID,
    policy_id UUID,
    policy_name LowCardinality(String),
    note Nullable(String) CODEC(ZSTD(3)),
    reference Nullable(String),
    key LowCardinality(String),
    at DateTime64(3, 'UTC'),
    region LowCardinality(Nullable(String)) DEFAULT {{region}}
)
ENGINE = {{engine:ReplacingMergeTree(at)}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, scope, ts, id, policy_id)
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};
