-- Who did what, when and from where. Rows have ids and hashes, and never content: an erasure takes none out. They are kept for a time of their
-- own. A row that is written twice has the same sorting key and replaces itself.

CREATE TABLE IF NOT EXISTS {{database}}.audit {{on_cluster}}
(
    ts DateTime64(3, 'UTC'),
    id UUID,
    -- '': it concerns the installation
    team LowCardinality(String),
    action LowCardinality(String),
    actor_kind LowCardinality(String),
    actor String,
    address String,
    request String,
    scope LowCardinality(String),
    subject_kind LowCardinality(String),
    subject String,
    -- JSON
    details String CODEC(ZSTD(3)),
    region LowCardinality(Nullable(String)) DEFAULT {{region}}
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, ts, id)
TTL toStartOfMonth(ts) + toIntervalDay({{audit_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};
