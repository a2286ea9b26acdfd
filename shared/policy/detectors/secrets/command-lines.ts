/** Passwords in the commands of programs: options, arguments, and what stands behind a user. */
import { isGiven, isMixed, isRandom, place } from './places.js';
import type { PlaceRule } from './rule.js';

/** The flag of a key that is none of an interface or a secret: its value must be random. */
const PLAIN_KEY = /(?<!api-?|secret-|access-|auth-)key["']?[ ,]{1,3}["']?$/;

const PASSWORD_FLAG = /(?:password|passwd|pass|pw|passphrase|pwd)["']?[ ,]{1,3}["']?$/;

/** How far before an option its command may start. */
const COMMAND = 400;
const isAfter = (commands: RegExp) => (_: string, text: string, start: number) =>
  commands.test(text.slice(Math.max(0, start - COMMAND), start));

/** Whether the option asks for the password, and what follows it is an archive or a database. */
const isOfArchive = (secret: string, text: string, start: number): boolean =>
  !(/[!@#$%^&*]/.test(secret) || (/[A-Z]/.test(secret) && /\d/.test(secret))) &&
  /\b(?:mysql\w*|mariadb|7z[ar]?|rar|unrar|unzip|zip)\b[^\n]* -p ["']?$/.test(
    text.slice(Math.max(0, start - COMMAND), start),
  );

const isAfterLftp = isAfter(/\blftp\b/);
const isAfterClient = isAfter(/\b(?:curl|http|https|wget|xh|svn|docker|az|jfrog|nexus|lftp|jenkins\S*)\b/);

/** An argument, maybe in quotes. */
const WORD = String.raw`(?:"[^"\n]{1,64}"|'[^'\n]{1,64}'|[^\s"'-][^\s"']{0,63})`;

export const COMMAND_LINES: readonly PlaceRule[] = [
  place({
    name: 'command-password',
    what: 'passwords in commands: `curl -u user:password`, `wget --http-password`, `sshpass -p`, `mysql -p`',
    score: 0.7,
    literals: [' -u', ' --user', ' --proxy-user', ' -U', ' -a ', ' --auth', ' -auth '],
    pattern: / (?:-[uUa]|--user|--proxy-user|--?auth)[ =]{0,2}["']?[A-Za-z0-9_.@\\+%-]{0,64}[:,]([^\s"'`]{3,128})/y,
    check: (secret, text, start) => (text[start - 1] === ',' ? isAfterLftp : isAfterClient)(secret, text, start),
  }),
  place({
    name: 'option-password',
    what: 'passwords in short options: `sshpass -p`, `mysql -p`, `redis-cli -a`, `docker login -p`',
    score: 0.6,
    literals: [' -p', ' -P ', ' -a ', ' -w ', ' -hp', ' -k '],
    pattern: / -(?:pw |hp|[pP] ?|[akw] )["']?([^\s"'`]{6,128})/y,
    check: (secret, text, start) =>
      isGiven(secret) &&
      !isOfArchive(secret, text, start) &&
      /\b(?:sshpass|mysql(?:dump|admin)?|mariadb|redis-cli|docker login|podman login|ldap\w{3,9}|mongo(?:sh|dump)?|sqlcmd|osql|bcp|az login|useradd|usermod|mosquitto_(?:pub|sub)|zip|unzip|7z[ar]?|rar|unrar|plink|pscp|ipmitool|rabbitmqctl|impacket\S*|psexec|winexe|wmiexec|az sql|cypher-shell|cqlsh|beeline|clickhouse-client|mongorestore|mongoexport|evil-winrm|smbmap|netexec|nxc|openssl enc|crackmapexec|isql|ncftp\w{0,4}|rdesktop|twine|hydra|svn|helm|skopeo|oras|crane|nuget|influx|snowsql|bsqldb|tsql|ldappasswd)\b[^\n]*$/.test(
        text.slice(Math.max(0, start - COMMAND), start),
      ),
  }),
  place({
    name: 'flag-secret',
    what: 'values of flags: `--password`, `--token`, `--api-key`, `--secret`, `-storepass`, followed by a space',
    score: 0.6,
    literals: [
      '--',
      ...[
        'pass',
        'pw ',
        'storepass ',
        'srcstorepass ',
        'deststorepass ',
        'keypass ',
        'token ',
        'secret ',
        'apikey ',
        'api-key ',
      ].map((name) => ` -${name}`),
    ],
    pattern:
      /(?:(?<![^\s"'])--(?!-)| -)[a-z-]{0,30}(?:password|passwd|pass|pw|token|key|secret|passphrase|pwd|credential)["']?[ ,]{1,3}["']?([^\s"'`,]{6,256})/y,
    check: (secret, text, start) =>
      (isMixed(secret) || (isGiven(secret) && PASSWORD_FLAG.test(text.slice(Math.max(0, start - 24), start)))) &&
      !/^[-./~]/.test(secret) &&
      (isRandom(secret) || !PLAIN_KEY.test(text.slice(Math.max(0, start - 40), start))),
  }),
  place({
    name: 'argument-password',
    what: 'passwords in arguments of their own form: `-passin pass:…`, `xfreerdp /p:…`, `cmdkey /pass:…`, `ConvertTo-SecureString "…"`',
    score: 0.6,
    literals: [
      ' pass:',
      ' /p:',
      ' /rp ',
      ' /pass:',
      ' /pw:',
      ' /password:',
      'onvertTo-SecureString ',
      'onvertto-securestring ',
    ],
    pattern:
      /(?: pass:| \/rp ["']?| \/p(?:ass|w|assword)?:["']?|onvert[Tt]o-[Ss]ecure[Ss]tring (?:-\w{5,12} ){0,3}["'])([^\s"'`]{6,128})/y,
    check: (secret, text, start) =>
      isGiven(secret) &&
      /onvertto-securestring [^\n]{0,50}$|-pass(?:in|out)?[ =]pass:$|\b(?:x?freerdp|mstsc|rdesktop|cmdkey|runas|psexec|sqlpackage|schtasks|msdeploy|signtool)\b[^\n]{0,200}$/i.test(
        text.slice(Math.max(0, start - COMMAND), start),
      ),
  }),
  place({
    name: 'program-password',
    what: 'passwords behind the user in commands: `rabbitmqctl add_user`, `mosquitto_passwd -b`, `wpa_passphrase`, `erl -setcookie`, `nmcli … password`, `expdp user/…`, `radtest`',
    score: 0.6,
    literals: [
      ...[
        'rabbitmqctl ',
        'mosquitto_passwd ',
        'wpa_passphrase ',
        'nmcli ',
        'radtest ',
        ' -setcookie ',
        'input_pw ',
        'user_pw ',
        'owner_pw ',
      ],
      ...[
        'db2 connect ',
        'expdp ',
        'impdp ',
        'sqlldr ',
        'rman target ',
        'pulumi config set --secret ',
        'db2 "connect ',
      ],
    ],
    pattern: new RegExp(
      `(?:rabbitmqctl (?:add_user|change_password) ${WORD} |mosquitto_passwd (?=-\\w{0,4}b)-\\w{1,5} ${WORD} ${WORD} |wpa_passphrase ${WORD} |nmcli [^\\n]{1,120}? password |radtest ${WORD} | -setcookie |(?:input|user|owner)_pw |db2 "?connect to ${WORD} user ${WORD} using |pulumi config set --secret ${WORD} |(?:expdp|impdp|sqlldr|rman target) [\\w$#]{1,64}/)["']?([^\\s"'\`@]{6,128})`,
      'y',
    ),
    check: (secret) => isGiven(secret) || /^[A-Z]{16,64}$/.test(secret),
  }),
  place({
    name: 'generated-secret',
    what: 'what programs print that make passwords and keys: `pwgen`, `openssl rand`, `wg genkey`',
    score: 0.6,
    literals: ['pwgen ', 'openssl rand ', 'wg genkey', 'apg -'],
    pattern:
      /(?:pwgen |openssl rand |wg genkey|apg -)[^\n|>;&]{0,60}\r?\n([A-Za-z\d!#%&*+,./:=?@^_~-]{10,128})(?=[ \t]{0,3}(?:\r?\n|$))/y,
    check: (secret) => isRandom(secret) || /^[A-Za-z\d+/]{43}=$/.test(secret),
  }),
];
