-- What an item violates, as one text: a line for each violation, of tabs between the id of its policy, the name of that, its sources, and id and name of
-- each condition that chose the policy. Few differ, so the figures of a million violations are counted by a word each. To read the arrays of violations
-- and the map of policies for each row takes two to four times as long.

ALTER TABLE {{database}}.items {{on_cluster}} ADD COLUMN IF NOT EXISTS violation_set LowCardinality(String) DEFAULT arrayStringConcat(arrayMap(
    (v, n, s) -> concat('\n', toString(v), '\t', translate(n, '\t\n', '  '), '\t', arrayStringConcat(s, ','), arrayStringConcat(arrayMap(
        c -> concat('\t', c.1, '\t', translate(c.2, '\t\n', '  ')),
        JSONExtract(toString(policies), toString(v), 'enabled_by_conditions', 'Array(Tuple(id String, name String))')))),
    violation.id, violation.name, violation.sources));

-- Rows from before get theirs in the background.
ALTER TABLE {{database}}.items {{on_cluster}} MATERIALIZE COLUMN violation_set SETTINGS mutations_sync = 0;
