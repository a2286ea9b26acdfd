/** Programs that are fetched and run, shells for others, and secrets that leave. */
import { nameOf, optionsOf } from '../options.js';
import { receives, SOCKET } from '../receives.js';
import type { Call, CommandKind, CommandRule } from '../rule.js';
import { isFedSecrets, isSecretFile, saysSecrets } from '../secrets.js';
import { FETCHES, SECRET, type ShellCommand, SOMETHING } from '../words.js';

/** All of an index, or an index of its own. */
const EVERY_INDEX = /\/(?:_all|\*)$|:9200\/[\w*-]+$/;
export const LOCAL = /^(?:[a-z]+:\/\/)?(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/;

const curl: CommandRule = ({ args, command, fed }) => {
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
    'post-data',
    'body-data',
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
  if (fed && !args.some(({ text }) => LOCAL.test(text)) && saysSecrets(command.from)) return 'exfiltration';
  const isLocal = options.operands.length > 0 && options.operands.every((url) => LOCAL.test(url));
  if (sends && !isLocal) return 'exfiltration';
  if (options.value('X', 'request') === 'DELETE' && options.operands.some((url) => EVERY_INDEX.test(url)))
    return 'destructive';
  if (isLocal) return undefined;
  if (carriesSecrets(args)) return 'exfiltration';
  // `@<(…)` is read as `@` and a pipe
  const fromInput =
    args.some(({ text }) => /^(?:@-?|-T-|.*=@-?|-d@-?|--post-file=-?|--body-file=-?)$/.test(text)) ||
    options.value('T', 'upload-file') === '-';
  return fromInput && isFedSecrets(command) ? 'exfiltration' : undefined;
};

/** Headers by which one signs in. */
const SIGNS_IN = /^[^:]{0,64}(?:auth|token|key|cookie|secret)[^:]{0,64}:/i;
/** Options whose value signs in, or stays here. */
const STAYS =
  /^(?:-u|--user|-b|--cookie|-o|-O|--output|-E|--cert|--key|--cacert|--oauth2-bearer|--password|--http-password|-a|--auth)$/;

/** Whether a substitution in what is sent, or in the address, has secrets. */
function carriesSecrets(args: Call['args']): boolean {
  return args.some(({ text }, i) => {
    if (!text.includes(SECRET)) return false;
    const before = args[i - 1]?.text ?? '';
    const option = /^(--[\w-]+)=|^(-[uboOEa])./.exec(text);
    if (STAYS.test(before) || (option && STAYS.test(option[1] ?? option[2]!))) return false;
    if (
      SIGNS_IN.test(text.replace(/^(?:--header=|-H)/, '')) &&
      (/^-H|^--header/.test(text) || /^(?:-H|--header)$/.test(before))
    )
      return false;
    // `https://user:password@host` signs in, too
    return /^[a-z]{1,8}:\/\//i.test(text) ? text.replace(/\/\/[^/@]{0,1024}@/, '//').includes(SECRET) : true;
  });
}

/** HTTPie: fields, files as `name@file`, and the input as the body */
const httpie: CommandRule = ({ args, command }) => {
  const words = args.filter(({ text }) => !text.startsWith('-') && !/^[A-Z]{3,7}$/.test(text));
  if (words.length === 0 || LOCAL.test(words[0]!.text) || words[0]!.text.startsWith(':')) return undefined;
  const sends = words.slice(1).some(({ text }) => isSecretFile(/^[\w.-]{0,64}:?=?@(.+)$/.exec(text)?.[1] ?? ''));
  const isSignIn = (text: string): boolean => SIGNS_IN.test(text) && !text.includes('=');
  return sends || carriesSecrets(args.filter(({ text }) => !isSignIn(text))) || isFedSecrets(command)
    ? 'exfiltration'
    : undefined;
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
  if (handsShell(command.from) && !LOCAL.test(options.operands[0] ?? '')) return 'remote_code';
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

/** Whether a shell that takes its commands from elsewhere is before it in the pipe. */
function handsShell(command: ShellCommand | undefined): boolean {
  for (let of = command, depth = 0; of && depth < 4; of = of.from, depth++) {
    const [first, ...rest] = of.words.slice(0, 16).map(({ text }) => text);
    if (!/^(?:(?:ba|z|da|k|a)?sh|cmd|powershell|pwsh)$/.test(nameOf(first ?? ''))) continue;
    if (rest.some((arg) => /^-[a-z]*i[a-z]*$/.test(arg))) return true;
    const isFed =
      of.redirects.some(({ op }) => op === '<' || op === '<>') || /^(?:cat|tail)$/.test(of.from?.words[0]?.text ?? '');
    if (isFed && of.document === undefined && rest.length === 0) return true;
  }
  return false;
}

/** A program that hands what it is given to another machine. */
const connection: CommandRule = ({ name, args, command }) => {
  if (name === 'openssl' && args[0]?.text !== 's_client') return undefined;
  const said = args.slice(0, 32).map(({ text }) => text);
  const at = said.indexOf('-connect') + 1;
  if (LOCAL.test((at > 0 ? said[at] : said.find((arg) => !arg.startsWith('-'))) ?? '')) return undefined;
  if (handsShell(command.from)) return 'remote_code';
  return isFedSecrets(command) ? 'exfiltration' : undefined;
};

/** A list of a user that others can read. */
const gist: CommandRule = ({ args }) =>
  args[0]?.text === 'gist' && args[1]?.text === 'create' && args.slice(2).some(({ text }) => isSecretFile(text))
    ? 'exfiltration'
    : undefined;

const socat: CommandRule = ({ args, command }) =>
  args.some(({ text }) => /^(?:exec|system):.{0,200}(?:sh|cmd)\b/i.test(text)) &&
  args.some(({ text }) => /^(?:tcp|udp|openssl)/i.test(text))
    ? 'remote_code'
    : args.some(({ text }) => /^(?:tcp|udp|openssl|ssl)\d?(?:-connect)?:(?!localhost|127\.)/i.test(text)) &&
        isFedSecrets(command)
      ? 'exfiltration'
      : undefined;

const mail: CommandRule = ({ args, command }) =>
  (args.some(({ text }, i) => /^-[aA]$/.test(args[i - 1]?.text ?? '') && isSecretFile(text)) || saysSecrets(command)) &&
  args.length > 0
    ? 'exfiltration'
    : undefined;

/** Queries of names carry what they are asked. */
const dns: CommandRule = ({ args }) =>
  args.some(({ text }) => /^[\ufdd1-\ufdd3]+\.[\w.-]+$/.test(text)) ? 'exfiltration' : undefined;

/** A file of secrets that goes into a store of others. */
const store: CommandRule = ({ args }) =>
  args.some(({ text }) => /^(?:gs|s3|https?|r2):\/\//.test(text)) &&
  /\b(?:cp|mv|rsync|sync|put|copy|upload)\b/.test(
    args
      .slice(0, 8)
      .map(({ text }) => text)
      .join(' '),
  ) &&
  args.some(({ text }) => isSecretFile(text))
    ? 'exfiltration'
    : undefined;

/** What another machine is given as input: a file of secrets, say. */
const elsewhere: CommandRule = ({ args, command }) =>
  args.length > 1 && isFedSecrets(command) && !args.some(({ text }) => LOCAL.test(text)) ? 'exfiltration' : undefined;

export function opensSocket(command: ShellCommand, name: string): CommandKind | undefined {
  const sockets = command.redirects.filter(({ target }) => SOCKET.test(target.text));
  if (sockets.length === 0) return undefined;
  if (/^(?:ba|z|k|da)?sh$|^exec$/.test(name)) return 'remote_code';
  return sockets.some(({ op }) => op.includes('>')) && saysSecrets(command) ? 'exfiltration' : undefined;
}

/** Whether what a command says was fetched. */
export function fetches(command: ShellCommand | undefined, within = 0): boolean {
  for (let of = command, depth = 0; of && depth < 8; of = of.from, depth++) {
    if (receives(of) || (within < 4 && of.group?.some((each) => fetches(each, within + 1)))) return true;
    for (const { text } of of.words.slice(0, 6)) {
      const name = text.slice(text.lastIndexOf('/') + 1).toLowerCase();
      if (FETCHES.has(name)) return true;
      if (!/^(?:sudo|env|-\w+)$/.test(name) && name !== SOMETHING) break;
    }
  }
  return false;
}

const fetchesAndRuns: CommandRule = ({ args }) =>
  args.some(({ text }) => /^(?:https?|vbscript|javascript):/i.test(text)) ? 'remote_code' : undefined;

export const NETWORK_RULES: Readonly<Record<string, CommandRule>> = {
  curl,
  wget: curl,
  http: httpie,
  https: httpie,
  xh: httpie,
  openssl: connection,
  telnet: connection,
  ssh: elsewhere,
  gsutil: store,
  gcloud: store,
  s3cmd: store,
  mc: store,
  azcopy: store,
  gh: gist,
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
