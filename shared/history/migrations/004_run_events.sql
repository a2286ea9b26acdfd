-- What a run's events need of history, in one table instead of two: their order in its graph (4.12), which is the sorting
-- key, and where their ids lead, which the index finds. A filter takes four granules: finer ones cost more to make than
-- they save. Ids are sorted as numbers, which is the order of their text, as Redis has it, for less work.

CREATE TABLE IF NOT EXISTS {{database}}.run_events {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    run_id String,
    event_id String,
    sequence UInt64,
    ts DateTime64(3, 'UTC'),
    id UUID,
    INDEX event_id event_id TYPE bloom_filter(0.1) GRANULARITY 4
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, scope, run_id, sequence, toUInt128(id))
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, non_replicated_deduplication_window = 10000{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_run_events {{on_cluster}} TO {{database}}.run_events AS
SELECT team, scope, item_run AS run_id, item_event AS event_id, sequence, ts, item_id AS id
FROM
(
    SELECT team, scope, ts, sequence, item_id, item_run, item_event
    FROM {{database}}.checked AS c
    ARRAY JOIN id AS item_id, run_id AS item_run, event_id AS item_event
    WHERE c.kind IN ('events', 'event')
)
WHERE run_id != '';

-- What was archived before. Whatever comes in meanwhile has gone through the view already; what does both, and a second
-- run of this statement, is replaced.
{{replicated:SYSTEM SYNC REPLICA {{database}}.names}};

INSERT INTO {{database}}.run_events (team, scope, run_id, event_id, sequence, ts, id)
SELECT team, scope, name, event_id, sequence, ts, id FROM {{database}}.names WHERE kind = 'run'
SETTINGS max_partitions_per_insert_block = 0;

-- Names are those of session checks and of artifacts. What is there of runs expires with its month.
ALTER TABLE {{database}}.checked_names {{on_cluster}} MODIFY QUERY
SELECT team, scope, 'session' AS kind, item_session AS name, '' AS event_id, sequence, ts, item_id AS id
FROM
(
    SELECT team, scope, ts, sequence, item_id, item_session
    FROM {{database}}.checked AS c
    ARRAY JOIN id AS item_id, type AS item_type, external_session_id AS item_session
    WHERE c.kind = 'session' AND item_type != 'artifact'
)
WHERE name != '';

DROP VIEW IF EXISTS {{database}}.checked_runs {{on_cluster}};
DROP TABLE IF EXISTS {{database}}.runs {{on_cluster}};
