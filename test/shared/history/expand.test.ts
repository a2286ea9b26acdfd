/** Migrations run while processes of the release before go on: they add, and take nothing from these. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMigrations } from '#weir/shared/history/migrate';
import { contractions } from './expand.ts';

/**
 * What migrations take away, by file, and since which release nothing reads or writes it. A line here needs a release between: the one before
 * the migration neither reads nor writes what goes.
 */
const CONTRACTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The enumeration gets a value, and keeps those that it has: the release before writes and reads them as ever.
  '011_appeals': { 'changes column label': 'nothing goes' },
};

describe('migrations', () => {
  it('take nothing from the release before', () => {
    for (const { name, sql } of readMigrations()) {
      const known = CONTRACTED[name] ?? {};
      const unknown = contractions(sql).filter((what) => !Object.hasOwn(known, what));
      assert.deepEqual(
        unknown,
        [],
        `${name}: processes of the release before may need it (CONTRIBUTING.md, "A migration")`,
      );
    }
  });

  it('are seen to take something away, however it is written', () => {
    const cases: Record<string, string> = {
      'ALTER TABLE {{database}}.items {{on_cluster}} DROP COLUMN IF EXISTS note;': 'drops column note',
      'ALTER TABLE d.items\n  ADD COLUMN a String,\n  DROP  COLUMN `b`;': 'drops column b',
      'ALTER TABLE d.items RENAME COLUMN note TO notes;': 'renames column note',
      'ALTER TABLE d.items MODIFY COLUMN note UInt8;': 'changes column note',
      'alter table d.items clear column note in partition 1;': 'clears column note',
      'ALTER TABLE d.items ADD CONSTRAINT short CHECK length(note) < 9;': 'refuses rows by constraint short',
      'ALTER TABLE d.items MODIFY ORDER BY (a, b);': 'changes ORDER BY',
      'DROP TABLE IF EXISTS {{database}}.names {{on_cluster}};': 'drops names',
      'DROP VIEW d.checked_names;': 'drops checked_names',
      'TRUNCATE TABLE d.names;': 'drops names',
      'RENAME TABLE d.names TO d.other;': 'renames names',
      'EXCHANGE TABLES d.names AND d.other;': 'renames names',
      'DELETE FROM d.names WHERE 1;': 'deletes rows of names',
      'ALTER TABLE d.names DELETE WHERE 1;': 'deletes rows of',
    };
    for (const [sql, what] of Object.entries(cases)) assert.deepEqual(contractions(sql), [what], sql);
  });

  it('may add whatever they like', () => {
    const sql = `-- DROP COLUMN a
      CREATE TABLE IF NOT EXISTS d.t (a String COMMENT 'as by DROP TABLE x', b String DEFAULT 'it\\\\'s RENAME COLUMN c') ENGINE = Null;
      ALTER TABLE d.t ADD COLUMN IF NOT EXISTS c String, ADD INDEX i c TYPE minmax, COMMENT COLUMN a 'x', MODIFY TTL ts + INTERVAL 1 DAY;
      CREATE OR REPLACE VIEW d.v AS SELECT a, b, c FROM d.t;
      ALTER TABLE d.checked_t MODIFY QUERY SELECT a, c FROM d.t;`;
    assert.deepEqual(contractions(sql), []);
  });
});
