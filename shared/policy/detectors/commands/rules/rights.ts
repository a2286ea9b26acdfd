/** Commands that take rights, leave a door open, or switch off what protects. */
import { optionsOf } from '../options.js';
import type { Call, CommandKind, CommandRule } from '../rule.js';
import type { ShellCommand } from '../words.js';
import { fetches } from './network.js';

const privilege = (is: boolean): CommandKind | undefined => (is ? 'privilege' : undefined);
const saidOf = ({ args }: Call): string[] => args.map(({ text }) => text);

/** Files that decide who may do what. */
const GATE =
  /^(?:\/etc\/(?:passwd|shadow|sudoers(?:\.d\/.*)?|ld\.so\.preload|pam\.d\/.*|cron\.\w+\/.*|crontab|ssh\/sshd_config|profile)|(?:.*\/)?\.ssh\/authorized_keys|\/var\/spool\/cron\/.*)$/;

/** Whether the output goes into one of those. */
export const writesGate = ({ redirects }: ShellCommand): boolean =>
  redirects.some(({ op, target }) => op.includes('>') && GATE.test(target.text));

const chmod: CommandRule = ({ args }) => {
  const { operands } = optionsOf(args);
  const [mode = ''] = operands;
  if (/^(?:[ugoa]*\+[rwx]*s[rwx]*|0?[46]7\d\d)$/.test(mode))
    return privilege(
      operands.slice(1).some((path) => /^\/(?:usr\/)?s?bin\/|^\/tmp\/|bash$|\/sh$|python[\d.]*$|find$/.test(path)),
    );
  return privilege(/^0?[67][67][67]$|^[ao]?\+w$/.test(mode) && operands.slice(1).some((path) => GATE.test(path)));
};

/** A copy of a program that runs with the rights of its owner. */
const setuid: CommandRule = ({ args }) => {
  const options = optionsOf(args, ['m', 'mode', 'o', 'g', 't']);
  return privilege(
    /^0?[46]7\d\d$|\+s/.test(options.value('m', 'mode') ?? '') &&
      options.operands.some((path) => /(?:^|\/)(?:ba|z|da|k)?sh$|^\/(?:usr\/)?bin\//.test(path)),
  );
};

const tee: CommandRule = ({ args }) => privilege(args.some(({ text }) => GATE.test(text)));

const users: CommandRule = (call) => {
  const options = optionsOf(call.args, ['G', 'groups', 'g', 'u', 'o', 'aG']);
  const said = saidOf(call);
  const groups = `${options.value('G', 'groups') ?? ''} ${call.name === 'gpasswd' || call.name === 'adduser' ? options.operands.join(' ') : ''} ${said.join(' ')}`;
  if (call.name === 'passwd') return privilege(options.has('d', 'delete') && options.operands.includes('root'));
  return privilege(
    /(?:^|[\s,])(?:sudo|wheel|root|admin|docker|disk|shadow)(?:[\s,]|$)/.test(groups.slice(0, 2000)) ||
      (options.has('o') && said.includes('0')),
  );
};

const OFF: readonly (readonly [string, RegExp])[] = [
  ['setenforce', /^0$|^permissive$/i],
  ['ufw', /^(?:disable|reset)$/],
  ['iptables', /^(?:-F|--flush)$/],
  ['ip6tables', /^(?:-F|--flush)$/],
  ['nft', /^flush$/],
  ['auditctl', /^-e0?$|^-D$/],
  ['set-executionpolicy', /^(?:unrestricted|bypass)$/i],
  ['netsh', /^(?:off|disable)$|^mode=disable$/i],
  ['xhost', /^\+$/],
  ['csrutil', /^disable$/],
  ['spctl', /^--master-disable$/],
];

const off: CommandRule = (call) => {
  const [, pattern] = OFF.find(([name]) => name === call.name)!;
  return privilege(saidOf(call).some((arg) => pattern.test(arg)));
};

const GUARDS =
  /^(?:ufw|firewalld|apparmor|auditd|fail2ban|iptables|nftables|selinux\w*|clamav\w*|falcon-sensor|crowdstrike|ossec|wazuh-agent|windefend|windows defender.*|mpssvc|rsyslog|syslog)(?:\.service)?$/i;

const services: CommandRule = (call) => {
  const said = saidOf(call);
  return privilege(
    said.some((arg) => /^(?:stop|disable|disabled|mask|kill|delete)$/i.test(arg) || call.name === 'stop-service') &&
      said.some((arg) => GUARDS.test(arg)),
  );
};

const history: CommandRule = (call) => privilege(saidOf(call).some((arg) => /^-[a-z]*c/.test(arg)));

const HISTORY = /(?:^|\/)\.(?:bash|zsh|python|mysql|psql)_history$/;
/** What people did is no longer written down. */
const forgets: CommandRule = (call) => {
  const said = saidOf(call);
  if (call.name === 'ln') return privilege(said.includes('/dev/null') && said.some((arg) => HISTORY.test(arg)));
  if (call.name === 'unset') return privilege(said.some((arg) => /^HIST(?:FILE|SIZE)$/.test(arg)));
  return privilege(
    said.some((arg) => /^--vacuum-(?:time=[01](?:s|m(?:in)?)?|size=\d{1,2}[KM]?|files=[01])$/.test(arg)),
  );
};

/** A password of the root. */
const passwords: CommandRule = ({ command }) => {
  const said = command.document ?? command.from?.words.map(({ text }) => text).join(' ') ?? '';
  return privilege(/(?:^|\s)root:/.test(said.slice(0, 1024)));
};

/** The namespaces of the first process are those of the host. */
const enters: CommandRule = (call) => {
  const said = saidOf(call);
  return privilege(
    said.some((arg, i) => /^(?:-t1|--target=1)$/.test(arg) || (/^(?:-t|--target)$/.test(arg) && said[i + 1] === '1')),
  );
};

const net: CommandRule = (call) => {
  const said = saidOf(call).map((arg) => arg.toLowerCase());
  if (said[0] === 'user' && said.includes('/delete')) return 'destructive';
  if (said[0] === 'stop') return privilege(said.slice(1).some((arg) => GUARDS.test(arg)));
  return privilege(
    (said[0] === 'user' && said.includes('/add')) ||
      (said[0] === 'localgroup' && said[1] === 'administrators' && said.includes('/add')),
  );
};

const kubernetes: CommandRule = (call) => {
  const said = saidOf(call);
  return privilege(
    said[0] === 'create' && said[1] === 'clusterrolebinding' && said.some((arg) => /cluster-admin/.test(arg)),
  );
};

const container: CommandRule = (call) => {
  const said = saidOf(call);
  if (said[0] !== 'run' && said[0] !== 'create') return undefined;
  return privilege(
    said.some(
      (arg, i) =>
        /^(?:(?:-v|--volume)=?)?\/:\/\S+$/.test(arg) &&
        (arg.startsWith('-') || /^(?:-v|--volume)$/.test(said[i - 1] ?? '')),
    ) ||
      (said.includes('--privileged') && said.some((arg) => /^--pid=host$|^(?:nsenter|chroot)$/.test(arg))) ||
      said.some((arg) => /docker\.sock/.test(arg) && said.includes('--privileged')),
  );
};

/** `crontab -`: a job that is said, rather than those that are there without one */
const crontab: CommandRule = ({ args, command }) => {
  const { has, operands } = optionsOf(args, ['u']);
  if (has('l', 'r', 'e') || operands.some((file) => file !== '-')) return undefined;
  const { from, document } = command;
  return privilege(document !== undefined || (from !== undefined && addsLines(from)));
};

const addsLines = (command: ShellCommand, depth = 0): boolean =>
  /^(?:echo|printf)$/.test(command.words[0]?.text ?? '') ||
  command.document !== undefined ||
  fetches(command) ||
  (depth < 4 &&
    ((command.group?.some((each) => addsLines(each, depth + 1)) ?? false) ||
      (command.from !== undefined && addsLines(command.from, depth + 1))));

/** What opens a server of SSH, where sed puts it in. */
const OPENS_SSH =
  /(?:PermitRootLogin|PermitEmptyPasswords|PasswordAuthentication|PermitUserEnvironment|GatewayPorts)\s+(?:yes|without-password)/i;

/** Of a file that says who may do what; a line of it may be taken out. */
const sed: CommandRule = ({ args }) => {
  const edits = args.some(({ text }) => /^-(?:[nErsz]*i|-in-place)/.test(text));
  const options = optionsOf(args, ['e', 'expression']);
  const { operands } = options;
  if (!edits) return undefined;
  const script = options.value('e', 'expression') ?? operands[0] ?? '';
  if (/SELINUX=(?:disabled|permissive)/.test(script) && operands.some((path) => path.startsWith('/etc/')))
    return 'privilege';
  return privilege(
    operands.some((path) => {
      if (!GATE.test(path)) return false;
      if (path.endsWith('sshd_config'))
        return OPENS_SSH.test(script.slice(0, 1024).replace(/^s([^\w\s])(?:\\.|(?!\1).)*\1/, ''));
      return !/^\S{0,256}d$/.test(script) || path.includes('/pam.d/');
    }),
  );
};

const ADMINISTRATOR_POLICY = /policy\/(?:AdministratorAccess|PowerUserAccess|IAMFullAccess)$/;

/** Roles of clouds that may do all. */
const cloud: CommandRule = (call) => {
  const said = saidOf(call).slice(0, 64);
  const text = said.join(' ').slice(0, 2048);
  switch (call.name) {
    case 'aws':
      if (/\bcloudtrail stop-logging\b|\bguardduty delete-detector\b|\bconfigservice stop-/.test(text))
        return 'privilege';
      if (/\bauthorize-security-group-ingress\b/.test(text) && /\b0\.0\.0\.0\/0\b|::\/0/.test(text))
        return privilege(/--protocol[= ](?:all|-1)|--port[= ](?:22|3389|0-65535|all)\b|IpProtocol=-1/.test(text));
      if (/\bs3api put-(?:bucket|object)-acl\b.*--acl[= ]public-/.test(text)) return 'privilege';
      return privilege(
        /\biam create-access-key\b.*--user-name\b/.test(text) ||
          (/\biam (?:attach-(?:user|role|group)-policy|create-(?:user|role))\b/.test(text) &&
            said.some((arg) => ADMINISTRATOR_POLICY.test(arg))),
      );
    case 'gcloud':
      return privilege(
        /\badd-iam-policy-binding\b/.test(text) &&
          /\broles\/(?:owner|editor|iam\.securityAdmin|resourcemanager\.organizationAdmin)\b/.test(text),
      );
    default:
      return privilege(
        /\brole assignment create\b/.test(text) && /--role[= ](?:Owner|User Access Administrator)(?: |$)/i.test(text),
      );
  }
};

const sysctl: CommandRule = (call) =>
  privilege(
    saidOf(call).some((arg) => /^kernel\.(?:randomize_va_space|yama\.ptrace_scope|kptr_restrict)=0$/.test(arg)),
  );

export const RIGHTS_RULES: Readonly<Record<string, CommandRule>> = {
  chmod,
  tee,
  usermod: users,
  useradd: users,
  adduser: users,
  gpasswd: users,
  passwd: users,
  ...Object.fromEntries(OFF.map(([name]) => [name, off])),
  systemctl: services,
  service: services,
  'stop-service': services,
  'set-service': services,
  sc: services,
  install: setuid,
  history,
  ln: forgets,
  unset: forgets,
  journalctl: forgets,
  chpasswd: passwords,
  nsenter: enters,
  net,
  kubectl: kubernetes,
  docker: container,
  podman: container,
  sysctl,
  crontab,
  sed,
  aws: cloud,
  gcloud: cloud,
  az: cloud,
  setcap: (call) => privilege(saidOf(call).some((arg) => /cap_(?:setuid|sys_admin|dac_override)/i.test(arg))),
};
