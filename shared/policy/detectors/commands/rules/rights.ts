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
  ['auditctl', /^-e0?$/],
  ['set-mppreference', /^-DisableRealtimeMonitoring$|^-ExclusionPath$/i],
  ['set-executionpolicy', /^(?:unrestricted|bypass)$/i],
  ['netsh', /^off$/i],
  ['csrutil', /^disable$/],
  ['spctl', /^--master-disable$/],
];

const off: CommandRule = (call) => {
  const [, pattern] = OFF.find(([name]) => name === call.name)!;
  return privilege(saidOf(call).some((arg) => pattern.test(arg)));
};

const GUARDS =
  /^(?:ufw|firewalld|apparmor|auditd|fail2ban|iptables|nftables|selinux\w*|clamav\w*|falcon-sensor|crowdstrike|ossec|wazuh-agent|windefend|mpssvc|rsyslog|syslog)(?:\.service)?$/i;

const services: CommandRule = (call) => {
  const said = saidOf(call);
  return privilege(
    said.some((arg) => /^(?:stop|disable|mask|kill|delete)$/i.test(arg)) && said.some((arg) => GUARDS.test(arg)),
  );
};

const history: CommandRule = (call) => privilege(saidOf(call).some((arg) => /^-[a-z]*c/.test(arg)));

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
    ) || said.some((arg) => /docker\.sock/.test(arg) && said.includes('--privileged')),
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
      return privilege(
        /\biam (?:attach-(?:user|role|group)-policy|create-(?:user|role))\b/.test(text) &&
          said.some((arg) => ADMINISTRATOR_POLICY.test(arg)),
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
  sc: services,
  history,
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
