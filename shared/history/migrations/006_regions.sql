-- The name of the region that rows are of, for people who put those of several regions together; null where there are no regions. It is the same
-- for all rows of a database, so no row carries it: it is the default of the column, which `weir migrate` sets (WEIR_REGION).

ALTER TABLE {{database}}.items {{on_cluster}} ADD COLUMN IF NOT EXISTS region LowCardinality(Nullable(String)) DEFAULT {{region}};
ALTER TABLE {{database}}.images {{on_cluster}} ADD COLUMN IF NOT EXISTS region LowCardinality(Nullable(String)) DEFAULT {{region}};
ALTER TABLE {{database}}.shadow_checks {{on_cluster}} ADD COLUMN IF NOT EXISTS region LowCardinality(Nullable(String)) DEFAULT {{region}};
ALTER TABLE {{database}}.metrics {{on_cluster}} ADD COLUMN IF NOT EXISTS region LowCardinality(Nullable(String)) DEFAULT {{region}};
ALTER TABLE {{database}}.traces {{on_cluster}} ADD COLUMN IF NOT EXISTS region LowCardinality(Nullable(String)) DEFAULT {{region}};
ALTER TABLE {{database}}.configurations {{on_cluster}} ADD COLUMN IF NOT EXISTS region LowCardinality(Nullable(String)) DEFAULT {{region}};

-- As they were, with the region.
CREATE OR REPLACE VIEW {{database}}.results {{on_cluster}} AS
SELECT * REPLACE (
    arrayMap(one -> nullIf(toString(one), ''), `link.relation`) AS `link.relation`,
    arrayMap(one -> nullIf(one, ''), `link.run_id`) AS `link.run_id`,
    arrayMap(one -> nullIf(one, ''), `link.event_id`) AS `link.event_id`,
    arrayMap(one -> nullIf(one, toUUID('00000000-0000-0000-0000-000000000000')), `link.internal_id`) AS `link.internal_id`
)
FROM {{database}}.items FINAL;

CREATE OR REPLACE VIEW {{database}}.violations {{on_cluster}} AS
SELECT
    ts, team, scope, kind, type, field, role, name, id, request_id, run_id, event_id, external_session_id, user_id,
    user_email, tags, config,
    v.id AS policy_id,
    v.name AS policy_name,
    v.severity AS severity,
    v.sources AS sources,
    JSONExtract(toString(policies), toString(v.id), 'enabled_by_conditions', 'Array(Tuple(id String, name String))') AS conditions,
    region
FROM {{database}}.items FINAL
ARRAY JOIN violation AS v;
