-- How long each check took. It is stored, since to compute it from two times for each of many rows takes a quarter of the time of a figure.

ALTER TABLE {{database}}.items {{on_cluster}} ADD COLUMN IF NOT EXISTS duration_ms UInt32
    DEFAULT toUInt32(least(4294967295, greatest(0, toUnixTimestamp64Milli(completed) - toUnixTimestamp64Milli(received))));

-- As it was, with the duration.
CREATE OR REPLACE VIEW {{database}}.results {{on_cluster}} AS
SELECT * REPLACE (
    arrayMap(one -> nullIf(toString(one), ''), `link.relation`) AS `link.relation`,
    arrayMap(one -> nullIf(one, ''), `link.run_id`) AS `link.run_id`,
    arrayMap(one -> nullIf(one, ''), `link.event_id`) AS `link.event_id`,
    arrayMap(one -> nullIf(one, toUUID('00000000-0000-0000-0000-000000000000')), `link.internal_id`) AS `link.internal_id`
)
FROM {{database}}.items FINAL;
