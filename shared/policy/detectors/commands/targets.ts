/** What may be deleted or changed without harm, and what may not: by where it lies. */
import { SOMETHING, UNKNOWN } from './words.js';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Folders in the root whose loss breaks a system, or loses what people have. */
const TOP = set(
  'bin boot dev etc home lib lib32 lib64 libx32 opt proc root sbin srv sys usr var run mnt media data backup backups db database ' +
    'app workspace workspaces repo project system library users applications private volumes windows nix snap',
);
/** Each folder in these, too. */
const SECOND = set(
  'bin boot dev etc home lib lib32 lib64 opt root sbin srv sys usr var mnt media data users library private system',
);
/** But not these. */
const PASSING = set('/usr/src /private/tmp /dev/null /dev/shm /root/.cache /root/.npm /mnt/tmp /data/tmp');
const IN_VAR = set('lib log mail spool www backups db local opt');
/** Folders of services in /var/lib. */
const KEPT = set(
  'mysql postgresql postgres pgsql docker containerd kubelet etcd mongodb mongo redis dpkg rpm elasticsearch cassandra clickhouse',
);
/** What a home folder has that is not made again. */
const OWN = set(
  '.ssh .gnupg .aws .kube .config .local .docker .mozilla .thunderbird .password-store documents desktop downloads pictures music videos library',
);

const SLASHES = /\/{2,}|\/(?:\.\/)+/g;

/** `path` as seen from `folder`, without `//`, `/./`, `/../` and a `/` at its end. */
export function resolved(path: string, folder: string): string {
  let full = path.slice(0, 512);
  if (full.length > 1 && full.endsWith('/')) full = full.replace(/\/+$/, '') || '/';
  if (folder !== '' && !/^(?:[/~\ufdd0-\ufdd3]|[A-Za-z]:)/.test(full)) full = `${folder}/${full}`;
  full = full
    .replace(SLASHES, '/')
    .replace(/(?<=[^.])\/\.$/, '')
    .replace(/^\.\/(?=.)/, '');
  if (!full.includes('..')) return full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
  const parts: string[] = [];
  for (const part of full.split('/')) {
    if (part === '..' && parts.length > 0 && !['..', '', '.', '~'].includes(parts.at(-1)!)) parts.pop();
    else if (part === '..' && parts.length === 1 && parts[0] === '') continue;
    else parts.push(part);
  }
  const said = parts.join('/');
  return said === '' && full.startsWith('/') ? '/' : said;
}

/** All of a folder: `*`, `.*`, `.[!.]*`, `*.*`, `{*,.*}`. */
const ALL = /^(?:\*+|\.\*|\.\?\*|\.\[[^\]]*\]\*|\*\.\*|\.\?\?\*)$/;

/** Whether the loss of `path` is more than that of what can be made again: see docs/detectors/commands.md. */
export function isPrecious(path: string, folder = ''): boolean {
  if (isWindowsPath(path)) return isPreciousInWindows(path);
  // `$folder/` and `$folder/*`: the root, where the variable is empty
  if (path.startsWith(UNKNOWN))
    return (
      /^\ufdd0+\/+(?:\*|\.\*)?$/.test(path) || (/^\ufdd0+\/./.test(path) && isPrecious(path.replace(/^\ufdd0+/, '')))
    );
  if (path.startsWith(SOMETHING) || path === '') return false;
  // `/$folder`: the same
  if (/^\/+\ufdd0[\ufdd0/]*(?:\*|\.\*)?$/.test(path)) return true;
  const full = resolved(path, folder);
  if (
    ['/', '.', '..', './', '~', '/.', '/..', './.', '.git', './.git'].includes(full) ||
    /^(?:\.\.\/)+(?:\.\.)?$/.test(`${full}/`)
  )
    return true;
  const parts = full.split('/');
  const every = ALL.test(parts.at(-1)!);
  if (every) {
    const holder = parts.slice(0, -1).join('/');
    if (holder === '' || holder === '.' || holder === '..' || holder === '~') return true;
    return isPrecious(holder);
  }
  if (parts[0] === '~' && parts[1] === '..') return true;
  if (parts[0] === '~' || /^~\w+$/.test(parts[0]!))
    return parts.length === 1 || (parts.length === 2 && OWN.has(parts[1]!.toLowerCase()));
  if (parts[0] !== '') return false;
  if (parts[1] === 'mnt' && /^[a-z]$/i.test(parts[2] ?? ''))
    return isPreciousInWindows(`${parts[2]}:/${parts.slice(3).join('/')}`);
  return isPreciousInRoot(parts);
}

function isPreciousInRoot(parts: readonly string[]): boolean {
  const [, first = '', second = '', third = ''] = parts.map((part) => part.toLowerCase());
  if (!TOP.has(first)) return /[*?[]/.test(first) && parts.length === 2 && !/^[\w.-]{2,}/.test(first);
  if (parts.length === 2) return true;
  if ((first === 'home' || first === 'users') && parts.length === 3 && (second === SOMETHING || second === UNKNOWN))
    return true;
  if (second.includes(UNKNOWN) || second.includes(SOMETHING)) return false;
  if (first === 'var' && parts.length === 3) return IN_VAR.has(second);
  if (parts.length === 3) return SECOND.has(first) && !PASSING.has(`/${first}/${second}`);
  if (first === 'home' || first === 'users') return parts.length === 4 && OWN.has(third);
  if (first === 'var' && second === 'lib') return KEPT.has(third);
  if (first === 'var' && second === 'log' && parts.length === 4) return third === 'journal' || third === 'audit';
  return (
    first === 'etc' && parts.length === 4 && ['ssh', 'ssl', 'systemd', 'kubernetes', 'letsencrypt'].includes(second)
  );
}

export const isWindowsPath = (path: string): boolean =>
  /^(?:[A-Za-z]:(?:[\\/]|$)|%\w+%|\$env:|\$home\b|\\\\)/i.test(path) || path === '\\';

const IN_WINDOWS =
  /^(?:windows|users|program files(?: \(x86\))?|programdata|system32|documents and settings)(?:\\[^\\]*)?$/;

function isPreciousInWindows(path: string): boolean {
  const full = path
    .slice(0, 512)
    .replaceAll('/', '\\')
    .replace(/\\+(?:\*(?:\.\*)?)?$/, '')
    .toLowerCase();
  if (/^(?:[a-z]:|\\*)$/.test(full)) return true;
  if (/^%(?:systemroot|windir|systemdrive|userprofile|homepath|programfiles|appdata)%$/.test(full)) return true;
  if (/^\$(?:env:(?:systemroot|windir|systemdrive|userprofile|homepath|programfiles)|home)$/.test(full)) return true;
  const inside = /^[a-z]:\\(.+)$/.exec(full)?.[1];
  if (inside?.startsWith('windows\\system32\\')) return true;
  return inside !== undefined && IN_WINDOWS.test(inside) && !/\\temp\b/.test(inside);
}

/** A disk, or a part of one. */
export const isDisk = (path: string): boolean =>
  /^(?:\/dev\/(?:r?disk\d|sd[a-z*]|a?da\d|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|md\d|dm-\d|mapper\/|loop\d|by-id\/|disk\/|mem$|kmem$|port$)|\\\\\.\\physicaldrive)/i.test(
    path,
  );
