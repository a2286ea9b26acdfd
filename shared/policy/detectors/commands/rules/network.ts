/** Programs that are fetched and run, shells for others, and secrets that leave. */
import { optionsOf } from '../options.js';
import type { CommandKind, CommandRule } from '../rule.js';
import { FETCHES, type ShellCommand, SOMETHING } from '../words.js';

/** Files that hold keys, passwords or tokens. */
const SECRET_FILE = new RegExp(
  [
    '(?:^|[@/~=])\\.ssh(?:/?$|/(?!known_hosts|config|[\\w.-]*\\.pub$))',
    '(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)(?!\\.pub)',
    '/etc/(?:g?shadow|passwd|sudoers|ssh/ssh_host_\\w+|krb5\\.keytab)',
    '(?:^|[@/~=])\\.(?:aws|gnupg|kube|docker)/(?:credentials|config|private|config\\.json)?',
    '(?:^|[@/~=])\\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|env(?:\\.(?:prod|production|local))?|bash_history|zsh_history)$',
    '/proc/(?:self|\\d+)/environ',
    '/var/run/secrets/',
    '(?:^|/)(?:credentials|secrets?)\\.(?:json|ya?ml|txt|env|csv)$',
    '\\.(?:pem|key|kdbx|keytab|p12|pfx)$',
  ].join('|'),
);
const isSecretFile = (text: string): boolean => text.length < 1024 && SECRET_FILE.test(text);

/** Whether a command says secrets: a file that has some, or the environment. */
export function saysSecrets(command: ShellCommand | undefined, depth = 0): boolean {
  if (!command || depth > 4) return false;
  const [first, ...rest] = command.words.map(({ text }) => text);
  const name = first?.slice(first.lastIndexOf('/') + 1);
  if ((name === 'env' || name === 'printenv' || name === 'export') && rest.every((arg) => arg.startsWith('-')))
    return true;
  if (
    /^(?:cat|tar|zip|gzip|base64|head|tail|xxd|openssl|gpg|cp|less|strings|sed|awk|grep|type|get-content|gc|7z)$/i.test(
      name ?? '',
    ) &&
    rest.some(isSecretFile)
  )
    return true;
  if (/^(?:mysqldump|pg_dump|pg_dumpall|mongodump)$/.test(name ?? '')) return true;
  if (command.redirects.some(({ op, target }) => op === '<' && isSecretFile(target.text))) return true;
  return saysSecrets(command.from, depth + 1);
}

/** All of an index, or an index of its own. */
const EVERY_INDEX = /\/(?:_all|\*)$|:9200\/[\w*-]+$/;
const LOCAL = /^(?:[a-z]+:\/\/)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/;

const curl: CommandRule = ({ args, command }) => {
  const options = optionsOf(args, [
    'd',
    'data',
    'data-binary',
    'data-raw',
    'F',
    'form',
    'T',
    'upload-file',
    'H',
    'X',
    'request',
    'o',
    'u',
    'E',
    'cert',
    'key',
    'cacert',
    'A',
    'b',
    'e',
    'x',
    'post-file',
    'body-file',
  ]);
  const sends = args.some(({ text }, i) => {
    const given =
      /^(?:-d|-F|-T|--data(?:-\w+)?|--form|--upload-file|--post-file|--body-file)$/.test(args[i - 1]?.text ?? '') ||
      /^(?:-[dFT].|--(?:data(?:-\w+)?|form|upload-file|post-file|body-file)=)/.test(text);
    return (
      given &&
      (/(?:@|<|^-T|^--upload-file=|^--(?:post|body)-file=)/.test(text) ||
        /^(?:-T|--upload-file|--post-file|--body-file)$/.test(args[i - 1]?.text ?? '')) &&
      isSecretFile(text.replace(/^[^@<=]*[@<=]/, '').replace(/;.*$/, ''))
    );
  });
  const isLocal = options.operands.length > 0 && options.operands.every((url) => LOCAL.test(url));
  if (sends && !isLocal) return 'exfiltration';
  if (options.value('X', 'request') === 'DELETE' && options.operands.some((url) => EVERY_INDEX.test(url)))
    return 'destructive';
  const fromInput =
    args.some(({ text }) => /^(?:@-|-T-|.*=@-|-d@-|--data(?:-\w+)?=@-|--post-file=-)$/.test(text)) ||
    options.value('T', 'upload-file') === '-';
  return fromInput && !isLocal && saysSecrets(command.from) ? 'exfiltration' : undefined;
};

const copyAway: CommandRule = ({ args }) => {
  const { operands } = optionsOf(args, ['i', 'P', 'p', 'o', 'e', 'F', 'J', 'port', 'rsh', 'exclude']);
  const target = operands.at(-1) ?? '';
  const away = /^(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)|^rsync:|^s3:|^gs:|^sftp:/.test(target);
  return away && operands.slice(0, -1).some(isSecretFile) ? 'exfiltration' : undefined;
};

const netcat: CommandRule = ({ args, command }) => {
  const options = optionsOf(args, ['w', 'p', 's', 'x', 'X', 'q', 'i']);
  const said = args.map(({ text }) => text);
  if (
    said.some(
      (arg, i) =>
        /^-[a-z]*[ec]$|^--(?:exec|sh-exec)$/.test(arg) && /(?:sh|cmd|powershell)(?:\.exe)?$/.test(said[i + 1] ?? ''),
    )
  )
    return 'remote_code';
  if (options.has('l', 'listen', 'z') || LOCAL.test(options.operands[0] ?? '')) return undefined;
  return saysSecrets(command) ? 'exfiltration' : undefined;
};

const socat: CommandRule = ({ args }) =>
  args.some(({ text }) => /^(?:exec|system):.{0,200}(?:sh|cmd)\b/i.test(text)) &&
  args.some(({ text }) => /^(?:tcp|udp|openssl)/i.test(text))
    ? 'remote_code'
    : undefined;

const mail: CommandRule = ({ args, command }) =>
  (args.some(({ text }, i) => /^-[aA]$/.test(args[i - 1]?.text ?? '') && isSecretFile(text)) || saysSecrets(command)) &&
  args.length > 0
    ? 'exfiltration'
    : undefined;

/** Queries of names carry what they are asked. */
const dns: CommandRule = ({ args }) =>
  args.some(({ text }) => /^[\ufdd1\ufdd2]\.[\w.-]+$/.test(text)) ? 'exfiltration' : undefined;

/** A connection of bash that is a file. */
export const SOCKET = /^\/dev\/(?:tcp|udp)\//;

export function opensSocket({ redirects }: ShellCommand, name: string): CommandKind | undefined {
  const socket = redirects.some(({ target }) => SOCKET.test(target.text));
  if (!socket) return undefined;
  return /^(?:ba|z|k|da)?sh$|^exec$/.test(name) ? 'remote_code' : undefined;
}

/** Whether what a command says was fetched. */
export function fetches(command: ShellCommand | undefined): boolean {
  for (let of = command, depth = 0; of && depth < 8; of = of.from, depth++) {
    for (const { text } of of.words.slice(0, 6)) {
      const name = text.slice(text.lastIndexOf('/') + 1).toLowerCase();
      if (FETCHES.has(name)) return true;
      if (!/^(?:sudo|env|-\w+)$/.test(name) && name !== SOMETHING) break;
    }
  }
  return false;
}

const fetchesAndRuns: CommandRule = ({ args }) =>
  args.some(({ text }) => /^https?:/i.test(text)) ? 'remote_code' : undefined;

export const NETWORK_RULES: Readonly<Record<string, CommandRule>> = {
  curl,
  wget: curl,
  http: curl,
  scp: copyAway,
  sftp: copyAway,
  rsync: copyAway,
  rclone: copyAway,
  aws: copyAway,
  nc: netcat,
  ncat: netcat,
  netcat,
  socat,
  mail,
  mailx: mail,
  mutt: mail,
  sendmail: mail,
  dig: dns,
  nslookup: dns,
  host: dns,
  mshta: fetchesAndRuns,
  regsvr32: ({ args }) => (args.some(({ text }) => /^\/i:https?:/i.test(text)) ? 'remote_code' : undefined),
  rundll32: ({ args }) => (args.some(({ text }) => /javascript:|https?:/i.test(text)) ? 'remote_code' : undefined),
};
