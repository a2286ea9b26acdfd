/** Version control, clusters, clouds, containers and packages: what they delete for good. */
import { optionsOf } from '../options.js';
import type { Call, CommandKind, CommandRule } from '../rule.js';

const destructive = (is: boolean): CommandKind | undefined => (is ? 'destructive' : undefined);
const saidOf = ({ args }: Call): string[] => args.map(({ text }) => text);

const GIT_VALUES = ['C', 'c', 'git-dir', 'work-tree', 'namespace', 'exec-path'];
const MAIN = /^(?:origin\/|refs\/heads\/)?(?:main|master|trunk|develop|production|prod|release.*)$/;

function git({ args }: Call): CommandKind | undefined {
  let at = 0;
  while (args[at]?.text.startsWith('-')) at += GIT_VALUES.includes(args[at]!.text.replace(/^--?/, '')) ? 2 : 1;
  const verb = args[at]?.text;
  const rest = args.slice(at + 1);
  const options = optionsOf(rest, ['o', 'push-option', 'm', 's', 'expire']);
  const { has, operands } = options;
  const said = rest.map(({ text }) => text);
  if (has('dry-run') || (has('n') && verb !== 'stash')) return undefined;
  switch (verb) {
    case 'push':
      if (has('mirror', 'prune')) return 'destructive';
      return destructive(has('f', 'force', 'd', 'delete') || operands.slice(1).some((ref) => /^[+:]./.test(ref)));
    case 'reset':
      return destructive(has('hard'));
    case 'clean':
      return destructive(has('f', 'force') && !operands.some((path) => path !== '.' && path !== '/'));
    case 'checkout':
    case 'restore':
      if (verb === 'checkout' && has('f', 'force')) return 'destructive';
      if (verb === 'restore' && has('staged') && !has('worktree')) return undefined;
      return destructive(operands.some((path) => path === '.' || path === ':/' || path === '*') && !has('b', 'B'));
    case 'stash':
      return destructive(operands[0] === 'clear');
    case 'branch':
      return destructive(
        (has('D') || (has('d', 'delete') && has('f', 'force'))) && operands.some((name) => MAIN.test(name)),
      );
    case 'reflog':
      return destructive(
        operands[0] === 'expire' && said.some((arg) => /^--expire(?:-unreachable)?=(?:now|all)$/.test(arg)),
      );
    case 'gc':
      return destructive(said.includes('--prune=now'));
    case 'filter-branch':
    case 'filter-repo':
      return 'destructive';
    case 'update-ref':
      return destructive(has('d'));
    default:
      return undefined;
  }
}

function kubectl(call: Call): CommandKind | undefined {
  const options = optionsOf(call.args, [
    'n',
    'namespace',
    'context',
    'kubeconfig',
    'l',
    'selector',
    'f',
    'filename',
    'cluster',
    'replicas',
  ]);
  const [verb, what = ''] = options.operands;
  if (options.has('dry-run') && options.value('dry-run') !== 'none') return undefined;
  if (verb === 'delete') return 'destructive';
  if (verb === 'drain') return 'destructive';
  if (verb === 'scale') return destructive(options.value('replicas') === '0');
  if (verb === 'replace') return destructive(options.has('force'));
  return destructive((verb === 'projects' || verb === 'project') && what === 'delete');
}

const terraform: CommandRule = (call) => {
  const said = saidOf(call);
  const verbs = said.filter((arg) => !arg.startsWith('-'));
  if (verbs[0] === 'destroy' || verbs[1] === 'destroy') return 'destructive';
  if (verbs[0] === 'run-all' || verbs[0] === 'run') return destructive(verbs.includes('destroy'));
  if (verbs[0] === 'apply') return destructive(said.some((arg) => /^--?destroy$/.test(arg)));
  if (verbs[0] === 'state') return destructive(verbs[1] === 'rm');
  return destructive(verbs[0] === 'workspace' && verbs[1] === 'delete');
};

/** docker and podman */
const docker: CommandRule = (call) => {
  const { has, operands } = optionsOf(call.args, ['H', 'host', 'context', 'filter']);
  const [verb = '', what = '', more = ''] = operands;
  if (verb === 'system' && what === 'reset') return 'destructive';
  if (what === 'prune') return destructive(verb === 'system' || verb === 'volume' || has('a', 'all'));
  if (verb === 'volume' || verb === 'secret' || verb === 'stack' || verb === 'swarm') {
    return destructive(
      what === 'rm' || what === 'remove' || (verb === 'swarm' && what === 'leave' && has('f', 'force')),
    );
  }
  if (verb === 'rm' || verb === 'rmi' || verb === 'kill') {
    return destructive(operands.slice(1).some((each) => each === '\ufdd1') || call.fed);
  }
  if (verb === 'compose') return destructive(what === 'down' && has('v', 'volumes'));
  return destructive(verb === 'down' && has('v', 'volumes') && more === '');
};

const compose: CommandRule = ({ args }) => {
  const { has, operands } = optionsOf(args, ['f', 'file', 'p']);
  return destructive(operands[0] === 'down' && has('v', 'volumes'));
};

const helm: CommandRule = (call) => {
  const said = saidOf(call);
  const [verb] = optionsOf(call.args, ['n', 'namespace', 'kube-context', 'kubeconfig']).operands;
  return destructive((verb === 'uninstall' || verb === 'delete') && !said.some((arg) => arg.startsWith('--dry-run')));
};

/** Verbs of commands of clouds that end in what is gone. */
const GONE =
  /^(?:delete(?:-(?!message|tags?\b|mark).*)?|terminate-instances|purge(?:-.*)?|destroy|remove-.*|rb|deregister-.*|schedule-key-deletion|nuke)$/;

const aws: CommandRule = ({ args }) => {
  const { has, operands } = optionsOf(args, ['profile', 'region', 'output', 'query', 'endpoint-url']);
  const [service, verb = ''] = operands;
  if (has('dry-run', 'dryrun')) return undefined;
  if (service === 's3') {
    if (verb === 'rb') return 'destructive';
    return destructive(
      (verb === 'rm' && has('recursive')) ||
        (verb === 'sync' &&
          has('delete') &&
          !/^(?:\.\/)?(?:dist|build|out|public|site|_site|www)\b/.test(operands[2] ?? '')),
    );
  }
  return destructive(GONE.test(verb));
};

const cloud: CommandRule = ({ args }) => {
  const { has, operands } = optionsOf(args, [
    'g',
    'n',
    'name',
    'resource-group',
    'project',
    'zone',
    'region',
    'a',
    'app',
  ]);
  if (has('dry-run', 'dryrun', 'what-if')) return undefined;
  if (operands[0] === 'storage' && operands[1] === 'rm') return destructive(has('r', 'R', 'recursive'));
  return destructive(
    operands
      .slice(0, 5)
      .some((verb) => verb === 'delete' || verb === 'purge' || verb === 'destroy' || /:destroy$|^pg:reset$/.test(verb)),
  );
};

const gsutil: CommandRule = (call) => {
  const said = saidOf(call);
  if (said.includes('rb')) return 'destructive';
  return destructive(
    said.includes('rm') &&
      said.some((arg) => /^-[a-z]*[rR]/.test(arg)) &&
      said.some((arg) => /^gs:\/\/[^/]+\/?(?:\*+)?$/.test(arg)),
  );
};

/** What a system or its access needs. */
const NEEDED =
  /^(?:systemd|libc6|libc-bin|glibc|bash|coreutils|sudo|openssh-server|apt|dpkg|rpm|yum|dnf|python3?|linux-image.*|kernel.*|grub.*|init|util-linux|login|\*|\.\*)$/;

const packages: CommandRule = (call) => {
  const said = saidOf(call);
  const verb = said.find((arg) => !arg.startsWith('-'));
  const removes =
    /^(?:remove|purge|erase|autoremove|del|uninstall)$/.test(verb ?? '') ||
    said.some((arg) => /^-(?:R\w*|e|P|r|-purge|-remove|-erase)$/.test(arg));
  return destructive(removes && said.some((arg) => NEEDED.test(arg)));
};

const STOPPED =
  /^(?:ssh|sshd|docker|containerd|kubelet|networking|network-manager|networkmanager|systemd-networkd|postgresql|mysql|mysqld|mariadb|mongod|redis|redis-server|nginx|cron|dbus|systemd-\w+)(?:\.service)?$/i;

const systemctl: CommandRule = (call) => {
  const said = saidOf(call).filter((arg) => !arg.startsWith('-'));
  const [verb = '', ...units] = said;
  if (/^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(verb)) return 'destructive';
  return destructive(/^(?:mask|disable)$/.test(verb) && units.some((unit) => STOPPED.test(unit)));
};

const etcd: CommandRule = (call) =>
  destructive(saidOf(call).includes('del') && saidOf(call).some((arg) => arg === '--prefix' || arg === '--from-key'));

const npm: CommandRule = (call) => destructive(saidOf(call)[0] === 'unpublish');
const gh: CommandRule = (call) => {
  const [what, verb] = saidOf(call);
  if (what === 'api') return destructive(/ (?:-X|--method) ?DELETE\b/i.test(saidOf(call).join(' ').slice(0, 512)));
  return destructive((what === 'repo' || what === 'release' || what === 'secret') && verb === 'delete');
};

const migrate: CommandRule = (call) => {
  const said = saidOf(call);
  return destructive(
    said.some((arg) =>
      /^(?:db:drop(?::all|:_unsafe)?|db:reset|db:schema:load|migrate:(?:fresh|reset)|db:wipe|db:migrate:reset|ecto\.drop|ecto\.reset|sql-drop|[\w:]{1,40}:delete)$/.test(
        arg,
      ),
    ) ||
      (said.includes('migrate') && said.includes('reset') && !said.includes('--help')) ||
      (/manage\.py$/.test(said[0] ?? '') && (said[1] === 'flush' || said[1] === 'reset_db')) ||
      (said[0] === 'db' && (/^(?:reset|drop|clean)$/.test(said[1] ?? '') || said.includes('--force-reset'))) ||
      /^schema:drop$/.test(said[0] ?? '') ||
      (said.includes('downgrade') && said.includes('base')) ||
      said.includes('dropdb'),
  );
};

/** What programs of services, stores and clusters are told where they delete for good. */
const DELETING: Readonly<Record<string, RegExp>> = {
  vercel: /^(?:rm|remove|(?:project|env|domains|dns|blob) (?:rm|remove|del))\b/,
  netlify: /^(?:sites|blobs):delete\b/,
  railway: /^(?:down|delete|(?:volume|environment|service) delete)\b/,
  wrangler: /^(?:[\w:-]+ ){0,2}(?:namespace |bucket )?delete\b/,
  ibmcloud: /(?:^|[ -])delete\b/,
  'linode-cli': /\b(?:delete|rm)\b/,
  scw: /\b(?:delete|terminate)\b/,
  oci: /\b(?:delete|terminate)\b/,
  aliyun: /\bDelete\w+/,
  glab: /^(?:repo|project) delete\b/,
  argocd: /^(?:app|proj|cluster) (?:delete|rm)\b/,
  flux: /^(?:delete|uninstall)\b/,
  velero: /^(?:backup|schedule|restore) delete\b/,
  crictl: /^rm[ip]?\b.*\s(?:-a|--all)\b/,
  ctr: /\b(?:rm|delete|remove)\b.*(?:\$|\ufdd1)/,
  nomad: /^job stop\b.*-purge\b|^namespace delete\b/,
  consul: /^kv delete\b.*-recurse\b/,
  vault: /^(?:secrets disable|auth disable|kv (?:destroy|metadata delete)|delete)\b/,
  minikube: /^delete\b.*--(?:all|purge)\b/,
  virsh: /^(?:undefine|destroy|(?:vol|pool|snapshot)-delete)\b/,
  qm: /^destroy\b/,
  pct: /^destroy\b/,
  multipass: /^(?:purge|delete\b.*(?:--all|--purge|-p)\b)/,
  lxc: /^(?:delete|rm)\b.*(?:-f|--force)\b/,
  s3cmd: /^(?:rb|(?:del|rm)\b.*(?:-r|--recursive))\b/,
  mc: /^(?:rb|rm\b.*(?:-r|--recursive))\b/,
  rclone: /^(?:purge|delete)\b/,
  borg: /^delete\b/,
  ceph: /^osd (?:pool (?:delete|rm)|purge|destroy)\b|^fs rm\b/,
  rabbitmqctl: /^(?:reset|force_reset|delete_\w+)\b/,
  'kafka-topics': /--delete\b/,
  'kafka-topics.sh': /--delete\b/,
  'kafka-delete-records.sh': /./,
  influx: /^(?:bucket )?delete\b/,
  dotnet: /\bef database drop\b/,
  knex: /rollback\b.*--all\b/,
  'drizzle-kit': /^drop\b/,
  dropuser: /^[^-]/,
  gem: /^yank\b/,
  pnpm: /^unpublish\b/,
};

const deletes: CommandRule = (call) => {
  const said = saidOf(call).slice(0, 32).join(' ').slice(0, 512);
  return destructive(DELETING[call.name]!.test(said) && !/(?:^| )--?(?:dry-?run|help|h)\b/.test(said));
};

export const SERVICE_RULES: Readonly<Record<string, CommandRule>> = {
  ...Object.fromEntries(Object.keys(DELETING).map((name) => [name, deletes])),
  git,
  kubectl,
  oc: kubectl,
  k: kubectl,
  k3s: kubectl,
  terraform,
  tofu: terraform,
  terragrunt: terraform,
  pulumi: (call) =>
    destructive(/^(?:destroy|down)$/.test(saidOf(call)[0] ?? '') || saidOf(call).slice(0, 2).join(' ') === 'stack rm'),
  cdk: (call) => destructive(saidOf(call)[0] === 'destroy'),
  sls: (call) => destructive(saidOf(call)[0] === 'remove'),
  serverless: (call) => destructive(saidOf(call)[0] === 'remove'),
  vagrant: (call) => destructive(saidOf(call)[0] === 'destroy'),
  docker,
  podman: docker,
  nerdctl: docker,
  'docker-compose': compose,
  helm,
  aws,
  gcloud: cloud,
  az: cloud,
  doctl: cloud,
  heroku: cloud,
  fly: cloud,
  flyctl: cloud,
  eksctl: cloud,
  kops: cloud,
  linode: cloud,
  hcloud: cloud,
  gsutil,
  apt: packages,
  'apt-get': packages,
  dpkg: packages,
  yum: packages,
  dnf: packages,
  rpm: packages,
  pacman: packages,
  apk: packages,
  systemctl,
  etcdctl: etcd,
  npm,
  gh,
  rails: migrate,
  rake: migrate,
  prisma: migrate,
  wp: migrate,
  drush: migrate,
  mix: migrate,
  flask: migrate,
  alembic: migrate,
  supabase: migrate,
  firebase: migrate,
  bq: (of) => destructive(saidOf(of).includes('rm')),
  dropdb: ({ args }) =>
    destructive(!args.some(({ text }) => /^--(?:help|version)$|(?:^|_)(?:test|tmp|temp)(?:_|$)/.test(text))),
  mysqladmin: (of) => destructive(saidOf(of).includes('drop')),
  sequelize: migrate,
  'sequelize-cli': migrate,
  typeorm: migrate,
  php: migrate,
  python: migrate,
  python3: migrate,
  './manage.py': migrate,
  artisan: migrate,
};
