-- The log is trimmed as soon as an insert is acknowledged, so the name of a part must be on disk by then, as its data is.
--
-- Blocks have no tokens any more. A table without replicas logs the token of a block before its part has a name: killed in between, it
-- takes the repetition for stored.

ALTER TABLE {{database}}.items {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;

ALTER TABLE {{database}}.contents {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;

ALTER TABLE {{database}}.names {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;

ALTER TABLE {{database}}.images {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;

ALTER TABLE {{database}}.run_events {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;

ALTER TABLE {{database}}.user_checks {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;

ALTER TABLE {{database}}.shadow_checks {{on_cluster}}
    MODIFY SETTING fsync_part_directory = 1, non_replicated_deduplication_window = 0;
