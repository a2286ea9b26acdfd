-- The events of a run in the order of its graph (4.12), so that a page of it reads what it shows and not the whole run,
-- as it must in `names`, where a run is sorted by the event ids of callers. A row is the event's time, sequence and id,
-- and no more: some five bytes of disk. Ids are sorted as text, as Redis has them, since UUIDs have another order here.

CREATE TABLE IF NOT EXISTS {{database}}.runs {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    run_id String,
    sequence UInt64,
    ts DateTime64(3, 'UTC'),
    id UUID
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, scope, run_id, sequence, toString(id))
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, non_replicated_deduplication_window = 10000{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_runs {{on_cluster}} TO {{database}}.runs AS
SELECT team, scope, item_run AS run_id, sequence, ts, item_id AS id
FROM
(
    SELECT team, scope, ts, sequence, item_id, item_run
    FROM {{database}}.checked AS c
    ARRAY JOIN id AS item_id, run_id AS item_run
    WHERE c.kind IN ('events', 'event')
)
WHERE run_id != '';

-- What was archived before. Whatever comes in meanwhile has gone through the view already; what does both, and a second
-- run of this statement, is replaced.
INSERT INTO {{database}}.runs (team, scope, run_id, sequence, ts, id)
SELECT team, scope, name, sequence, ts, id FROM {{database}}.names WHERE kind = 'run'
SETTINGS max_partitions_per_insert_block = 0;
