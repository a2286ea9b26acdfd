-- Requests with images arrive in a table of their own, which hands them on to `checked`. So an insert of texts, which nearly all
-- are, is not passed through the views that look for images: they cost each insert 15 ms, whatever is in it.

CREATE TABLE IF NOT EXISTS {{database}}.checked_with_images {{on_cluster}} AS {{database}}.checked ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_images_handed_on {{on_cluster}} TO {{database}}.checked AS
SELECT * EXCEPT (
    image_kind, image_width, image_height, image_bytes, image_hash, image_quality, image_fetch_ms, image_decode_ms,
    image_session_id
)
FROM {{database}}.checked_with_images;

DROP VIEW IF EXISTS {{database}}.checked_images {{on_cluster}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_image_rows {{on_cluster}} TO {{database}}.images AS
SELECT
    team, scope, ts, item_id AS id, version, item_kind AS kind, width, height, bytes, hash, quality, fetch_ms, decode_ms,
    session_id
FROM
(
    SELECT
        team, scope, ts, version, item_id, item_type, item_kind, width, height, bytes, hash, quality, fetch_ms, decode_ms,
        session_id
    FROM {{database}}.checked_with_images
    ARRAY JOIN
        id AS item_id, type AS item_type, image_kind AS item_kind, image_width AS width, image_height AS height,
        image_bytes AS bytes, image_hash AS hash, image_quality AS quality, image_fetch_ms AS fetch_ms,
        image_decode_ms AS decode_ms, image_session_id AS session_id
)
WHERE item_type = 'artifact';

DROP VIEW IF EXISTS {{database}}.checked_artifact_names {{on_cluster}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_image_names {{on_cluster}} TO {{database}}.names AS
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
    FROM (SELECT * FROM {{database}}.checked_with_images WHERE kind IN ('session', 'artifact'))
    ARRAY JOIN
        id AS item_id, type AS item_type, external_artifact_id AS item_external, external_session_id AS item_session,
        image_session_id AS session_id
    WHERE item_type = 'artifact'
)
WHERE known.2 != '';

-- A worker of an earlier release that still runs against the advice is refused from here on, rather than its images be lost.
ALTER TABLE {{database}}.checked {{on_cluster}}
    DROP COLUMN IF EXISTS image_kind, DROP COLUMN IF EXISTS image_width, DROP COLUMN IF EXISTS image_height,
    DROP COLUMN IF EXISTS image_bytes, DROP COLUMN IF EXISTS image_hash, DROP COLUMN IF EXISTS image_quality,
    DROP COLUMN IF EXISTS image_fetch_ms, DROP COLUMN IF EXISTS image_decode_ms, DROP COLUMN IF EXISTS image_session_id;
