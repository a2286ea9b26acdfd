-- Configurations that were applied, so that rows lead to what they were judged by: `configurations.number` is `items.config`. A row
-- stays as long as the database: it is one for each `weir apply`.

CREATE TABLE IF NOT EXISTS {{database}}.configurations {{on_cluster}}
(
    number UInt32,
    id String,
    applied DateTime64(3, 'UTC'),
    user String,
    host String,
    message String,
    configuration String CODEC(ZSTD(3))
)
ENGINE = {{engine:ReplacingMergeTree}}
ORDER BY (number, id)
SETTINGS fsync_after_insert = 1;

-- The policies of each.

CREATE VIEW IF NOT EXISTS {{database}}.configuration_policies {{on_cluster}} AS
SELECT
    number, id AS configuration_id, applied,
    JSONExtractString(policy, 'id') AS policy_id,
    JSONExtractString(policy, 'team') AS team,
    JSONExtractString(policy, 'name') AS name,
    JSONExtractString(policy, 'severity') AS severity,
    JSONExtractRaw(policy, 'detect') AS detect
FROM {{database}}.configurations FINAL
ARRAY JOIN JSONExtractArrayRaw(configuration, 'policies') AS policy;

-- Background metrics: a row for each metric of a checked item. The worker with the role `metrics` writes them from the log, after the
-- verdict. A row that is written again, after a crash or when a dead letter is replayed, has the same sorting key and replaces the
-- earlier one, so read the table with FINAL. Merges of a day end with one row each.

CREATE TABLE IF NOT EXISTS {{database}}.metrics {{on_cluster}}
(
    ts DateTime64(3, 'UTC') COMMENT 'time in the id of the item',
    team LowCardinality(String) COMMENT 'team of the API key',
    scope LowCardinality(String) COMMENT 'environment of an event, deployment of a session or an image',
    id UUID COMMENT 'internal id of the item, as in weir.results',
    run_id Nullable(String) COMMENT 'run of an event',
    external_session_id Nullable(String) COMMENT 'session of the caller',
    metric_id UUID COMMENT 'id of the metric in the configuration',
    metric_name LowCardinality(String) COMMENT 'its name when the item was checked',
    kind LowCardinality(String) COMMENT 'kind of the metric, such as tokens',
    value Nullable(Float64) COMMENT 'the figure; null where there is none',
    label Nullable(String) COMMENT 'what the value is of, such as a language',
    note LowCardinality(Nullable(String)) COMMENT 'why there is no value; null: there is one',
    version UInt16 COMMENT '1, and more when a dead letter was replayed: the highest wins'
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toDate(ts)
ORDER BY (team, scope, metric_id, ts, id)
TTL toDate(ts) + toIntervalDay({{results_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Metrics of checked items, one row for each item and metric (read with FINAL)';

-- A view over the deduplicated rows: sums that are made as rows arrive would count a repeated row twice. Only columns that a query
-- names are computed.

CREATE VIEW IF NOT EXISTS {{database}}.metrics_hourly {{on_cluster}} AS
SELECT
    toStartOfHour(ts) AS hour,
    team, scope, metric_id, metric_name, kind, label,
    count(value) AS items,
    countIf(value IS NULL) AS without_value,
    sum(value) AS value_sum,
    min(value) AS value_min,
    max(value) AS value_max,
    avg(value) AS value_avg,
    quantilesTDigestStateIf(0.5, 0.9, 0.99)(assumeNotNull(value), value IS NOT NULL) AS quantiles
FROM {{database}}.metrics FINAL
GROUP BY hour, team, scope, metric_id, metric_name, kind, label;
