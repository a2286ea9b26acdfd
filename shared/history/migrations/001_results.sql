-- Rows arrive in `checked`, which stores nothing: each is a request with arrays of its items, and the views below turn
-- it into the rows of the tables. Every table is sorted by the identity of its rows and replaces: what is inserted again, after a block
-- that was cut off half way, is removed by a merge. Blocks have no tokens where there are no replicas: a table logs the token of a block
-- before its part has a name, and killed in between it takes the repetition for stored.
--
-- Short texts arrive as plain strings, and become words of a dictionary where they are stored: the engine makes a column of its own for
-- each single value of LowCardinality that it reads from a row, which was a sixth of what an insert costs. `policies` is long, and the items
-- of a row share it.
--
-- A block a second makes a part a second in each table: merging ten at a time writes each row fewer times over (measured:
-- 466 µs of engine CPU for 50 rows instead of 573, inserts included). The log is trimmed as soon as an insert is acknowledged, so the data
-- and the name of a part must be on disk by then.
--
-- What is absent arrives empty and is stored as NULL: 1 ms of 33 for an insert of 50 rows. Inside the arrays of `link` it would cost a sixth of
-- an insert, so the view `results` does it there.
--
-- All dates in keys come from `ts`, the time in the id: a row that is inserted again lands in the same partition.

CREATE TABLE IF NOT EXISTS {{database}}.checked {{on_cluster}}
(
    team String,
    scope String,
    kind Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4),
    ts DateTime64(3, 'UTC'),
    request_id UUID,
    version UInt16,
    sequence UInt64,
    config UInt32,
    key String,
    received DateTime64(3, 'UTC'),
    completed DateTime64(3, 'UTC'),
    error String,
    policies LowCardinality(String),
    id Array(UUID),
    type Array(String),
    field Array(String),
    role Array(String),
    name Array(String),
    call_id Array(String),
    format Array(String),
    event_id Array(String),
    run_id Array(String),
    external_session_id Array(String),
    external_artifact_id Array(String),
    user_id Array(String),
    user_email Array(String),
    status Array(Enum8('completed' = 1, 'failed' = 2)),
    flagged Array(Nullable(Bool)),
    not_evaluated Array(UInt16),
    note Array(String),
    link_kind Array(Array(Enum8('parent' = 1, 'link' = 2))),
    link_relation Array(Array(String)),
    link_run_id Array(Array(String)),
    link_event_id Array(Array(String)),
    link_internal_id Array(Array(UUID)),
    violation_id Array(Array(UUID)),
    violation_name Array(Array(String)),
    violation_severity Array(Array(Enum8('low' = 1, 'medium' = 2, 'high' = 3))),
    violation_sources Array(Array(Array(Enum8('text' = 1, 'image' = 2)))),
    evidence_policy Array(Array(UUID)),
    evidence_detector Array(Array(String)),
    evidence_view Array(Array(String)),
    evidence_source Array(Array(Enum8('text' = 1, 'image' = 2))),
    evidence_start Array(Array(UInt32)),
    evidence_end Array(Array(UInt32)),
    content Array(String),
    metadata Array(String),
    explained Array(String),
    tags Array(Map(String, String))
)
ENGINE = Null;

-- One row per checked item. A block is a compact part: one file to flush instead of a hundred. Merged parts are wide, so
-- that they are merged column by column, which costs a third less.
CREATE TABLE IF NOT EXISTS {{database}}.items {{on_cluster}}
(
    team LowCardinality(String),
    -- environment of an event, deployment of a session
    scope LowCardinality(String),
    kind Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4),
    -- time in the id
    ts DateTime64(3, 'UTC'),
    id UUID,
    request_id UUID,
    -- 1, and more when a dead letter was replayed: the highest wins
    version UInt16,
    -- order of the results of one run or session: the highest is the latest
    sequence UInt64,
    config UInt32,
    key LowCardinality(String),
    received DateTime64(3, 'UTC'),
    completed DateTime64(3, 'UTC'),
    type LowCardinality(String),
    field LowCardinality(String),
    role LowCardinality(Nullable(String)),
    name Nullable(String),
    call_id Nullable(String),
    format Nullable(String),
    event_id Nullable(String),
    run_id Nullable(String),
    external_session_id Nullable(String),
    external_artifact_id Nullable(String),
    user_id Nullable(String),
    user_email Nullable(String),
    status Enum8('completed' = 1, 'failed' = 2),
    -- null when it could not be evaluated
    flagged Nullable(Bool),
    not_evaluated UInt16,
    note LowCardinality(Nullable(String)),
    -- JSON of the error a session's caller was answered with
    error LowCardinality(Nullable(String)),
    -- JSON, as it was returned
    policies LowCardinality(String),
    -- what `explain=true` adds: where detectors fired in the text as it was sent, and how severe each policy was; JSON
    explained LowCardinality(Nullable(String)),
    -- of the metadata what the team has kept as long as the verdict, by its path; null where there is no value
    tags Map(LowCardinality(String), Nullable(String)),
    -- ids of the policies that were evaluated
    evaluated Array(String) ALIAS JSONExtractKeys(policies),
    link Nested
    (
        kind Enum8('parent' = 1, 'link' = 2),
        relation LowCardinality(String),
        run_id String,
        event_id String,
        internal_id UUID
    ),
    violation Nested
    (
        id UUID,
        name LowCardinality(String),
        severity Enum8('low' = 1, 'medium' = 2, 'high' = 3),
        sources Array(Enum8('text' = 1, 'image' = 2))
    ),
    evidence Nested
    (
        policy UUID,
        detector LowCardinality(String),
        view LowCardinality(String),
        source Enum8('text' = 1, 'image' = 2),
        start UInt32,
        end UInt32
    ),
    INDEX run_id run_id TYPE bloom_filter GRANULARITY 1,
    INDEX external_session_id external_session_id TYPE bloom_filter GRANULARITY 1
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toDate(ts)
ORDER BY (team, scope, ts, id)
TTL toDate(ts) + toIntervalDay({{results_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_items {{on_cluster}} TO {{database}}.items AS
SELECT
    team, scope, kind, ts, id, request_id, version, sequence, config, key, received, completed, type, field,
    nullIf(item_role, '') AS role,
    nullIf(item_name, '') AS name,
    nullIf(item_call_id, '') AS call_id,
    nullIf(item_format, '') AS format,
    nullIf(item_event_id, '') AS event_id,
    nullIf(item_run_id, '') AS run_id,
    nullIf(item_external_session_id, '') AS external_session_id,
    nullIf(item_external_artifact_id, '') AS external_artifact_id,
    nullIf(item_user_id, '') AS user_id,
    nullIf(item_user_email, '') AS user_email,
    status, flagged, not_evaluated,
    nullIf(item_note, '') AS note,
    nullIf(error, '') AS error,
    policies,
    nullIf(item_explained, '') AS explained,
    tags,
    link_kind AS `link.kind`,
    link_relation AS `link.relation`,
    link_run_id AS `link.run_id`,
    link_event_id AS `link.event_id`,
    link_internal_id AS `link.internal_id`,
    violation_id AS `violation.id`,
    violation_name AS `violation.name`,
    violation_severity AS `violation.severity`,
    violation_sources AS `violation.sources`,
    evidence_policy AS `evidence.policy`,
    evidence_detector AS `evidence.detector`,
    evidence_view AS `evidence.view`,
    evidence_source AS `evidence.source`,
    evidence_start AS `evidence.start`,
    evidence_end AS `evidence.end`
FROM {{database}}.checked AS c
ARRAY JOIN
    id, type, field, c.role AS item_role, c.name AS item_name, c.call_id AS item_call_id, c.format AS item_format,
    c.event_id AS item_event_id, c.run_id AS item_run_id, c.external_session_id AS item_external_session_id,
    c.external_artifact_id AS item_external_artifact_id, c.user_id AS item_user_id, c.user_email AS item_user_email, status, flagged,
    not_evaluated, c.note AS item_note, c.explained AS item_explained, tags, link_kind, link_relation, link_run_id, link_event_id,
    link_internal_id, violation_id, violation_name, violation_severity, violation_sources, evidence_policy,
    evidence_detector, evidence_view, evidence_source, evidence_start, evidence_end;

-- What was checked is kept for a shorter time than the verdict, so it is in a table of its own: a column that expires
-- earlier would have to be rewritten out of parts that are dropped as a whole only when all of them has expired.
CREATE TABLE IF NOT EXISTS {{database}}.contents {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    ts DateTime64(3, 'UTC'),
    id UUID,
    version UInt16,
    -- as sent; JSON values in compact form
    content String CODEC(ZSTD(1)),
    -- JSON
    metadata Nullable(String) CODEC(ZSTD(1))
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toDate(ts)
ORDER BY (team, scope, ts, id)
TTL toDate(ts) + toIntervalDay({{content_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_contents {{on_cluster}} TO {{database}}.contents AS
SELECT team, scope, ts, id, version, content, nullIf(item_metadata, '') AS metadata
FROM {{database}}.checked AS c
ARRAY JOIN id, content, c.metadata AS item_metadata;

-- What a run's events need of history, in one table: their order in its graph (4.12), which is the sorting key, and where their ids lead,
-- which the index finds. A filter takes four granules: finer ones cost more to make than they save. Ids are sorted as numbers, which is
-- the order of their text, as Redis has it, for less work.
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
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

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

-- Where a caller's own ids of sessions and artifacts lead, and artifacts of sessions by either id of the session. Sorted by them, so that
-- "the latest" is the end of one range whatever else the team has stored.
CREATE TABLE IF NOT EXISTS {{database}}.names {{on_cluster}}
(
    team LowCardinality(String),
    scope LowCardinality(String),
    kind Enum8('session' = 1, 'artifact' = 2, 'session_artifact' = 3),
    name String,
    sequence UInt64,
    ts DateTime64(3, 'UTC'),
    id UUID
)
ENGINE = {{engine:ReplacingMergeTree}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, scope, kind, name, sequence, id)
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

-- Of a session check only the session itself is found by its external id, not its images. One that was answered without a verdict (400, 503)
-- is not found: it would hide the check before it. One that was given up (500) is.
CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_names {{on_cluster}} TO {{database}}.names AS
SELECT team, scope, 'session' AS kind, item_session AS name, sequence, ts, item_id AS id
FROM
(
    SELECT team, scope, ts, sequence, item_id, item_session
    FROM {{database}}.checked AS c
    ARRAY JOIN id AS item_id, type AS item_type, external_session_id AS item_session
    WHERE c.kind = 'session' AND item_type != 'artifact'
        AND (c.error = '' OR JSONExtractUInt(c.error, 'status') = 500)
)
WHERE name != '';

-- What user risk reads: one row per session check and identifier of its user, with the policies that flagged it. Events
-- pass by at the cost of one comparison per request.
CREATE TABLE IF NOT EXISTS {{database}}.user_checks {{on_cluster}}
(
    team LowCardinality(String),
    kind Enum8('id' = 1, 'email' = 2),
    user String,
    scope LowCardinality(String),
    ts DateTime64(3, 'UTC'),
    id UUID,
    version UInt16,
    violations Array(UUID)
)
ENGINE = {{engine:ReplacingMergeTree(version)}}
PARTITION BY toStartOfMonth(ts)
ORDER BY (team, kind, user, ts, id)
TTL toStartOfMonth(ts) + toIntervalDay({{index_days}})
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 33554432, ttl_only_drop_parts = 1,
    min_parts_to_merge_at_once = 10, fsync_after_insert = 1, fsync_part_directory = 1{{replicated: , replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800}};

CREATE MATERIALIZED VIEW IF NOT EXISTS {{database}}.checked_users {{on_cluster}} TO {{database}}.user_checks AS
SELECT
    team,
    identity.1 AS kind,
    identity.2 AS user,
    scope,
    ts,
    item_id AS id,
    version,
    item_violations AS violations
FROM
(
    SELECT
        team, scope, ts, version, item_id, item_violations,
        arrayJoin([('id', item_user), ('email', item_email)]) AS identity
    FROM {{database}}.checked AS c
    ARRAY JOIN id AS item_id, user_id AS item_user, user_email AS item_email, violation_id AS item_violations
    WHERE c.kind = 'session'
)
WHERE identity.2 != '';

-- For people: `results` is every item once, with its newest verdict; `violations` has a row per violated policy.
CREATE VIEW IF NOT EXISTS {{database}}.results {{on_cluster}} AS
SELECT * REPLACE (
    arrayMap(one -> nullIf(toString(one), ''), `link.relation`) AS `link.relation`,
    arrayMap(one -> nullIf(one, ''), `link.run_id`) AS `link.run_id`,
    arrayMap(one -> nullIf(one, ''), `link.event_id`) AS `link.event_id`,
    arrayMap(one -> nullIf(one, toUUID('00000000-0000-0000-0000-000000000000')), `link.internal_id`) AS `link.internal_id`
)
FROM {{database}}.items FINAL;

CREATE VIEW IF NOT EXISTS {{database}}.violations {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, name, id, request_id, run_id, event_id, external_session_id, user_id,
    user_email, tags, config,
    v.id AS policy_id,
    v.name AS policy_name,
    v.severity AS severity,
    v.sources AS sources,
    JSONExtract(toString(policies), toString(v.id), 'enabled_by_conditions', 'Array(Tuple(id String, name String))') AS conditions
FROM {{database}}.items FINAL
ARRAY JOIN violation AS v;

-- For people: what policies did by hour, what users did by day, and what detectors found. These are views over the deduplicated rows, so
-- they are exact after a row was stored again. Sums that are made as rows arrive would count it twice. They read the columns of
-- `results` and not those of `items`, so that the table may change.

CREATE VIEW IF NOT EXISTS {{database}}.policy_hourly {{on_cluster}} AS
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

CREATE VIEW IF NOT EXISTS {{database}}.user_activity {{on_cluster}} AS
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
WHERE r.kind = 'session' AND r.type != 'artifact' AND (r.user_id IS NOT NULL OR r.user_email IS NOT NULL)
GROUP BY day, team, scope, user_id, user_email;

-- Made of what `explain=true` shows: only there is said which string of JSON a find is in.
CREATE VIEW IF NOT EXISTS {{database}}.matches {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, id, run_id, event_id, external_session_id, config, policy_id,
    JSONExtractString(toString(policies), toString(policy_id), 'name') AS policy_name,
    JSONExtractString(find, 'detector') AS detector,
    JSONExtractString(find, 'view') AS view,
    JSONExtractString(find, 'source') AS source,
    JSONHas(find, 'path') = 1 AS in_json,
    if(in_json, JSONExtractString(find, 'path'), NULL) AS path,
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
    ARRAY JOIN JSONExtractKeysAndValuesRaw(assumeNotNull(explained), 2) AS explanation
    WHERE position(explained, '{') > 0
)
ARRAY JOIN JSONExtractArrayRaw(finds) AS find;
