/** Credentials that are told by where they stand: in addresses, headers, commands and files of programs. */
import type { Find } from '../../engine/probes/probe.js';
import { isEncodedPair } from './generic.js';
import { isDescription, isExample, isReference } from './placeholders.js';
import { entropyOf, wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';

interface PlaceRuleRow {
  name: string;
  what: string;
  score: number;
  literals: readonly string[];
  /** literals are in lower case, and the pattern decides on the case of what stands there */
  anyCase?: boolean;
  /** sticky from the literal on; group 1 is the credential; its repetitions have a bound */
  pattern: RegExp;
  /** what else must hold of the credential, in the text, where it starts */
  check?(secret: string, text: string, start: number): boolean;
}

const LEFT_OUT = /^(?:\.{3}|…|\*{3}|\[\.)/;

export function place({ pattern, check = () => true, ...row }: PlaceRuleRow): PlaceRule {
  const label = `secrets:${row.name}`;
  const look = (text: string, at: number): Find | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return undefined;
    const secret = match[1]!;
    const start = at + match[0].lastIndexOf(secret);
    // What is cut short is shown, not given.
    if (LEFT_OUT.test(text.slice(start + secret.length, start + secret.length + 3))) return undefined;
    if (isReference(secret) || isDescription(secret) || isExample(secret) || !check(secret, text, start))
      return undefined;
    return { start, end: start + secret.length, score: row.score, label };
  };
  return { kind: 'place', provider: '–', group: 'places', ...row, look };
}

/** Literals with the first letter, and with all letters, in upper case, too. */
export const inCases = (literals: readonly string[]): string[] => [
  ...new Set(literals.flatMap((each) => [each, each[0]!.toUpperCase() + each.slice(1), each.toUpperCase()])),
];

export const isRandom = (value: string): boolean =>
  value.length >= 12 && /\d/.test(value) && entropyOf(value) >= 2.8 && wordinessOf(value) < 0.55;
/** A short one has a digit, and small letters with capitals or a sign. */
export const isMixed = (value: string): boolean =>
  value.length >= 8
    ? /\d/.test(value) || /[^\w.-]/.test(value)
    : /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z!@#$%^&*+=~?]).{6}/.test(value);

/** What is given as a password may have no digit: `subMerged`, `Open.The.Door`. */
export const isGiven = (value: string): boolean =>
  isMixed(value) || (value.length >= 8 && /[a-z][._-]?[A-Z]/.test(value));

/** How far before a password its connection string may start, and its statement of SQL. */
const [CONNECTION, STATEMENT] = [400, 400] as const;

export const PLACES: readonly PlaceRule[] = [
  place({
    name: 'url-password',
    what: 'passwords in addresses: `scheme://user:password@host`',
    score: 0.7,
    literals: ['://'],
    pattern:
      /:\/\/[^\s/?#:@"'<>`\\]{0,100}:([^\s/@"'<>`\\]{3,128}|[^\s/@"'<>`\\]{1,64}@[^\s/@:?"'<>`\\]{2,64})@(?=[A-Za-z0-9[_.-])(?![^\s/?#@]{0,80}@)/y,
    // A port, and what follows an address; an anonymous user; a word or number at a host of examples.
    check: (secret, text, start) =>
      !/^\d{2,5}[^\w%]|(?:^|:)anon/.test(secret) &&
      !(
        /^(?:[a-z]{1,6}|\d{1,6})$/.test(secret) &&
        /^@(?:[\w-]+\.)*example\./.test(text.slice(start + secret.length, start + 80))
      ),
  }),
  place({
    name: 'url-token',
    what: 'tokens in addresses: `scheme://token@host`, but for those of Sentry, which are public',
    score: 0.6,
    literals: ['://'],
    pattern: /:\/\/([A-Za-z0-9_-]{20,200}={0,2})@(?=[A-Za-z0-9])(?![a-z0-9.-]{0,60}sentry)/y,
    check: (secret) => isEncodedPair(secret) || (!secret.endsWith('=') && isRandom(secret)),
  }),
  place({
    name: 'authorization-basic',
    what: '`Authorization: Basic` with user and password',
    score: 0.8,
    literals: ['basic ', 'Basic ', 'BASIC '],
    pattern: /[Bb](?:asic|ASIC) {1,3}([A-Za-z0-9+/]{8,400}={0,2})(?![A-Za-z0-9+/])/y,
    check: (secret) => isEncodedPair(secret) || (secret.length >= 32 && isRandom(secret)),
  }),
  place({
    name: 'authorization-bearer',
    what: '`Bearer` with a random token',
    score: 0.7,
    literals: ['bearer ', 'Bearer ', 'BEARER '],
    pattern: /[Bb](?:earer|EARER) {1,3}["']?([A-Za-z0-9_.~+/-]{16,2000}={0,3})/y,
    check: isRandom,
  }),
  place({
    name: 'authorization-header',
    what: '`Authorization` headers of other schemes: `Token`, `ApiKey`, `Bot`, `SSWS`, `Key`, `OAuth`',
    score: 0.7,
    literals: inCases(['authorization']),
    pattern:
      /[Aa](?:uthorization|UTHORIZATION)["'\]]{0,2}\s{0,3}[:=,]\s{0,3}["'`]?(?:(?:[Tt]oken|[Aa]pi-?(?:[Kk]ey|[Tt]oken)|APIKEY|Bot|SSWS|[Kk]ey|OAuth|GenieKey|Splunk|DeepL-Auth-Key|[Ss]ecret|Negotiate|NTLM|Klaviyo-API-Key|PRIVATE-TOKEN|Discogs token=|Apikey|Zoho-oauthtoken|PMAK|[Ss]ig) {0,2}(?:token=)?["']?)?([A-Za-z0-9_.:~+/=-]{16,400})/y,
    check: isRandom,
  }),
  place({
    name: 'netrc-password',
    what: 'passwords in `.netrc`',
    score: 0.7,
    literals: ['password '],
    pattern: /password[ \t]{1,8}([^\s"'`]{4,128})/y,
    check: (_, text, start) =>
      /(?:\bmachine\s{1,8}\S{1,100}|\bdefault)\s{1,8}(?:login|account)\s{1,8}\S{1,100}\s{1,8}(?:account\s{1,8}\S{1,100}\s{1,8})?password\s{1,8}$/.test(
        text.slice(Math.max(0, start - 300), start),
      ),
  }),
  place({
    name: 'pgpass-password',
    what: 'passwords in `.pgpass`',
    score: 0.7,
    literals: [':5432:', ':5433:', ':6432:', ':*:'],
    pattern: /:(?:\d{4}|\*):[^\s:"']{1,64}:[^\s:"']{1,64}:([^\s:"']{4,128})(?=\s|$)/y,
  }),
  place({
    name: 'server-password',
    what: 'passwords in the configuration of servers: `requirepass`, `masterauth`, `IDENTIFIED BY`',
    score: 0.7,
    literals: inCases([
      'requirepass ',
      'masterauth ',
      'identified by ',
      'identified with ',
      'with password ',
      'encrypted password ',
      'rootpw ',
      'bindpw ',
      'bind_pw ',
    ]).concat('auth_pass ', 'user-password password ', 'root-password password '),
    pattern:
      /(?:(?:user|root)-password password|auth_pass|[Rr]equirepass|REQUIREPASS|rootpw(?: --plaintext)?(?! +--)|bind_?pw|[Mm]asterauth|MASTERAUTH|(?:[Ii]dentified (?:with \w{1,40} )?by|IDENTIFIED (?:WITH \w{1,40} )?BY|[Ww]ith password|WITH PASSWORD|[Ee]ncrypted password|ENCRYPTED PASSWORD)(?= {1,4}['"])) {1,4}["']?([^\s"'`;]{5,128})/y,
    // What somebody has found was identified by him, too.
    check: (_, text, start) =>
      !/identified by ["']?$/i.test(text.slice(Math.max(0, start - 20), start)) ||
      /\b(?:user|role|grant|create|alter|schema|link)\b/i.test(text.slice(Math.max(0, start - STATEMENT), start)),
  }),
  place({
    name: 'environment-secret',
    what: 'values in `ENV`, `setenv`, `setx`, of names such as `API_KEY`, followed by a space',
    score: 0.6,
    literals: ['ENV ', 'setenv ', 'setx ', 'SETX '],
    pattern:
      /(?:ENV|setenv|setx|SETX) {1,4}[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?) {1,4}["']?([^\s"'`=]{6,256})/y,
    check: isMixed,
  }),
  place({
    name: 'connection-password',
    what: 'passwords in connection strings: `Host=…;Password=…`, `jdbc:…?user=…&password=…`',
    score: 0.6,
    literals: [';', '; ', '?', '&'].flatMap((joint) =>
      ['password=', 'Password=', 'PASSWORD=', 'pwd=', 'Pwd=', 'PWD='].map((name) => joint + name),
    ),
    pattern: /[;?&] ?[Pp](?:assword|ASSWORD|wd|WD)=["']?([^\s;&"'`<>]{4,128})/y,
    check: (_, text, start) =>
      /(?:\b(?:server|host|data source|address|user(?: ?id|name)?|uid|database|initial catalog)\s?=\s?[^;&\n]{1,100}[;&]|jdbc:[a-z]+:|amqps?:|mongodb)[^\n]{0,200}$/i.test(
        text.slice(Math.max(0, start - CONNECTION), start),
      ),
  }),
  place({
    name: 'quoted-passphrase',
    what: 'passwords and passphrases with spaces: `DB_PASSWORD="… …"`',
    score: 0.5,
    literals: ['password', 'passphrase', 'passwd'].flatMap((name) =>
      [`${name}=`, `${name.toUpperCase()}=`].flatMap((each) => [`${each}"`, `${each}'`]),
    ),
    pattern: /pass(?:word|phrase|wd)=["']([^"'\n<>{}$]{8,80})["'](?![^\s;,])/iy,
    check: (secret) =>
      /\S \S/.test(secret) &&
      /\d/.test(secret) &&
      /[A-Z]/.test(secret) &&
      /[a-z]/.test(secret) &&
      wordinessOf(secret) < 0.4,
  }),
];

const STORAGE_KEY = /(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9=])/y;
/** Two lines before or behind: so far may the name of the provider be. */
const NEAR_LINES = 240;

function findStorageKey(text: string, at: number): Find | undefined {
  const start = at - 86;
  STORAGE_KEY.lastIndex = Math.max(0, start);
  if (start < 0 || !STORAGE_KEY.test(text)) return undefined;
  const before = text
    .slice(Math.max(0, start - NEAR_LINES), start)
    .split('\n')
    .slice(-3);
  const behind = text
    .slice(at + 2, at + NEAR_LINES)
    .split('\n')
    .slice(0, 3);
  // Public keys, signatures and checksums are of the same length.
  if (/public|integrity|sha-?512|hash|checksum|digest|fingerprint|signature/i.test(before.slice(-2).join('\n')))
    return undefined;
  const isNear = /azure|storage ?account/i.test(`${before.join('\n')} ${behind.join('\n')}`);
  return isNear && !isExample(text.slice(start, at))
    ? { start, end: at + 2, score: 0.7, label: 'secrets:azure-storage-near-key' }
    : undefined;
}

export const AZURE_STORAGE: PlaceRule = {
  kind: 'place',
  name: 'azure-storage-near-key',
  provider: 'Azure',
  what: 'keys of storage accounts, with the name of Azure up to two lines away',
  group: 'providers',
  score: 0.7,
  literals: ['=='],
  look: findStorageKey,
};
