-- Images. What only they have arrives in columns that other requests leave empty, and is kept in a table of its own, so
-- that a text costs what it did before.
ALTER TABLE {{database}}.checked {{on_cluster}}
    MODIFY COLUMN kind Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4),
    ADD COLUMN IF NOT EXISTS image_kind Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS image_width Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_height Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_bytes Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_hash Array(String),
    ADD COLUMN IF NOT EXISTS image_quality Array(UInt8),
    ADD COLUMN IF NOT EXISTS image_fetch_ms Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_decode_ms Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_session_id Array(UUID);

ALTER TABLE {{database}}.items {{on_cluster}}
    MODIFY COLUMN kind Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4);

-- One row per image that was checked or tried to be; its verdict is in `items` under the same id.
CREATE TABLE IF NOT EXISTS {{database}}.images {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    ts DateTime64(3, 'UTC'),
    id UUID,
    version UInt16,
    -- jpeg, png, webp or gif; empty when it was not recognised
    kind LowCardinality(String),
    -- pixels, as it is shown
    width UInt32,
    height UInt32,
    -- as received
    bytes UInt32,
    -- PDQ, 64 hexadecimal digits, or empty
    hash String,
    -- of the hash, 0 to 100
    quality UInt8,
    fetch_ms UInt32,
    decode_ms UInt32,
    -- session it is linked to; zeros: none
    session_id UUID
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toDate(ts)
ORDER BY (team, scope, ts, id)
TTL toDate(ts) + toIntervalDay({{results_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, non_replicated_deduplication_window = 10000{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_images {{on_cluster}} TO {{database}}.images AS
SELECT
    team, scope, ts, item_id AS id, version, item_kind AS kind, width, height, bytes, hash, quality, fetch_ms, decode_ms,
    session_id
FROM
(
    SELECT
        team, scope, ts, version, item_id, item_type, item_kind, width, height, bytes, hash, quality, fetch_ms, decode_ms,
        session_id
    -- What has no images is left out first: its arrays have no length to be joined by.
    FROM (SELECT * FROM {{database}}.checked WHERE notEmpty(image_kind))
    ARRAY JOIN
        id AS item_id, type AS item_type, image_kind AS item_kind, image_width AS width, image_height AS height,
        image_bytes AS bytes, image_hash AS hash, image_quality AS quality, image_fetch_ms AS fetch_ms,
        image_decode_ms AS decode_ms, image_session_id AS session_id
)
WHERE item_type = 'artifact';

-- Callers' ids of artifacts, and artifacts of sessions by either id of the session.
ALTER TABLE {{database}}.names {{on_cluster}}
    MODIFY COLUMN kind Enum8('run' = 1, 'session' = 2, 'artifact' = 3, 'session_artifact' = 4);

-- Of a session check only the session itself is found by its external id, not its images.
ALTER TABLE {{database}}.checked_names {{on_cluster}} MODIFY QUERY
SELECT
    team,
    scope,
    if(request_kind = 'session', 'session', 'run') AS kind,
    if(request_kind = 'session', item_session, item_run) AS name,
    if(request_kind = 'session', '', item_event) AS event_id,
    sequence,
    ts,
    item_id AS id
FROM
(
    SELECT team, scope, ts, sequence, c.kind AS request_kind, item_id, item_run, item_event, item_session
    FROM {{database}}.checked AS c
    ARRAY JOIN
        id AS item_id, type AS item_type, run_id AS item_run, event_id AS item_event, external_session_id AS item_session
    WHERE c.kind != 'artifact' AND NOT (c.kind = 'session' AND item_type = 'artifact')
)
WHERE name != '';

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_artifact_names {{on_cluster}} TO {{database}}.names AS
SELECT team, scope, known.1 AS kind, known.2 AS name, '' AS event_id, sequence, ts, item_id AS id
FROM
(
    SELECT
        team, scope, ts, sequence, item_id,
        arrayJoin([
            ('artifact', item_external),
            ('session_artifact', item_session),
            ('session_artifact', if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), '', toString(session_id)))
        ]) AS known
    FROM (SELECT * FROM {{database}}.checked WHERE notEmpty(image_kind) AND kind IN ('session', 'artifact'))
    ARRAY JOIN
        id AS item_id, type AS item_type, external_artifact_id AS item_external, external_session_id AS item_session,
        image_session_id AS session_id
    WHERE item_type = 'artifact'
)
WHERE known.2 != '';

-- Views for people keep the types they were made with.
CREATE OR REPLACE VIEW {{database}}.results {{on_cluster}} AS
SELECT * FROM {{database}}.items FINAL;

CREATE OR REPLACE VIEW {{database}}.violations {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, id, request_id, run_id, event_id, external_session_id, user_id, user_email,
    v.id AS policy_id,
    v.name AS policy_name,
    v.severity AS severity,
    v.sources AS sources
FROM {{database}}.items FINAL
ARRAY JOIN violation AS v;
