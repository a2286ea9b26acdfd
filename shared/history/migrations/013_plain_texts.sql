-- Short texts arrive as plain strings, and become words of a dictionary where they are stored. The engine makes a column of its own for
-- each single value of LowCardinality that it reads from a row, and that was a sixth of what an insert costs. These tables store nothing,
-- and the bytes of a row stay the same. `policies` stays as it is: it is long, and the items of a row share it.

ALTER TABLE {{database}}.checked {{on_cluster}}
    MODIFY COLUMN team String, MODIFY COLUMN scope String, MODIFY COLUMN key String, MODIFY COLUMN error String,
    MODIFY COLUMN type Array(String), MODIFY COLUMN field Array(String), MODIFY COLUMN role Array(String),
    MODIFY COLUMN note Array(String), MODIFY COLUMN explained Array(String),
    MODIFY COLUMN link_relation Array(Array(String)), MODIFY COLUMN violation_name Array(Array(String)),
    MODIFY COLUMN evidence_detector Array(Array(String)), MODIFY COLUMN evidence_view Array(Array(String));

ALTER TABLE {{database}}.checked_with_images {{on_cluster}}
    MODIFY COLUMN team String, MODIFY COLUMN scope String, MODIFY COLUMN key String, MODIFY COLUMN error String,
    MODIFY COLUMN type Array(String), MODIFY COLUMN field Array(String), MODIFY COLUMN role Array(String),
    MODIFY COLUMN note Array(String), MODIFY COLUMN explained Array(String),
    MODIFY COLUMN link_relation Array(Array(String)), MODIFY COLUMN violation_name Array(Array(String)),
    MODIFY COLUMN evidence_detector Array(Array(String)), MODIFY COLUMN evidence_view Array(Array(String)),
    MODIFY COLUMN image_kind Array(String);

ALTER TABLE {{database}}.checked_with_shadow {{on_cluster}}
    MODIFY COLUMN team String, MODIFY COLUMN scope String, MODIFY COLUMN key String, MODIFY COLUMN error String,
    MODIFY COLUMN type Array(String), MODIFY COLUMN field Array(String), MODIFY COLUMN role Array(String),
    MODIFY COLUMN note Array(String), MODIFY COLUMN explained Array(String),
    MODIFY COLUMN link_relation Array(Array(String)), MODIFY COLUMN violation_name Array(Array(String)),
    MODIFY COLUMN evidence_detector Array(Array(String)), MODIFY COLUMN evidence_view Array(Array(String)),
    MODIFY COLUMN image_kind Array(String), MODIFY COLUMN shadow_violation_name Array(Array(String)),
    MODIFY COLUMN shadow_violation_detectors Array(Array(Array(String)));
