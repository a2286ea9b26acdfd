-- For people: what policies did by hour, what users did by day, and what detectors found. These are views over the deduplicated rows, so
-- they are exact after a row was stored again. Sums that are made as rows arrive would count it twice. They read the columns of
-- `results` and not those of `items`, so that the table may change.

CREATE OR REPLACE VIEW {{database}}.policy_hourly {{on_cluster}} AS
SELECT
    toStartOfHour(ts) AS hour,
    team, scope, config,
    toUUID(policy.1) AS policy_id,
    JSONExtractString(policy.2, 'name') AS policy_name,
    count() AS items,
    countIf(JSONExtractBool(policy.2, 'flagged')) AS flagged
FROM {{database}}.results
ARRAY JOIN JSONExtractKeysAndValuesRaw(toString(policies)) AS policy
GROUP BY hour, team, scope, config, policy_id, policy_name;

CREATE OR REPLACE VIEW {{database}}.user_activity {{on_cluster}} AS
SELECT
    toStartOfDay(r.ts) AS day,
    r.team AS team, r.scope AS scope, r.user_id AS user_id, r.user_email AS user_email,
    count() AS checks,
    countIf(r.flagged) AS flagged,
    countIf(r.status = 'failed') AS failed,
    sum(length(r.violation.id)) AS violations,
    sum(countEqual(r.violation.severity, 'high')) AS high,
    max(r.ts) AS latest
FROM {{database}}.results AS r
WHERE r.kind = 'session' AND r.type != 'artifact' AND (r.user_id != '' OR r.user_email != '')
GROUP BY day, team, scope, user_id, user_email;

-- Made of what `explain=true` shows: only there is said which string of JSON a find is in.
CREATE OR REPLACE VIEW {{database}}.matches {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, id, run_id, event_id, external_session_id, config, policy_id,
    JSONExtractString(toString(policies), toString(policy_id), 'name') AS policy_name,
    JSONExtractString(find, 'detector') AS detector,
    JSONExtractString(find, 'view') AS view,
    JSONExtractString(find, 'source') AS source,
    JSONHas(find, 'path') = 1 AS in_json,
    JSONExtractString(find, 'path') AS path,
    JSONExtractUInt(find, 'start') AS start,
    JSONExtractUInt(find, 'end') AS end,
    if(JSONHas(find, 'score'), JSONExtractFloat(find, 'score'), 1) AS score
FROM
(
    SELECT
        ts, team, scope, kind, type, field, role, id, run_id, event_id, external_session_id, config, policies,
        toUUID(explanation.1) AS policy_id,
        explanation.2 AS finds
    FROM {{database}}.results
    ARRAY JOIN JSONExtractKeysAndValuesRaw(toString(explained), 2) AS explanation
    WHERE position(explained, '{') > 0
)
ARRAY JOIN JSONExtractArrayRaw(finds) AS find;
