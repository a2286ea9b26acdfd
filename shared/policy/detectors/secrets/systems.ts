/** Credentials in the files and commands of systems: network devices, radio, mail, databases, sessions, signed addresses, hashes of passwords. */
import type { Find } from '../../engine/probes/probe.js';
import { isDescription, isExample, isReference } from './placeholders.js';
import { inCases, isGiven, isMixed, isRandom, place } from './places.js';
import type { PlaceRule } from './rule.js';

/** Community names that every device has before it is set up. */
const isChosen = (secret: string): boolean => secret.length >= 5 && !/^(?:public|private|community)$/i.test(secret);
const isLineStart = (text: string, at: number): boolean =>
  /(?:^|\n)[ \t>#]{0,8}$/.test(text.slice(Math.max(0, at - 9), at));

const DEVICES = [
  'enable secret ',
  'enable password ',
  'tacacs-server key ',
  'radius-server key ',
  'isakmp key ',
  'pre-shared-key ',
  'plain-text-password-value ',
  ...[': PSK ', ': EAP ', ': XAUTH '].map((kind) => `${kind}"`),
  "option key '",
  'wpa-psk ascii ',
  'message-digest-key ',
  'key-string ',
  'ppp chap password ',
  'ppp pap sent-username ',
];

const COOKIE_NAME = /sess|(?:^|[._-])sid|auth|token|identity|remember|login|jwt|sso|\.sid$/i;
/** In a header, also as the recordings of browsers have it. */
const COOKIES = /^((?:set-)?cookie)["']?\s{0,3}(?:,\s{0,3}"value"\s{0,3})?:\s{0,3}["']?([^\r\n"']{10,4000})/i;

/** The values of session cookies in a header. */
function findCookies(text: string, at: number): Find[] | undefined {
  const header = COOKIES.exec(text.slice(at, at + 4200));
  if (!header) return undefined;
  const from = at + header[0].length - header[2]!.length;
  const finds: Find[] = [];
  for (const { 1: name, 2: value, index, 0: whole } of header[2]!.matchAll(/([\w.-]{2,64})=([^\s;,]{20,4000})/g)) {
    if (!COOKIE_NAME.test(name!) || /csrf|xsrf/i.test(name!) || !isRandom(value!) || isExample(value!)) continue;
    const start = from + index + whole.length - value!.length;
    finds.push({ start, end: start + value!.length, score: 0.6, label: 'secrets:session-cookie' });
  }
  return finds.length > 0 ? finds : undefined;
}

/** The password before the protocol at `at`. */
function findInSource(text: string, at: number): Find | undefined {
  const secret = /(?<![^\s"'`=])[\w.-]{1,64}:([^\s:@"'`]{3,100})$/.exec(text.slice(Math.max(0, at - 166), at))?.[1];
  return secret === undefined || isReference(secret) || isDescription(secret) || isExample(secret)
    ? undefined
    : { start: at - secret.length, end: at, score: 0.7, label: 'secrets:dsn-password' };
}

const PIPED =
  /\b(?:echo|printf)\s{1,4}(?:-\w\s{1,4})?(?:["']?%s(?:\\n)?["']?\s{1,4})?["']?(?:[\w.-]{1,32}:)?([^\s"'|]{6,128})["']?\s{0,4}\|[^|\n]{0,80}$/;

/** The password that is written to the input of the program whose option or name is at `at`. */
function findPiped(text: string, at: number): Find | undefined {
  const from = Math.max(0, at - 260);
  const near = text.slice(from, at);
  const match = PIPED.exec(near);
  if (!match) return findHereString(text, at);
  const secret = match[1]!;
  if (isReference(secret) || isDescription(secret) || isExample(secret) || !isGiven(secret)) return undefined;
  const start = from + match.index + match[0].indexOf(secret, match[0].search(/\s/));
  return { start, end: start + secret.length, score: 0.6, label: 'secrets:piped-password' };
}

const HERE_STRING = /<<< ?["']?([^\s"'`]{6,128})/y;
const READS_PASSWORD = /(?:passw|passphrase|--\S{0,20}stdin|\blogin\b|\bcryptsetup\b)[^\n]{0,80}$/;

/** The same in `program --password-stdin <<< password`. */
function findHereString(text: string, at: number): Find | undefined {
  HERE_STRING.lastIndex = at;
  const secret = HERE_STRING.exec(text)?.[1];
  if (
    secret === undefined ||
    !READS_PASSWORD.test(text.slice(Math.max(0, at - 120), at)) ||
    isReference(secret) ||
    isExample(secret) ||
    !isGiven(secret)
  )
    return undefined;
  const start = text.indexOf(secret, at);
  return { start, end: start + secret.length, score: 0.6, label: 'secrets:piped-password' };
}

const HASH =
  /(?:\{SS?HA\}[+/\w]{27,60}={0,2}|\$(?:apr1\$[./\w]{1,8}\$[./\w]{22}|1\$[./\w]{1,8}\$[./\w]{22}|5\$(?:rounds=\d{1,9}\$)?[./\w]{1,16}\$[./\w]{43}|6\$(?:rounds=\d{1,9}\$)?[./\w]{1,16}\$[./\w]{86}|g?y\$[./\w]{1,8}\$[./\w]{1,86}\$[./\w]{43}|2[abxy]\$\d\d\$[./\w]{53}|argon2id?\$v=\d{1,3}\$[\w=,]{5,40}\$[+/\w]{11,64}\$[+/\w]{20,128}))(?![./\w$])/y;

/** A hash of a password. One in a line of a user is as good as the password; one that stands by itself is mostly in documents and tests. */
function findHash(text: string, at: number): Find | undefined {
  HASH.lastIndex = at;
  if (!HASH.test(text)) return undefined;
  const before = text.slice(Math.max(0, at - 70), at);
  const isOfUser = /(?:^|\n)[ \t]{0,8}[\w.@-]{1,64}:$/.test(before) || /secret [59] $/.test(before);
  return { start: at, end: HASH.lastIndex, score: isOfUser ? 0.7 : 0.4, label: 'secrets:password-hash' };
}

const row = (rule: Pick<PlaceRule, 'name' | 'what' | 'score' | 'literals' | 'look'>): PlaceRule => ({
  kind: 'place',
  provider: '–',
  group: 'places',
  ...rule,
});

export const SYSTEMS: readonly PlaceRule[] = [
  place({
    name: 'snmp-community',
    what: 'community names and passwords of SNMP',
    score: 0.6,
    literals: ['snmp-server community ', 'rocommunity ', 'rwcommunity ', ' -v2c -c ', ' -v1 -c '],
    pattern: /(?:snmp-server community|r[ow]community6?| -v(?:2c|1) -c) ["']?([^\s"']{5,64})/y,
    check: isChosen,
  }),
  place({
    name: 'snmp-password',
    what: 'passwords of users of SNMP',
    score: 0.7,
    literals: ['createUser ', ' -A ', ' -X '],
    pattern: /(?:createUser \S{1,64} (?:MD5|SHA(?:-?\d{3})?)| -[AX]) ["']?([^\s"']{8,64})/y,
    check: (secret, text, start) =>
      text[start - 2] !== 'X' && text[start - 2] !== 'A'
        ? true
        : isMixed(secret) && /\bsnmp\w{2,12} [^\n]{0,200}$/.test(text.slice(Math.max(0, start - 220), start)),
  }),
  place({
    name: 'wifi-passphrase',
    what: 'passphrases of wireless networks: `psk=`, `WIFI:…;P:…;`, profiles',
    score: 0.7,
    literals: ['psk="', 'wpa-psk ', 'WIFI:', 'keyMaterial>'],
    pattern: /(?:psk="|wpa-psk ["']?|WIFI:(?:[A-OQ-Z]:[^;]{0,64};){1,4}P:|keyMaterial>)([^\s"';<]{8,64})/y,
  }),
  place({
    name: 'device-password',
    what: 'passwords and keys in the configuration of network devices',
    score: 0.6,
    literals: DEVICES,
    pattern:
      /(?:enable (?:secret|password)|(?:tacacs|radius)-server key|isakmp key|pre-shared-key|plain-text-password-value|: (?:PSK|EAP|XAUTH)|option key|wpa-psk ascii|message-digest-key \d{1,3} md5|key-string|ppp (?:chap|pap sent-username \S{1,64}) password) ["']?(?:(?:\d|level \d{1,2}) ){0,2}([^\s"'$][^\s"']{5,128})/y,
    check: (secret) => isMixed(secret),
  }),
  place({
    name: 'device-user-password',
    what: 'passwords of users of network devices',
    score: 0.6,
    literals: ['username '],
    pattern: /username [\w.-]{1,64} (?:privilege \d{1,2} )?(?:secret|password) (?:\d )?([^\s"$][^\s"]{5,128})/y,
    check: (secret, text, start) => isMixed(secret) && isLineStart(text, text.lastIndexOf('username ', start)),
  }),
  place({
    name: 'oracle-password',
    what: 'passwords in names of Oracle: `sqlplus user/password@host`, `jdbc:oracle:thin:user/password@host`',
    score: 0.6,
    literals: ['sqlplus ', 'jdbc:oracle:'],
    pattern: /(?:sqlplus (?:-\w{1,8} ){0,3}["']?|jdbc:oracle:(?:thin|oci):)[\w$#]{1,64}\/([^\s@"'/]{4,128})@/y,
  }),
  place({
    name: 'mail-relay-password',
    what: 'passwords of mail relays: `[host]:587 user:password`',
    score: 0.7,
    literals: [']:587 ', ']:465 ', ']:25 ', ']:587\t'],
    pattern: /\]:\d{2,3}[ \t]{1,8}[^\s:]{1,100}:([^\s]{5,128})(?=\s|$)/y,
  }),
  place({
    name: 'share-password',
    what: 'passwords of shares: `net use … /user:name password`, `smbclient -U name%password`',
    score: 0.6,
    literals: ['/user:', ' -U ', 'net user ', 'net use '],
    pattern:
      /(?:\/user:[^\s]{1,64} |net use (?:\w: )?\\\\\S{1,100} (?=\S{6,128} \/user:)|net user ["']?[\w.-]{1,32}["']? | -U ["']?[\w.\\-]{1,64}%)["']?([^\s"'/*]{6,128})/y,
    check: (secret, text, start) =>
      isMixed(secret) &&
      /\b(?:net user?|smbclient|rpcclient|mount)\b[^\n]{0,200}$/i.test(text.slice(Math.max(0, start - 260), start)),
  }),
  place({
    name: 'htpasswd-password',
    what: 'passwords in calls of `htpasswd -b`',
    score: 0.6,
    literals: ['htpasswd -'],
    pattern: /htpasswd (?=-\w{0,6}b)(?:-\w{1,6} ){1,4}[^\s-][^\s]{0,100} [^\s]{1,64} ["']?([^\s"']{6,128})/y,
    check: isGiven,
  }),
  place({
    name: 'signed-url',
    what: 'signatures of addresses that need nothing else: AWS, Google Cloud, CloudFront',
    score: 0.6,
    literals: inCases(['x-goog-signature=', 'x-amz-signature=', 'signature=']),
    pattern: /(?:[Xx]-(?:[Gg]oog|[Aa]mz)-)?(?:S|s)ignature=([\w%~.+/-]{26,800}={0,2})/y,
    check: (secret, text, start) =>
      isRandom(secret) &&
      /:\/\/[^\s"'<>]{4,2000}$/.test(text.slice(Math.max(0, start - 2100), start)) &&
      /Expires=|Key-Pair-Id=|AccessKeyId=|-Credential=/i.test(text.slice(Math.max(0, start - 600), start + 1200)),
  }),
  place({
    name: 'function-url',
    what: 'keys in addresses of Azure Functions: `….azurewebsites.net/api/…?code=…`',
    score: 0.7,
    literals: ['.azurewebsites.net/'],
    pattern: /\.azurewebsites\.net\/[^\s"'<>?]{1,200}\?(?:[^\s"'<>&]{0,100}&){0,4}code=([\w%/+-]{40,80}={0,2})/y,
    check: isRandom,
  }),
  row({
    name: 'dsn-password',
    what: 'passwords in names of data sources: `user:password@tcp(host)`',
    score: 0.7,
    literals: ['@tcp(', '@unix('],
    look: findInSource,
  }),
  row({
    name: 'session-cookie',
    what: 'cookies of sessions in the headers `Cookie` and `Set-Cookie`',
    score: 0.6,
    literals: inCases(['cookie:', 'cookie":', "cookie':", 'cookie",']),
    look: (text, at) => findCookies(text, text.slice(Math.max(0, at - 4), at).toLowerCase() === 'set-' ? at - 4 : at),
  }),
  row({
    name: 'piped-password',
    what: 'passwords that a command gets as its input, as in `docker login --password-stdin`',
    score: 0.6,
    literals: ['--password-stdin', '<<<', 'chpasswd', 'passwd --stdin', 'sudo -S'],
    look: findPiped,
  }),
  place({
    name: 'user-list-password',
    what: 'passwords of users in lists: `chpasswd`, lines of FTP, POP3, IMAP and Redis, scripts of FTP',
    score: 0.6,
    literals: ['chpasswd', 'PASS ', 'AUTH ', ' LOGIN ', '\nuser '],
    pattern:
      /(?: LOGIN "?[\w.@+-]{3,64}"? "?|\nuser [\w.@+-]{2,64} |chpasswd(?::\s{1,8}(?:expire: \w{1,5}\s{1,8})?(?:list|users): ?[|>]?-?\s{1,12}(?:- )?| ?<{2,3}-? ?["']?(?:\w{1,12}["']?\s{1,4})?)["']?[\w.-]{1,32}:|(?<![\w$:])PASS |(?<![^\n> ])AUTH (?:default )?(?=\S{6,128}\r?(?:\n|$)))([^\s"']{6,128})/y,
    check: (secret, text, start) =>
      isMixed(secret) &&
      /\d/.test(secret) &&
      (text[start - 1] === ':' ||
        /(?:^|\n)(?:[\d.:[\]]{0,30}> )?AUTH (?:default )?$/.test(text.slice(Math.max(0, start - 50), start)) ||
        /(?:\b(?:sent|client|C)|>{1,3}):? ?PASS $/.test(text.slice(Math.max(0, start - 16), start)) ||
        /(?:^|\n)(?:[^\n]{0,40}[> ])?\w{1,8} LOGIN "?\S{3,64} "?$/.test(text.slice(Math.max(0, start - 130), start)) ||
        /(?:^|\n)[ \t]{0,8}(?:[lnt]?c?ftp|open) [^\n]{1,80}\nuser \S{2,64} $/.test(
          text.slice(Math.max(0, start - 160), start),
        ) ||
        /\b(?:USER|user)[: ]\s{0,3}\S{1,64}\s(?:[\s\S]{0,60}\s)?PASS $/.test(
          text.slice(Math.max(0, start - 140), start),
        )),
  }),
  place({
    name: 'sent-password',
    what: 'what scripts send to a prompt for a password, or type into a field for one',
    score: 0.6,
    literals: [
      'send "',
      'send -- "',
      'fill_in ',
      '.type(',
      '.fill(',
      '.send_keys(',
      '.sendKeys(',
      '.setValue(',
      '.setText(',
      '.fillField(',
    ],
    pattern:
      /(?:send (?:-- )?|fill_in ["'][^"'\n]{1,40}["'], with: |\.(?:type|fill|send_keys|sendKeys|setValue|setText|fillField)\(\s{0,4})["']([^\s"'\\]{6,128})(?:\\[rn])?["']/y,
    check: (secret, text, start) =>
      isMixed(secret) &&
      !/^pass(?:word)?\d{0,4}!?$/i.test(secret) &&
      /passw|pwd|passphrase|(?:pass|pw)["'\]]/i.test(text.slice(Math.max(0, start - 90), start)),
  }),
  place({
    name: 'form-secret',
    what: 'passwords and tokens in parts of forms: `Content-Disposition: form-data; name="password"`',
    score: 0.7,
    literals: ['form-data; name="'],
    pattern:
      /form-data; name="[\w.[-]{0,24}(?:password\d?|passwd|pwd|passphrase|secret|token|api_?key)\]?"(?:\r?\n[A-Z][\w-]{1,40}: [^\r\n]{1,80}){0,3}\r?\n\r?\n([^\s]{6,512})(?=\r?\n|$)/iy,
    check: (secret, text, start) => isGiven(secret) && !/csrf|xsrf/i.test(text.slice(Math.max(0, start - 120), start)),
  }),
  row({
    name: 'password-hash',
    what: 'hashes of passwords in lines of users: `/etc/shadow`, `htpasswd`, devices',
    score: 0.7,
    literals: [
      '$apr1$',
      '$1$',
      '$5$',
      '$6$',
      '$y$',
      '$gy$',
      '$2a$',
      '$2b$',
      '$2x$',
      '$2y$',
      '$argon2',
      '{SHA}',
      '{SSHA}',
    ],
    look: findHash,
  }),
];
