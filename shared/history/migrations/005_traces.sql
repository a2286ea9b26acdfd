-- The traces of requests that were recorded: from a trace to its checks, and from a check to its trace. The archiver writes a row with those
-- of the request. One that is written again has the same sorting key and replaces the earlier one.

CREATE TABLE IF NOT EXISTS {{database}}.traces {{on_cluster}}
(
    ts DateTime64(3, 'UTC'),
    team LowCardinality(String),
    scope LowCardinality(String),
    kind Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4),
    request_id UUID,
    trace_id String
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toDate(ts)
ORDER BY (team, trace_id, request_id)
TTL toDate(ts) + toIntervalDay({{results_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};
