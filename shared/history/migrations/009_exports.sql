-- What was exported: copies that no erasure reaches, so receipts of erasures name them. A row is one run of `weir export`; it has nothing of what
-- was exported. It is stored when the run begins, and replaced when it ends. Rows are few, and copies may be older than all that is stored: so they
-- stay as long as the database.

CREATE TABLE IF NOT EXISTS {{database}}.exports {{on_cluster}}
(
    ts DateTime64(3, 'UTC'),
    id UUID,
    team LowCardinality(String),
    kind Enum8('team' = 1, 'environment' = 2, 'deployment' = 3),
    scope LowCardinality(String),
    since DateTime64(3, 'UTC'),
    until DateTime64(3, 'UTC'),
    format LowCardinality(String),
    tables Array(String),
    user String,
    host String,
    folder String,
    files UInt32,
    rows UInt64,
    bytes UInt64,
    -- null: it is under way, or was cut off
    ended Nullable(DateTime64(3, 'UTC')),
    at DateTime64(3, 'UTC')
)
ENGINE = {{engine:ReplacingMergeTree(at)}}
ORDER BY (team, ts, id)
SETTINGS fsync_after_insert = 1;
