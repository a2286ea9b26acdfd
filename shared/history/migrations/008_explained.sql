-- What `explain=true` adds to an answer is kept with the verdict: where each detector fired in the text as it was sent, and how
-- severe each policy was then. It is JSON, or empty. Entries of the log that an earlier release wrote do not have it.

ALTER TABLE {{database}}.checked {{on_cluster}}
    ADD COLUMN IF NOT EXISTS explained Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', id) AFTER metadata;

ALTER TABLE {{database}}.checked_with_images {{on_cluster}}
    ADD COLUMN IF NOT EXISTS explained Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', id) AFTER metadata;

ALTER TABLE {{database}}.items {{on_cluster}}
    ADD COLUMN IF NOT EXISTS explained LowCardinality(String) AFTER policies;

ALTER TABLE {{database}}.checked_images_handed_on {{on_cluster}} MODIFY QUERY
SELECT * EXCEPT (
    image_kind, image_width, image_height, image_bytes, image_hash, image_quality, image_fetch_ms, image_decode_ms,
    image_session_id
)
FROM {{database}}.checked_with_images;

ALTER TABLE {{database}}.checked_items {{on_cluster}} MODIFY QUERY
SELECT
    team, scope, kind, ts, id, request_id, version, sequence, config, key, received, completed, type, field, role, name,
    call_id, format, event_id, run_id, external_session_id, external_artifact_id, user_id, user_email, status, flagged,
    not_evaluated, note, error, policies, explained,
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
FROM {{database}}.checked
ARRAY JOIN
    id, type, field, role, name, call_id, format, event_id, run_id, external_session_id, external_artifact_id, user_id,
    user_email, status, flagged, not_evaluated, note, explained, link_kind, link_relation, link_run_id, link_event_id,
    link_internal_id, violation_id, violation_name, violation_severity, violation_sources, evidence_policy,
    evidence_detector, evidence_view, evidence_source, evidence_start, evidence_end;

-- Views for people keep the columns they were made with.
CREATE OR REPLACE VIEW {{database}}.results {{on_cluster}} AS
SELECT * FROM {{database}}.items FINAL;
