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
