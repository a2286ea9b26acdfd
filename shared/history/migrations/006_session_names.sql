-- A session check that was answered without a verdict (400, 503) is not what its external id leads to: it would hide the check
-- before it. One that was given up (500) is.

ALTER TABLE {{database}}.checked_names {{on_cluster}} MODIFY QUERY
SELECT team, scope, 'session' AS kind, item_session AS name, '' AS event_id, sequence, ts, item_id AS id
FROM
(
    SELECT team, scope, ts, sequence, item_id, item_session
    FROM {{database}}.checked AS c
    ARRAY JOIN id AS item_id, type AS item_type, external_session_id AS item_session
    WHERE c.kind = 'session' AND item_type != 'artifact'
        AND (c.error = '' OR JSONExtractUInt(c.error, 'status') = 500)
)
WHERE name != '';
