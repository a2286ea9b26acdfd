/** Passwords of calls and statements that have a place for one: `login("user", "…")`, `INSERT INTO users (name, password) VALUES (…)`. */
import type { Find } from '../../engine/probes/probe.js';
import { kindOfName } from './names.js';
import { isDescription, isExample, isReference } from './placeholders.js';
import { isMixed } from './places.js';
import type { PlaceRule } from './rule.js';

const MOST_ARGUMENTS = 3;
/** How many arguments stand before the password, by what the call ends with. */
const CALLS: ReadonlyMap<string, number> = new Map([
  ...[
    'getConnection(',
    'mysqli_connect(',
    'ftp_login(',
    'ldap_bind(',
    'ssh2_auth_password(',
    'mysql_connect(',
    'mysqli(',
    'PDO(',
    'PlainAuth(',
    'create_user(',
    'MySQLdb.connect(',
    'pymysql.connect(',
    'DBI->connect(',
    'Sequelize(',
    'odbc_connect(',
    'ibase_connect(',
  ].map((call) => [call, 2] as const),
  ...[
    'auth=(',
    'auth = (',
    'ldap.bind(',
    'simple_bind_s(',
    'HTTPBasicAuth(',
    'HTTPDigestAuth(',
    'WithEmailAndPassword(',
    'Credentials.basic(',
    'BasicAuth(',
    'basic_auth(',
    'NetworkCredential(',
    'NetworkCredential]::new(',
    '.auth(',
    'PasswordCredentials(',
    'PlainCredentials(',
    'PasswordAuthentication(',
    'WiFi.begin(',
    'login(',
    'authenticate(',
    'Authenticate(',
    'authenticate_user(',
    'UsernamePasswordToken(',
    'UsernamePasswordCredentials(',
    'UsernamePasswordAuthenticationToken(',
    'jwt.sign(',
    'jwt.verify(',
    'jwt.encode(',
    'oci_connect(',
    'cx_Oracle.connect(',
    'oracledb.connect(',
    'UserPasswordCredential(',
    'basicAuth(',
  ].map((call) => [call, 1] as const),
  ...['->auth(', 'ethers.Wallet(', 'privateKeyToAccount(', 'Account.from_key(', 'asswordEncoder().encode('].map(
    (call) => [call, 0] as const,
  ),
  ['.connect(', MOST_ARGUMENTS],
]);
const ARGUMENT = String.raw`(?:[\w.$>\[\]-]{1,60}|\{[^{}\n]{0,160}\}|"[^"\n]{0,160}"|'[^'\n]{0,160}')`;
const argumentsBefore = (count: number): RegExp =>
  new RegExp(
    String.raw`\s{0,8}(?:${ARGUMENT}\s{0,2},\s{0,8}){${count}}(?:Some\(|String::from\(|[bN@])?["']([^\s"'\\]{6,128})["']\s{0,2}(?:[,)]|\.(?:getBytes|toCharArray|encode)\()`,
    'y',
  );
const PASSWORD_AT = Array.from({ length: MOST_ARGUMENTS + 1 }, (_, count) => argumentsBefore(count));

const isPassword = (value: string): boolean =>
  isMixed(value) &&
  /[A-Za-z]/.test(value) &&
  !/^[\w.+-]+@[\w-]+\.[a-z.]{2,}$|:\/\/|^[./~]/i.test(value) &&
  !isReference(value) &&
  !isDescription(value) &&
  !isExample(value);

function findArgument(text: string, at: number, call: string): Find | undefined {
  const pattern = PASSWORD_AT[CALLS.get(call)!]!;
  pattern.lastIndex = at + call.length;
  const match = pattern.exec(text);
  if (!match || !isPassword(match[1]!)) return undefined;
  const start = at + call.length + match[0].lastIndexOf(match[1]!);
  return { start, end: start + match[1]!.length, score: 0.6, label: 'secrets:call-password' };
}

/** Units of the names of columns, values of a row, rows that are read. */
const [MAX_COLUMNS, MAX_VALUES, MAX_ROWS] = [600, 60, 20] as const;
const COLUMNS = /\(([^()]{3,600})\)\s{0,8}$/;
const ROW = /\s{0,8},?\s{0,8}\((?=[^\n])/y;
const VALUE =
  /\s{0,8}(?:N?'((?:[^'\\]|''|\\.){0,400})'|"((?:[^"\\]|\\.){0,400})"|([^\s,()'"]{1,80}(?:\([^()]{0,80}\))?))\s{0,8}([,)])/y;

/** The values of the columns for passwords in the statement whose `VALUES` is at `at`. */
function findInserted(text: string, at: number): Find[] | undefined {
  const columns = COLUMNS.exec(text.slice(Math.max(0, at - MAX_COLUMNS), at))?.[1]?.split(',');
  const column = columns?.findIndex((name) => kindOfName(name) === 'password') ?? -1;
  if (column < 0) return undefined;
  const finds: Find[] = [];
  let next = at + 'values'.length;
  for (let row = 0; row < MAX_ROWS; row++) {
    ROW.lastIndex = next;
    if (!ROW.test(text)) break;
    next = ROW.lastIndex;
    for (let n = 0; n < MAX_VALUES; n++) {
      VALUE.lastIndex = next;
      const match = VALUE.exec(text);
      if (!match) return finds;
      next = VALUE.lastIndex;
      const value = match[1] ?? match[2];
      if (
        n === column &&
        value !== undefined &&
        value.length >= 6 &&
        !/\s|^\$|^[0-9a-f]{32,}$/i.test(value) &&
        isPassword(value)
      ) {
        const start = match.index + match[0].indexOf(value);
        finds.push({ start, end: start + value.length, score: 0.6, label: 'secrets:inserted-password' });
      }
      if (match[4] === ')') break;
    }
  }
  return finds;
}

const row = (rule: Pick<PlaceRule, 'name' | 'what' | 'literals' | 'look'>): PlaceRule => ({
  kind: 'place',
  provider: '–',
  group: 'places',
  score: 0.6,
  ...rule,
});

export const CALL_RULES: readonly PlaceRule[] = [
  row({
    name: 'call-password',
    what: 'passwords behind the user in calls: `getConnection(url, user, …)`, `auth=(user, …)`, `NetworkCredential(user, …)`',
    literals: [...CALLS.keys()],
    look: (text, at) => {
      for (const call of CALLS.keys()) if (text.startsWith(call, at)) return findArgument(text, at, call);
      return undefined;
    },
  }),
  row({
    name: 'inserted-password',
    what: 'passwords in statements of SQL: `INSERT INTO users (name, password) VALUES (…)`',
    literals: ['VALUES', 'values', 'Values'],
    look: (text, at) => findInserted(text, at),
  }),
];
