/** Where secrets are: files, the environment, and stores of secrets. And which commands say them. */
import { nameOf } from './options.js';
import { SECRET, type ShellCommand, type Word } from './words.js';
import { behindOptions, WRAPPERS } from './wrappers.js';

/** Files that hold keys, passwords or tokens. */
const SECRET_FILE = new RegExp(
  [
    '(?:^|[@/~=])\\.ssh(?:/?$|/(?!known_hosts|config|[\\w.-]*\\.pub$))',
    '(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)(?!\\.pub)',
    '/etc/(?:g?shadow|passwd|sudoers|ssh/ssh_host_\\w+|krb5\\.keytab)',
    '(?:^|[@/~=])\\.(?:aws|gnupg|kube|docker|config/(?:gcloud|gh))(?:/?$|/(?:credentials|config$|config\\.json|private|hosts))',
    '(?:^|/)(?:Cookies|Login Data|logins\\.json|key4\\.db|wallet\\.dat)$',
    '(?:^|[@/~=])\\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|env(?:\\.(?:prod|production|local))?|bash_history|zsh_history)$',
    '/proc/(?:self|\\d+)/environ',
    '/var/run/secrets/',
    '(?:^|/)(?:credentials|secrets?)\\.(?:json|ya?ml|txt|env|csv)$',
    '\\.(?:pem|key|kdbx|keytab|p12|pfx)$',
  ].join('|'),
);
export const isSecretFile = (text: string): boolean =>
  text.length < 1024 && SECRET_FILE.test(text.includes('\\') ? text.replaceAll('\\', '/') : text);

/** Programs that say what is in the files they are given. */
const READS =
  /^(?:cat|tac|nl|more|bat|tar|zip|gzip|zcat|bzip2|xz|base64|base32|uuencode|head|tail|xxd|od|hexdump|openssl|gpg|cp|dd|less|strings|sed|awk|grep|cut|sort|jq|yq|rev|tr|paste|type|get-content|gc|7z|sqlite3)$/;
/** Those that say a number of what they are given. */
const COUNTS = /^(?:wc|cksum|(?:md5|b2|sha\d{1,3})sum|shasum)$/;
const DUMPS = /^(?:mysqldump|pg_dump|pg_dumpall|mongodump)$/;

/** Programs that keep secrets, and how they are asked for some. */
const STORES: Readonly<Record<string, RegExp>> = {
  kubectl: /^(?=.*\b(?:get|describe)\b)(?:.*[ ,])secrets?(?:[ ,/]|$)|\bconfig view\b.*--raw\b/,
  aws: /\bsecretsmanager (?:batch-)?get-secret-value\b|\bconfigure export-credentials\b|\bssm get-parameter\S* (?:.* )?--with-decryption\b/,
  gcloud: /\bsecrets versions access\b/,
  az: /\bkeyvault secret (?:show|download)\b/,
  vault: /^(?:kv get|read)\b/,
  op: /^(?:read|item get|inject)\b/,
  pass: /^(?!insert|generate|ls|git|rm)./,
  bw: /^(?:get|export|list items)\b/,
  doppler: /^secrets\b/,
  heroku: /^config\b/,
  security: /^(?:find-(?:generic|internet)-password|dump-keychain|export)\b/,
  gpg: /--export-secret-/,
  gh: /^auth token\b/,
  sops: /^(?:.* )?(?:-d|--decrypt|decrypt)\b/,
  'ansible-vault': /^(?:view|decrypt)\b/,
  'secret-tool': /^lookup\b/,
};
const SECRET_NAME = /secret|token|passw|(?:api|access|private)_?key/i;

/** Whether a command says secrets: a file that has some, the environment, or a store of them. */
export function saysSecrets(command: ShellCommand | undefined, depth = 0): boolean {
  if (!command || depth > 4) return false;
  const { words, group } = command;
  if (words.length > 0 && program(words)) return true;
  if (COUNTS.test(nameOf(words[0]?.text ?? ''))) return false;
  return group?.some((each) => saysSecrets(each, depth + 1)) || isFedSecrets(command, depth);
}

/** Whether the input of a command has secrets. */
export function isFedSecrets({ redirects, document, from }: ShellCommand, depth = 0): boolean {
  return (
    redirects.some(({ op, target }) => op === '<' && isSecretFile(target.text)) ||
    (document?.slice(0, 1024).includes(SECRET) ?? false) ||
    saysSecrets(from, depth + 1)
  );
}

/** Programs that run another one, within each other. */
const MOST_WRAPPERS = 4;

function program(all: readonly Word[]): boolean {
  let words = all;
  for (let n = 0; n < MOST_WRAPPERS && words.length > 1; n++) {
    const name = nameOf(words[0]!.text);
    if (!Object.hasOwn(WRAPPERS, name)) break;
    const { valued, operands = 0 } = WRAPPERS[name]!;
    const inner = behindOptions(words, valued, operands);
    if (inner.length === 0) break;
    words = inner;
  }
  const [first, ...rest] = words;
  const said = rest.map(({ text }) => text);
  const name = nameOf(first!.text);
  if (isEnvironment(name, said) || DUMPS.test(name)) return true;
  if (said.some((arg) => arg.includes(SECRET)) && !/^(?:export|test|\[|curl|wget|http)$/.test(name)) return true;
  if (READS.test(name) && said.some(isSecretFile)) return true;
  const store = name === 'oc' || name === 'k' ? 'kubectl' : name;
  return Object.hasOwn(STORES, store) && STORES[store]!.test(said.slice(0, 32).join(' ').slice(0, 512));
}

function isEnvironment(name: string, said: readonly string[]): boolean {
  switch (name) {
    case 'env':
    case 'export':
      return said.every((arg) => arg.startsWith('-'));
    case 'printenv':
      return said.every((arg) => arg.startsWith('-') || SECRET_NAME.test(arg));
    case 'set':
      return said.length === 0;
    case 'declare':
    case 'typeset':
      return said.length === 1 && /^-[px]+$/.test(said[0]!);
    case 'get-childitem':
    case 'gci':
    case 'dir':
    case 'ls':
      return said.some((arg) => /^env:[\\/]?\*?$/i.test(arg));
    default:
      return false;
  }
}

/** All of the environment, as languages name it. */
const ENVIRONMENT =
  /\bos\.environ(?!\s*(?:\[|\.get\b|\.pop\b|\.setdefault\b|b?\w))|\bprocess\.env(?!\s*[.[\w])|\bENV\.(?:to_h|to_a|inspect|map|each)\b|%ENV\b|\bgetenv\(\s*\)|\$_ENV(?!\s*\[)/;
const OPENS =
  /\b(?:open|readFileSync|readFile|read|file_get_contents|Path|expanduser|slurp)\s*\(?\s*(?:os\.path\.expanduser\(\s*|[\w.]{1,64}(?:\(\))?\s*\+\s*)?["'`]([^"'`]{1,200})["'`]/g;
const SENDS =
  /\brequests\.\w+\(|\burlopen\(|\bhttp\.client\b|\bhttpx\.\w+\(|\bfetch\(|\baxios\b|\bhttps?(?:["']\))?\.(?:request|get)\(|\bNet::HTTP\b|\bLWP::|\bHTTP::Tiny\b|\bcurl_exec\b|\bsendall\(|\.send\(|\bfile_get_contents\(\s*["']https?:/;
const ADDRESS = /https?:\/\/([\w.-]+)/;
const LOCAL_HOST = /^(?:localhost|127\.|0\.0\.0\.0)/;
/** Files of a program that are looked at. */
const MOST_OPENED = 32;

/** Whether a program of Python, Node and the like sends the environment or a file with secrets to another machine. */
export function sendsSecrets(code: string): boolean {
  if (!SENDS.test(code) || LOCAL_HOST.test(ADDRESS.exec(code)?.[1] ?? '')) return false;
  if (ENVIRONMENT.test(code)) return true;
  let n = 0;
  for (const [, path] of code.matchAll(OPENS)) {
    // That is how a pod signs in.
    if (isSecretFile(path!) && !(path!.includes('/var/run/secrets/') && /authorization/i.test(code))) return true;
    if (++n >= MOST_OPENED) break;
  }
  return false;
}
