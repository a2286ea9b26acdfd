/** Commands that take rights, leave a door open, or switch off what protects. */
import { optionsOf } from '../options.js';
import type { Call, CommandKind, CommandRule } from '../rule.js';
import type { ShellCommand } from '../words.js';

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
  setcap: (call) => privilege(saidOf(call).some((arg) => /cap_(?:setuid|sys_admin|dac_override)/i.test(arg))),
};
