/** Programs that delete, overwrite or open up files and disks. */
import { optionsOf } from '../options.js';
import type { Call, CommandKind, CommandRule } from '../rule.js';
import { isDisk, isPrecious, isWindowsPath } from '../targets.js';

const destructive = (is: boolean): CommandKind | undefined => (is ? 'destructive' : undefined);

/** Files without which a system does not work. */
export const CRITICAL =
  /^\/(?:etc\/(?:passwd|shadow|group|gshadow|fstab|sudoers|hosts|ssh\/(?:sshd_config|ssh_host_.*)|ssl\/private\/.*)|boot\/.*|dev\/(?!shm|null).*|bin\/\w+|sbin\/\w+)$/;
const OWN_FILE = /^~\/(?:\.ssh\/.*|\.gnupg\/.*|\.bash_history|\.zsh_history|\.aws\/.*|\.kube\/config)$/;

function rm({ args, folder, fed, command }: Call): CommandKind | undefined {
  const options = optionsOf(args);
  if (options.has('help', 'version')) return undefined;
  const all = options.has('r', 'R', 'recursive', 'recurse', 'Recurse', 'rf', 'fr', 'no-preserve-root');
  if (fed && all) return destructive(!listsFew(command, folder));
  if (fed && findsAll(command, folder)) return 'destructive';
  return destructive(
    options.operands.some((path) =>
      all || isWindowsPath(path)
        ? isPrecious(path, folder)
        : CRITICAL.test(path) ||
          /^\/var\/log\/\*(?:\.log)?$/.test(path) ||
          OWN_FILE.test(path) ||
          (/(?:^|\/)\.?\*$/.test(path) && isPrecious(path, folder)),
    ),
  );
}

/** Whether what feeds `xargs rm -r` names what it wants. */
function listsFew({ from, redirects }: Call['command'], folder = ''): boolean {
  if (!from || redirects.some(({ op }) => op === '<')) return false;
  const [first, ...rest] = from.words.map(({ text }) => text);
  if (first === 'find') return !isWide(rest, folder);
  if (first === 'echo' || first === 'printf')
    return !rest.some((said) => said.split(/\s+/, 64).some((path) => path !== '' && isPrecious(path)));
  return first === 'grep' || first === 'git' || first === 'docker';
}

/** Whether what feeds `xargs rm` is all that `find` finds. */
function findsAll({ from }: Call['command'], folder: string): boolean {
  const [first, ...rest] = from?.words.map(({ text }) => text) ?? [];
  return first === 'find' && isWide(rest, folder);
}

/** Tests of `find` that choose some of the files. */
const CHOOSES =
  /^-(?:i?l?name|i?path|i?regex|[acm](?:time|min)|newer\w*|size|empty|user|group|perm|inum|wholename|xtype|links)$/;

/** Whether `find` with these arguments finds all there is, or searches what nobody may lose. */
export function isWide(args: readonly string[], folder = ''): boolean {
  const until = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPDO]/.test(arg));
  const places = args.slice(0, until < 0 ? args.length : until).filter((arg) => !arg.startsWith('-'));
  const chooses = args.some(
    (arg, i) => CHOOSES.test(arg) && args[i + 1] !== '*' && !(args[i - 1] === '-not' || args[i - 1] === '!'),
  );
  if (places.length === 0) return !chooses;
  return places.some((place) => {
    if (!isPrecious(place, folder)) return false;
    return !chooses || /^(?:\/|~|\/(?:etc|boot|bin|sbin|lib|lib64|usr|home|root|dev|sys|proc)\/?\*?)$/.test(place);
  });
}

function find({ args, folder }: Call): CommandKind | undefined {
  const said = args.map(({ text }) => text);
  return destructive(said.includes('-delete') && isWide(said, folder));
}

function dd({ args, command }: Call): CommandKind | undefined {
  if (args.some(({ text }) => text.startsWith('of=') && isDisk(text.slice(3)))) return 'destructive';
  return destructive(args.some(({ text }) => /^if=\/dev\/(?:zero|u?random)$/.test(text)) && writesDisk(command));
}

/** Whether the output goes to a disk, or over a file that a system needs. */
export const writesDisk = ({ redirects }: Call['command']): boolean =>
  redirects.some(
    ({ op, target }) =>
      op.includes('>') &&
      (isDisk(target.text) ||
        (!op.includes('>>') &&
          /^\/(?:etc\/(?:passwd|shadow|group|fstab|sudoers)|boot\/.*|var\/lib\/(?:mysql|postgresql|mongodb|redis|docker|etcd)\/.*)$|^\/proc\/sysrq-trigger$|^[a-z]:\\windows\\system32\\/i.test(
            target.text,
          ))),
  );

const onDisk: CommandRule = ({ args }) => destructive(args.some(({ text }) => isDisk(text)));
/** Without one of these options it lists. */
const wipefs: CommandRule = (call) =>
  optionsOf(call.args, ['o', 't']).has('a', 'all', 'o', 'offset', 'f') ? onDisk(call) : undefined;
const onDiskUnlessListing: CommandRule = (call) => {
  const options = optionsOf(call.args);
  if (options.has('l', 'list', 'n', 'no-act', 'version', 'help', 'p', 'print')) return undefined;
  return onDisk(call);
};

function mkfs(call: Call): CommandKind | undefined {
  return onDisk(call);
}

const OPEN = /^(?:0?[0-7]?777|0?666|0+|0?000|[augo]*[+=](?:rwx|rw|w)|[augo]*-(?:rwx|x|r)|a=)$/;

/** chmod, chown, chgrp, setfacl of much at once */
function rights({ name, args, folder }: Call): CommandKind | undefined {
  const options = optionsOf(args);
  const { operands } = options;
  const all = options.has('R', 'recursive');
  if (name === 'chmod' && /^-[rwxX]+$/.test(args[0]?.text ?? '') && args[0]?.text !== '-R') return undefined;
  const [mode = '', ...paths] = operands;
  if (all) {
    const targets = paths.filter((path) => path !== '.' && path !== '..');
    return destructive(
      (name !== 'chmod' || OPEN.test(mode)) &&
        targets.some(
          (path) => isRooted(path) && isPrecious(path, folder) && !(name !== 'chmod' && OF_PROGRAMS.test(path)),
        ),
    );
  }
  if (name !== 'chmod' || !/^(?:0?777|0?000|a\+rwx|a-rwx)$/.test(mode)) return undefined;
  return destructive(
    paths.some((path) =>
      /^\/(?:\*|bin|boot|dev|etc(?:\/\w+)?|home|lib\w*|root|sbin|sys|usr(?:\/\w+)?|var)?\/?$/.test(path),
    ),
  );
}

/** Folders that an image gives to the user of its program. */
const OF_PROGRAMS =
  /^\/(?:app|workspaces?|repo|project|data|srv|opt|home|mnt|media|var\/(?:www|lib|log|run|cache))(?:\/.*)?$/;

const isRooted = (path: string): boolean => /^(?:\/|~|\ufdd0+\/)/.test(path);

function mv({ args, folder }: Call): CommandKind | undefined {
  const { operands } = optionsOf(args, ['t', 'target-directory', 'S']);
  const sources = operands.slice(0, -1);
  if (operands.at(-1) === '/dev/null') return destructive(sources.length > 0);
  return destructive(
    sources.some(
      (path) =>
        isRooted(path) && isPrecious(path, folder) && /^(?:\/\*?|~\/?\*?|\/\w+\/?\*?|\/(?:etc|usr)\/\w+)$/.test(path),
    ),
  );
}

function copy({ args }: Call): CommandKind | undefined {
  const { operands } = optionsOf(args);
  const target = operands.at(-1) ?? '';
  return destructive(operands.length > 1 && (isDisk(target) || (operands[0] === '/dev/null' && CRITICAL.test(target))));
}

function shred({ args, fed, command }: Call): CommandKind | undefined {
  if (fed) return destructive(!listsFew(command));
  const options = optionsOf(args, ['n', 's', 'iterations', 'size']);
  return destructive(
    options.operands.some(
      (path) => isDisk(path) || isPrecious(path) || CRITICAL.test(path) || OWN_FILE.test(path) || /\*$/.test(path),
    ),
  );
}

/** Logs that say who did what. */
const TRACES = /^\/var\/log\/(?:auth\.log|secure|audit\/.*|wtmp|btmp|lastlog)$|^~\/\.(?:bash|zsh)_history$/;

function truncate({ args }: Call): CommandKind | undefined {
  const { operands } = optionsOf(args, ['s', 'size', 'r']);
  return destructive(
    operands.some(
      (path) =>
        isDisk(path) || CRITICAL.test(path) || (/\*$/.test(path) && path.startsWith('/var/')) || TRACES.test(path),
    ),
  );
}

function rsync({ args, folder }: Call): CommandKind | undefined {
  const options = optionsOf(args, ['e', 'f', 'exclude', 'include']);
  if (options.has('n', 'dry-run') || ![...args].some(({ text }) => /^--del(?:ete.*)?$/.test(text))) return undefined;
  const target = options.operands.at(-1) ?? '';
  const [source = ''] = options.operands;
  return destructive(
    isRooted(target) &&
      isPrecious(target, folder) &&
      (/^\/?$|empty|null/.test(source) || /^(?:\/|~\/?|\/\w+\/?)$/.test(target)),
  );
}

/** tar deletes what it has packed. */
const tar: CommandRule = ({ args, folder }) =>
  destructive(
    args.some(({ text }) => text === '--remove-files') &&
      args.some(({ text }) => !text.startsWith('-') && isRooted(text) && isPrecious(text, folder)),
  );

function tee({ args }: Call): CommandKind | undefined {
  const adds = args.some(({ text }) => /^(?:-a|--append)$/.test(text));
  return destructive(args.some(({ text }) => isDisk(text) || (!adds && OVERWRITTEN.test(text))));
}
const OVERWRITTEN = /^\/etc\/(?:fstab|group|gshadow|hosts)$/;

const POWER = new Set(['now', '0', '+0', '-h', '-r', '-p', '-P', '/s', '/r', '/p', '-s']);
function power({ name, args }: Call): CommandKind | undefined {
  const said = args.map(({ text }) => text);
  if (said.some((arg) => /^(?:-c|\/a|-k|--help|-w|--wtmp-only|--show)$/.test(arg))) return undefined;
  if (name === 'shutdown') return destructive(said.some((arg) => POWER.has(arg) || /^[+]\d|^\d\d?:\d\d$/.test(arg)));
  if (name === 'init' || name === 'telinit') return destructive(said.length === 1 && /^[06]$/.test(said[0]!));
  return destructive(said.every((arg) => arg.startsWith('-')));
}

function kill({ name, args }: Call): CommandKind | undefined {
  const said = args.map(({ text }) => text);
  if (name === 'kill' && said.at(-1) === '1') return destructive(/^-(?:9|KILL|SIGKILL|s)$/.test(said[0]!));
  if (name === 'kill') return destructive(said.includes('-1') && said.length > 1 && said.at(-1) === '-1');
  if (name === 'killall')
    return destructive(said.some((arg) => /^(?:sshd|systemd|init|dockerd|kubelet|containerd)$/.test(arg)));
  if (name === 'pkill' && said.some((arg, i) => /^-[uU]$/.test(arg) && said[i + 1] === 'root')) return 'destructive';
  return destructive(name === 'killall5' || (name === 'pkill' && said.some((arg) => arg === '.' || arg === '.*')));
}

function swap({ name, args }: Call): CommandKind | undefined {
  const said = args.map(({ text }) => text);
  if (name === 'cryptsetup')
    return destructive(
      /^(?:luksFormat|erase|luksErase|luksKillSlot)$/.test(said.find((arg) => !arg.startsWith('-')) ?? ''),
    );
  if (name === 'zpool' || name === 'zfs') return destructive(said[0] === 'destroy');
  if (name === 'btrfs') return destructive(said[0] === 'subvolume' && said[1] === 'delete');
  if (name === 'mdadm') return destructive(said.includes('--zero-superblock'));
  if (name === 'nvme') return destructive(said[0] === 'format' || said[0] === 'sanitize');
  if (name === 'hdparm')
    return destructive(said.some((arg) => arg.startsWith('--security-erase') || arg.startsWith('--trim-sector')));
  return 'destructive';
}

function crontab({ args }: Call): CommandKind | undefined {
  return destructive(
    args.some(({ text }) => text === '-r' || text === '-ri') && !args.some(({ text }) => text === '-l'),
  );
}

function diskutil({ args }: Call): CommandKind | undefined {
  return destructive(
    /^(?:erase\w+|zerodisk|randomdisk|secureerase|partitiondisk|reformat)$/i.test(args[0]?.text ?? ''),
  );
}

export const FILE_RULES: Readonly<Record<string, CommandRule>> = {
  rm,
  unlink: rm,
  find,
  dd,
  shred,
  srm: shred,
  wipe: shred,
  truncate,
  mv,
  cp: copy,
  ln: copy,
  userdel: ({ args }) => destructive(args.length > 0),
  deluser: ({ args }) => destructive(args.length === 1 || args.some(({ text }) => /^--remove/.test(text))),
  tee,
  rsync,
  tar,
  chmod: rights,
  chown: rights,
  chgrp: rights,
  setfacl: rights,
  mkfs,
  mke2fs: mkfs,
  mkswap: mkfs,
  newfs: mkfs,
  wipefs,
  blkdiscard: onDisk,
  fdisk: onDiskUnlessListing,
  sfdisk: onDiskUnlessListing,
  gdisk: onDiskUnlessListing,
  sgdisk: onDiskUnlessListing,
  cfdisk: onDiskUnlessListing,
  parted: ({ args }) =>
    destructive(
      args.some(({ text }) => isDisk(text)) && args.some(({ text }) => /\b(?:rm|mklabel|mktable|mkpart)\b/.test(text)),
    ),
  badblocks: (call) => destructive(optionsOf(call.args).has('w') && call.args.some(({ text }) => isDisk(text))),
  shutdown: power,
  reboot: power,
  halt: power,
  poweroff: power,
  init: power,
  telinit: power,
  kill,
  killall5: kill,
  killall: kill,
  pkill: kill,
  cryptsetup: swap,
  zpool: swap,
  zfs: swap,
  btrfs: swap,
  mdadm: swap,
  nvme: swap,
  hdparm: swap,
  lvremove: swap,
  vgremove: swap,
  pvremove: swap,
  crontab,
  diskutil,
};
