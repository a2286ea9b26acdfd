-- A reviewer may take a label back: the row that says so replaces that of the label.

ALTER TABLE {{database}}.labels {{on_cluster}}
    MODIFY COLUMN label Enum8('true_alarm' = 1, 'false_alarm' = 2, 'missed' = 3, 'withdrawn' = 4);
