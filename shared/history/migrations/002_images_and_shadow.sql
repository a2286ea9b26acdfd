-- Requests with images arrive in a table of their own, which hands them on to `checked`. So an insert of texts, which nearly all
-- are, is not passed through the views that look for images: they cost each insert 15 ms, whatever is in it.
CREATE TABLE IF NOT EXISTS {{database}}.checked_with_images {{on_cluster}} AS {{database}}.checked ENGINE = Null;

ALTER TABLE {{database}}.checked_with_images {{on_cluster}}
    ADD COLUMN IF NOT EXISTS image_kind Array(String),
    ADD COLUMN IF NOT EXISTS image_width Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_height Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_bytes Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_hash Array(String),
    ADD COLUMN IF NOT EXISTS image_quality Array(UInt8),
    ADD COLUMN IF NOT EXISTS image_fetch_ms Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_decode_ms Array(UInt32),
    ADD COLUMN IF NOT EXISTS image_session_id Array(UUID);

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_images_handed_on {{on_cluster}} TO {{database}}.checked AS
SELECT * EXCEPT (
    image_kind, image_width, image_height, image_bytes, image_hash, image_quality, image_fetch_ms, image_decode_ms,
    image_session_id
)
FROM {{database}}.checked_with_images;

-- One row per image that was checked or tried to be; its verdict is in `items` under the same id.
CREATE TABLE IF NOT EXISTS {{database}}.images {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    ts DateTime64(3, 'UTC'),
    id UUID,
    version UInt16,
    -- jpeg, png, webp or gif; null when it was not recognised
    kind LowCardinality(Nullable(String)),
    -- pixels, as it is shown
    width Nullable(UInt32),
    height Nullable(UInt32),
    -- as received
    bytes Nullable(UInt32),
    -- PDQ, 64 hexadecimal digits
    hash Nullable(String),
    -- of the hash, 0 to 100
    quality Nullable(UInt8),
    fetch_ms UInt32,
    decode_ms UInt32,
    -- session it is linked to
    session_id Nullable(UUID)
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toDate(ts)
ORDER BY (team, scope, ts, id)
TTL toDate(ts) + toIntervalDay({{results_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_image_rows {{on_cluster}} TO {{database}}.images AS
SELECT
    team, scope, ts, item_id AS id, version,
    nullIf(item_kind, '') AS kind,
    nullIf(item_width, 0) AS width,
    nullIf(item_height, 0) AS height,
    nullIf(item_bytes, 0) AS bytes,
    nullIf(item_hash, '') AS hash,
    if(item_hash = '', NULL, item_quality) AS quality,
    fetch_ms, decode_ms,
    nullIf(item_session, toUUID('00000000-0000-0000-0000-000000000000')) AS session_id
FROM
(
    SELECT
        team, scope, ts, version, item_id, item_type, item_kind, item_width, item_height, item_bytes, item_hash, item_quality,
        fetch_ms, decode_ms, item_session
    FROM {{database}}.checked_with_images
    ARRAY JOIN
        id AS item_id, type AS item_type, image_kind AS item_kind, image_width AS item_width, image_height AS item_height,
        image_bytes AS item_bytes, image_hash AS item_hash, image_quality AS item_quality, image_fetch_ms AS fetch_ms,
        image_decode_ms AS decode_ms, image_session_id AS item_session
)
WHERE item_type = 'artifact';

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_image_names {{on_cluster}} TO {{database}}.names AS
SELECT team, scope, known.1 AS kind, known.2 AS name, sequence, ts, item_id AS id
FROM
(
    SELECT
        team, scope, ts, sequence, item_id,
        arrayJoin([
            ('artifact', item_external),
            ('session_artifact', item_session),
            ('session_artifact', if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), '', toString(session_id)))
        ]) AS known
    FROM (SELECT * FROM {{database}}.checked_with_images WHERE kind IN ('session', 'artifact'))
    ARRAY JOIN
        id AS item_id, type AS item_type, external_artifact_id AS item_external, external_session_id AS item_session,
        image_session_id AS session_id
    WHERE item_type = 'artifact'
)
WHERE known.2 != '';

-- What policies in the shadow say of an item is kept apart from its verdict. A request that has such a verdict arrives in a table of its
-- own, too, which hands the rest on.
CREATE TABLE IF NOT EXISTS {{database}}.checked_with_shadow {{on_cluster}} AS {{database}}.checked_with_images ENGINE = Null;

ALTER TABLE {{database}}.checked_with_shadow {{on_cluster}}
    ADD COLUMN IF NOT EXISTS shadow_evaluated Array(Array(UUID)),
    ADD COLUMN IF NOT EXISTS shadow_not_evaluated Array(UInt16),
    ADD COLUMN IF NOT EXISTS shadow_violation_id Array(Array(UUID)),
    ADD COLUMN IF NOT EXISTS shadow_violation_name Array(Array(String)),
    ADD COLUMN IF NOT EXISTS shadow_violation_severity Array(Array(Enum8('low' = 1, 'medium' = 2, 'high' = 3))),
    ADD COLUMN IF NOT EXISTS shadow_violation_sources Array(Array(Array(Enum8('text' = 1, 'image' = 2)))),
    ADD COLUMN IF NOT EXISTS shadow_violation_detectors Array(Array(Array(String)));

-- One row per item that some policy in the shadow is for.
CREATE TABLE IF NOT EXISTS {{database}}.shadow_checks {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    kind Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4),
    ts DateTime64(3, 'UTC'),
    id UUID,
    request_id UUID,
    version UInt16,
    config UInt32,
    type LowCardinality(String),
    field LowCardinality(String),
    role LowCardinality(Nullable(String)),
    run_id Nullable(String),
    event_id Nullable(String),
    external_session_id Nullable(String),
    -- as it was answered; null when it could not be evaluated
    flagged Nullable(Bool),
    -- live policies that it violates
    live Array(UUID),
    -- policies in the shadow that were evaluated
    evaluated Array(UUID),
    -- how many of them could not be
    not_evaluated UInt16,
    -- those that it violates
    violation Nested
    (
        id UUID,
        name LowCardinality(String),
        severity Enum8('low' = 1, 'medium' = 2, 'high' = 3),
        sources Array(Enum8('text' = 1, 'image' = 2)),
        -- what fired
        detectors Array(LowCardinality(String))
    )
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toDate(ts)
ORDER BY (team, scope, ts, id)
TTL toDate(ts) + toIntervalDay({{results_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_shadow_rows {{on_cluster}} TO {{database}}.shadow_checks AS
SELECT
    team, scope, kind, ts, id, request_id, version, config, type, field,
    nullIf(item_role, '') AS role,
    nullIf(item_run_id, '') AS run_id,
    nullIf(item_event_id, '') AS event_id,
    nullIf(item_external_session_id, '') AS external_session_id,
    flagged,
    violation_id AS live,
    shadow_evaluated AS evaluated,
    shadow_not_evaluated AS not_evaluated,
    shadow_violation_id AS `violation.id`,
    shadow_violation_name AS `violation.name`,
    shadow_violation_severity AS `violation.severity`,
    shadow_violation_sources AS `violation.sources`,
    shadow_violation_detectors AS `violation.detectors`
FROM {{database}}.checked_with_shadow AS c
ARRAY JOIN
    id, type, field, c.role AS item_role, c.run_id AS item_run_id, c.event_id AS item_event_id,
    c.external_session_id AS item_external_session_id, flagged, violation_id, shadow_evaluated,
    shadow_not_evaluated, shadow_violation_id, shadow_violation_name, shadow_violation_severity, shadow_violation_sources,
    shadow_violation_detectors
WHERE notEmpty(shadow_evaluated) OR shadow_not_evaluated > 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_shadow_texts_handed_on {{on_cluster}} TO {{database}}.checked AS
SELECT * EXCEPT (
    image_kind, image_width, image_height, image_bytes, image_hash, image_quality, image_fetch_ms, image_decode_ms,
    image_session_id, shadow_evaluated, shadow_not_evaluated, shadow_violation_id, shadow_violation_name,
    shadow_violation_severity, shadow_violation_sources, shadow_violation_detectors
)
FROM {{database}}.checked_with_shadow
WHERE empty(image_kind);

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_shadow_images_handed_on {{on_cluster}} TO {{database}}.checked_with_images AS
SELECT * EXCEPT (
    shadow_evaluated, shadow_not_evaluated, shadow_violation_id, shadow_violation_name, shadow_violation_severity,
    shadow_violation_sources, shadow_violation_detectors
)
FROM {{database}}.checked_with_shadow
WHERE notEmpty(image_kind);

-- For people: a row per item and policy in the shadow that it violates.
CREATE VIEW IF NOT EXISTS {{database}}.shadow_violations {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, id, request_id, run_id, event_id, external_session_id, config,
    v.id AS policy_id,
    v.name AS policy_name,
    v.severity AS severity,
    v.sources AS sources,
    v.detectors AS detectors,
    flagged AS live_flagged,
    live AS live_policies
FROM {{database}}.shadow_checks FINAL
ARRAY JOIN violation AS v;
