/** Names of programs that are looked at, and of those that a line may begin with as well. */

import type { CommandRule } from './rule.js';
import { FILE_RULES } from './rules/files.js';
import { NETWORK_RULES } from './rules/network.js';
import { RIGHTS_RULES } from './rules/rights.js';
import { SERVICE_RULES } from './rules/services.js';
import { WINDOWS_RULES } from './rules/windows.js';
import { type Dialect, POSIX, WINDOWS } from './words.js';
import { WRAPPERS } from './wrappers.js';

export const POSIX_RULES: readonly Readonly<Record<string, CommandRule>>[] = [
  FILE_RULES,
  SERVICE_RULES,
  NETWORK_RULES,
  RIGHTS_RULES,
];

export const SHELLS = new Set('sh bash zsh dash ksh ash fish rbash mksh csh tcsh'.split(' '));
/** Languages, and the options that have a program. */
export const CODE = new Map([
  ['python', 'c'],
  ['python2', 'c'],
  ['python3', 'c'],
  ['perl', 'e E'],
  ['ruby', 'e'],
  ['node', 'e p eval print'],
  ['nodejs', 'e p eval print'],
  ['deno', 'eval'],
  ['bun', 'e'],
  ['php', 'r'],
  ['lua', 'e'],
  ['osascript', 'e'],
]);
/** Clients of databases, and the options that have statements. */
export const CLIENTS = new Map([
  ['psql', 'c command'],
  ['mysql', 'e execute'],
  ['mariadb', 'e execute'],
  ['sqlcmd', 'Q q'],
  ['sqlplus', ''],
  ['sqlite3', ''],
  ['duckdb', 'c'],
  ['clickhouse-client', 'q query'],
  ['clickhouse', 'q query'],
  ['cockroach', 'e execute'],
  ['usql', 'c'],
  ['bq', ''],
  ['cqlsh', 'e'],
  ['snowsql', 'q'],
  ['beeline', 'e'],
  ['hive', 'e'],
  ['impala-shell', 'q'],
  ['influx', 'execute'],
  ['wp', ''],
  ['invoke-sqlcmd', 'Query'],
]);

/** Programs that a line may begin with: what is judged, and what is not. */
export const isKnown = (name: string): boolean => INTERESTING.has(name) || HARMLESS.has(name);
export const isInteresting = (name: string): boolean => INTERESTING.has(name);

const INTERESTING = new Set([
  ...POSIX_RULES.flatMap((rules) => Object.keys(rules)),
  ...Object.keys(WINDOWS_RULES),
  ...Object.keys(WRAPPERS).filter((name) => !/^(?:run|call|start|time|watch|command|parallel)$/.test(name)),
  ...SHELLS,
  ...CODE.keys(),
  ...CLIENTS.keys(),
  ...'trap ansible eval su runuser ssh pwsh powershell cmd redis-cli valkey-cli keydb-cli mongo mongosh source . at batch script'.split(
    ' ',
  ),
]);

const HARMLESS = new Set(
  (
    'yes cd ls echo printf cat cp mkdir touch export set unset pwd grep egrep sed awk head tail sort uniq wc cut tr xargs tar zip unzip ' +
    'make cmake npm yarn pnpm pip pip3 go cargo mvn gradle brew snap for while if then do done else fi { [ [[ test true false : sleep ' +
    'wait trap umask read local declare function alias type which ps top df du lsblk mount umount whoami id uname hostname date ' +
    'base64 xxd openssl gzip gunzip ifconfig ip ping journalctl dmesg nano vi vim less more man get-childitem gci dir set-location write-host write-output copy-item ' +
    'get-wmiobject get-ciminstance get-psdrive get-volume expect move-item new-item attrib icacls takeown tasklist taskkill time watch parallel command start call git'
  ).split(' '),
);

export const dialectOf = (text: string): Dialect => (looksLikeWindows(text) ? WINDOWS : POSIX);

const looksLikeWindows = (text: string): boolean =>
  /^\s*(?:(?:get|set|new|remove|invoke|start|stop|clear|format|restart|initialize|copy|move|write|out)-[a-z]+\b|(?:del|erase|rd|rmdir|ri|iex|iwr|irm|gci|format|reg|cmd|cmd\.exe|powershell|powershell\.exe|copy|xcopy|takeown|icacls)\s)|[A-Za-z]:\\|\$env:/i.test(
    text,
  );
