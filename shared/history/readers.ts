/**
 * What people may do in a ClickHouse server of one's own: the role `weir_reader`. It reads what the dictionary says is for people, of the
 * teams for which its user has a role `weir_team_<id>`, or of all teams with the role `weir_all_teams`. Roles are those of a whole server, so
 * the names of a database that is not called `weir` begin with its own. The engine of `npm start`
 * has a reader of its own, with the same limits of a query.
 */
import { PEOPLE_READ } from './dictionary.js';
import type { MigrateOptions } from './migrate.js';
import { localTable } from './shards.js';

/** Limits of a query: bytes, seconds, threads. A reader may ask for less. */
export const READER_LIMITS = { max_memory_usage: 1024 ** 3, max_execution_time: 60, max_threads: 4 } as const;
const AT_ONCE = 2;
/** Of a user in an hour. */
const QUOTA = { queries: 3600, execution_time: 1800 } as const;

/** Tables with rows of all teams. A view shows what its reader may see of them. */
const GUARDED = [
  'items',
  'contents',
  'images',
  'metrics',
  'shadow_checks',
  'traces',
  'labels',
  'appeals',
  'erasures',
  'exports',
];
/** A configuration is that of all teams. These columns of it are for everybody. */
const CONFIGURATION = 'number, id, applied, user, host, message, region';
const OF_ALL_TEAMS = ['configurations', 'configuration_policies'];

/** Who may do what, in the words of statements. */
export interface ReaderRules {
  /** by role, as its name is without quotes: what stands between GRANT and TO */
  grants: Record<string, string[]>;
  /** tables whose rows are filtered, and which rows a reader sees */
  guarded: readonly string[];
  filter: string;
}

type ReaderRole = 'weir_reader' | 'weir_all_teams' | 'weir_team_';

/**
 * What the role is called for a database. No database has a name with a "/", nor a team an id, so no role of one can be that of another.
 * Names are at most 200 characters: 64 of the database, 128 of the team.
 */
const named = (database: string, role: ReaderRole): string => (database === 'weir' ? role : `${database}/${role}`);

/** `sharded`: views of a cluster read Distributed tables, and those the tables of each shard. */
export function readerRules(database: string, sharded = false): ReaderRules {
  const people = Object.keys(PEOPLE_READ);
  const guarded = sharded ? GUARDED.flatMap((table) => [table, localTable(table)]) : GUARDED;
  const tables = [...new Set([...people.filter((table) => !OF_ALL_TEAMS.includes(table)), ...guarded])];
  const configurations = ['configurations', ...(sharded ? [localTable('configurations')] : [])];
  const select = (table: string): string => `SELECT ON ${database}.${table}`;
  return {
    grants: {
      [named(database, 'weir_reader')]: [
        ...tables.map(select),
        ...configurations.map((table) => `SELECT(${CONFIGURATION}) ON ${database}.${table}`),
      ],
      [named(database, 'weir_all_teams')]: [...configurations, 'configuration_policies'].map(select),
    },
    guarded,
    filter: `has(currentRoles(), concat('${named(database, 'weir_team_')}', team)) OR has(currentRoles(), '${named(database, 'weir_all_teams')}')`,
  };
}

/** The statements that make the roles. They can run again, as after an upgrade. */
export function readerStatements({
  database,
  cluster,
  sharded,
}: Pick<MigrateOptions, 'database' | 'cluster' | 'sharded'>): string[] {
  const on = cluster === undefined ? '' : ` ON CLUSTER ${cluster}`;
  const { grants, guarded, filter } = readerRules(database, sharded);
  // 0 would be no limit.
  const limits = Object.entries(READER_LIMITS).map(([name, limit]) => `${name} = ${limit} MIN 1 MAX ${limit}`);
  // A table that is joined or looked into is asked for once, and not by each shard.
  if (sharded) limits.push("distributed_product_mode = 'global'");
  const quota = Object.entries(QUOTA).map(([name, most]) => `${name} = ${most}`);
  const quoted = (role: string): string => (database === 'weir' ? role : `\`${role}\``);
  const reader = quoted(named(database, 'weir_reader'));
  return [
    ...(database === 'weir' ? [] : withoutPlainNames(database, on)),
    ...Object.keys(grants).map((role) => `CREATE ROLE IF NOT EXISTS ${quoted(role)}${on}`),
    ...Object.entries(grants).flatMap(([role, all]) => all.map((grant) => `GRANT${on} ${grant} TO ${quoted(role)}`)),
    ...guarded.flatMap((table) => [
      `CREATE ROW POLICY OR REPLACE weir_reader${on} ON ${database}.${table} FOR SELECT USING ${filter} TO ${reader}`,
      // Without it, servers may hide all rows from those who have no policy, such as Weir itself.
      `CREATE ROW POLICY OR REPLACE weir_others${on} ON ${database}.${table} FOR SELECT USING 1 TO ALL EXCEPT ${reader}`,
    ]),
    `CREATE SETTINGS PROFILE OR REPLACE ${reader}${on} SETTINGS readonly = 2, ${limits.join(', ')}, max_concurrent_queries_for_user = ${AT_ONCE} CONST TO ${reader}`,
    `CREATE QUOTA OR REPLACE ${reader}${on} KEYED BY user_name FOR INTERVAL 1 hour MAX ${quota.join(', ')} TO ${reader}`,
  ];
}

/**
 * The roles of the database `weir` had the grants of every database before. They lose them first: no row policy of this one speaks of
 * them any more.
 */
const withoutPlainNames = (database: string, on: string): string[] =>
  ['weir_reader', 'weir_all_teams'].flatMap((role) => [
    `CREATE ROLE IF NOT EXISTS ${role}${on}`,
    `REVOKE${on} SELECT ON ${database}.* FROM ${role}`,
  ]);
