/** Commands of PowerShell and cmd. Names and options are of any case, and options may be shortened. */
import type { Call, CommandKind, CommandRule } from '../rule.js';
import { isSecretFile, saysSecrets } from '../secrets.js';
import { isPrecious, isWindowsPath } from '../targets.js';
import { FETCHES } from '../words.js';
import { LOCAL } from './network.js';

const destructive = (is: boolean): CommandKind | undefined => (is ? 'destructive' : undefined);
const saidOf = ({ args }: Call): string[] => args.map(({ text }) => text);

const ALL = /^(?:\.?[\\/]?\*(?:\.\*)?|\.|\.\.|\.[\\/])$/;

/** Branches of the registry. */
const BRANCH = /^(?:hk(?:lm|cu|cr|u)|registry::\w+):?\\?(?:software|system|sam|security)?\\?\*?$/i;

const isTarget = (path: string, folder: string): boolean =>
  ALL.test(path) || BRANCH.test(path) || isPrecious(path, folder);

/** Remove-Item, del, rd and their other names */
const remove: CommandRule = (call) => {
  const said = saidOf(call);
  const isSwitch = (arg: string): boolean => /^\/[a-z](?::.*)?$/i.test(arg) || /^-\w/.test(arg);
  const all =
    call.name === 'deltree' ||
    said.some(
      (arg) =>
        /^-r(?:e(?:c(?:u(?:r(?:s(?:e)?)?)?)?)?)?(?::\$?(?:true|1))?$/i.test(arg) ||
        /^\/s$/i.test(arg) ||
        /^-(?:rf|fr)$/.test(arg),
    );
  if (said.some((arg) => /^-whatif$/i.test(arg))) return undefined;
  const paths = said.flatMap((arg) => (isSwitch(arg) ? [] : arg.split(','))).map((path) => path.replace(/^"|"$/g, ''));
  if (call.fed && (all ? !listsSome(call) : listsAll(call))) return 'destructive';
  const isAsked = /^(?:del|erase|rd|rmdir)$/.test(call.name) && !all && !said.some((arg) => /^\/[sqf]$/i.test(arg));
  return destructive(
    !isAsked &&
      (all || paths.some((path) => /[*]|\\system32\\/i.test(path))) &&
      paths.some((path) => isTarget(path, call.folder)),
  );
};

/** Whether what feeds it chooses by name, below the folder where it stands. */
function listsSome({ command: { from }, folder }: Call): boolean {
  const [first = '', ...rest] = from?.words.map(({ text }) => text) ?? [];
  if (!/^(?:gci|get-childitem|dir|ls)$/i.test(first)) return false;
  const at = rest.findIndex((arg) => /^-(?:fi\w*|in\w*)$/i.test(arg) && !/^-file$/i.test(arg));
  return (
    at >= 0 &&
    !/^\*(?:\.\*)?$/.test(rest[at + 1] ?? '*') &&
    !rest.some((path) => isPrecious(path, folder) && path !== '.')
  );
}

/** Whether it is fed with all of a folder that nobody may lose. */
function listsAll({ command: { from }, folder }: Call): boolean {
  const [first = '', ...rest] = from?.words.map(({ text }) => text) ?? [];
  if (!/^(?:gci|get-childitem|dir|ls)$/i.test(first) || !rest.some((arg) => /^-r\w{0,6}$/i.test(arg))) return false;
  if (rest.some((arg) => /^-(?:fi\w*|in\w*|ex\w*)$/i.test(arg) && !/^-file$/i.test(arg))) return false;
  const paths = rest.filter((arg) => !arg.startsWith('-'));
  return paths.length === 0 || paths.some((path) => isTarget(path, folder));
}

/** Invoke-WebRequest and Invoke-RestMethod: a file, or what the brackets behind -Body give */
const request: CommandRule = (call) => {
  const said = saidOf(call);
  if (said.some((arg) => LOCAL.test(arg))) return undefined;
  const file = said[said.findIndex((arg) => /^-inf\w*$/i.test(arg)) + 1] ?? '';
  const isFile = said.some((arg) => /^-inf\w*$/i.test(arg)) && isSecretFile(file);
  const hasBody = said.some((arg) => /^-bo\w*$/i.test(arg));
  return isFile || (hasBody && saysSecrets(call.command.from)) ? 'exfiltration' : undefined;
};

/** A script block behind ForEach-Object: what it does is done to all that is listed. */
const forEach: CommandRule = (call) => {
  const said = saidOf(call).join(' ').slice(0, 1024);
  if (!call.fed) return undefined;
  if (/\b(?:clear-eventlog|wevtutil)\b/i.test(said)) return 'privilege';
  if (/\b(?:irm|iwr|invoke-(?:webrequest|restmethod)|curl)\b.{0,256}\$_/i.test(said) && saysSecrets(call.command.from))
    return 'exfiltration';
  if (!/\$_\b.{0,64}?\.delete\b|\b(?:remove-item|ri|rm|del|rd|rmdir|erase)\b.{0,64}\$_/i.test(said)) return undefined;
  const source = call.command.from?.words.map(({ text }) => text) ?? [];
  return destructive(
    listsAll(call) ||
      source.some((path) => isPrecious(path, call.folder)) ||
      /shadowcopy|logicaldisk|^get-(?:psdrive|volume)\b/i.test(source.join(' ')),
  );
};

/** Settings of Defender, the firewall and the restore points that switch off. */
const defender: CommandRule = (call) => {
  const said = saidOf(call);
  const isOff = said.some((arg, i) => /^-Disable\w+$/i.test(arg) && !/^(?:\$false|0)$/i.test(said[i + 1] ?? ''));
  return isOff || said.some((arg) => /^-Exclusion\w+$/i.test(arg)) ? 'privilege' : undefined;
};

const firewall: CommandRule = (call) => {
  const said = saidOf(call);
  const at = said.findIndex((arg) => /^-En\w*$/i.test(arg));
  return at >= 0 && /^(?:\$?false|0)$/i.test(said[at + 1] ?? '') ? 'privilege' : undefined;
};

const feature: CommandRule = (call) => (saidOf(call).some((arg) => /defender/i.test(arg)) ? 'privilege' : undefined);

const localGroup: CommandRule = (call) =>
  saidOf(call).some((arg) => /^administrators$/i.test(arg)) ? 'privilege' : undefined;

/** Processes without which Windows stops, and all of them. */
const taskkill: CommandRule = (call) => {
  const said = saidOf(call);
  return destructive(
    said.some((arg) =>
      /^(?:lsass|csrss|wininit|winlogon|services|smss)(?:\.exe)?$|^pid\s+(?:ne|gt|ge)\s+\d/i.test(arg),
    ) && said.some((arg) => /^\/(?:im|fi)$/i.test(arg)),
  );
};

/** Rights of all in a folder of the system. */
const rights: CommandRule = (call) => {
  const said = saidOf(call);
  const isDeep = said.some((arg) => /^\/[rt]$/i.test(arg));
  const gives = call.name === 'takeown' || said.some((arg) => /^\/(?:grant|reset|remove|deny)/i.test(arg));
  return destructive(isDeep && gives && said.some((path) => !path.startsWith('/') && isPrecious(path, call.folder)));
};

const attrib: CommandRule = (call) =>
  destructive(
    saidOf(call).some((arg) => /^\/s$/i.test(arg)) &&
      saidOf(call).some((path) => /^[a-z]:\\/i.test(path) && isPrecious(path, call.folder)),
  );

/** robocopy /MIR deletes what the source does not have. */
const mirror: CommandRule = (call) => {
  const said = saidOf(call);
  const [, target = ''] = said.filter((arg) => !/^\/\w+/.test(arg));
  return destructive(said.some((arg) => /^\/(?:mir|purge)$/i.test(arg)) && isPrecious(target, call.folder));
};

/** A file of Windows that is overwritten with nothing. */
const copy: CommandRule = (call) => {
  const said = saidOf(call).filter((arg) => !arg.startsWith('/'));
  return destructive(/^nul$/i.test(said[0] ?? '') && isPrecious(said.at(-1) ?? '', call.folder));
};

/** `for /d %i in (…) do …`, and `forfiles /p … /c …` */
const loop: CommandRule = (call) => {
  const said = saidOf(call);
  if (call.name === 'for' && !/^\/[dfr]$/i.test(said[0] ?? '')) return undefined;
  const text = said.join(' ').slice(0, 1024);
  const places = [...said, ...(call.command.from?.words.map(({ text: word }) => word) ?? [])];
  if (/\bwevtutil(?:\.exe)?\s+cl\b/i.test(text)) return 'privilege';
  return destructive(
    /\b(?:rd|rmdir|del|erase)\b.{0,64}(?:%|@path|@file)/i.test(text) &&
      places.some((path) => !path.startsWith('/') && isTarget(path, call.folder) && isWindowsPath(path)),
  );
};

const clear: CommandRule = (call) => destructive(saidOf(call).some((path) => /\\system32\\/i.test(path)));

const diskpart: CommandRule = (call) => {
  const { from } = call.command;
  const said = [...(from?.group ?? []), ...(from ? [from] : [])].flatMap(({ words }) => words.map(({ text }) => text));
  return destructive(
    saidOf(call).some((arg) => /^\/s$/i.test(arg)) || said.some((word) => /\b(?:clean|format|delete)\b/i.test(word)),
  );
};

const installs: CommandRule = (call) =>
  saidOf(call).some((arg) => /^https?:/i.test(arg)) && saidOf(call).some((arg) => /^[-/](?:i|package|q\w?)$/i.test(arg))
    ? 'remote_code'
    : undefined;

const ENCODED = /\bpowershell(?:\.exe)?\b.{0,80}\s[-/](?:e|ec|en\w*)\s|\bmshta\b|https?:\/\//i;
/** What is run later or elsewhere: an encoded script, or one that is fetched. */
const launches: CommandRule = (call) => {
  const said = saidOf(call).join(' ').slice(0, 2048);
  return /\/create\b|\bcall create\b/i.test(said) && ENCODED.test(said) ? 'remote_code' : undefined;
};

/** All of a kind of thing, by one cmdlet: `Remove-VM -Name *`. */
const removesAny: CommandRule = (call) =>
  destructive(call.fed || saidOf(call).some((arg) => /^\*$|^hk(?:lm|cu|cr|u):/i.test(arg)));

const format: CommandRule = (call) => {
  const said = saidOf(call);
  return destructive(
    said.some((arg) => /^[a-z]:\\?$/i.test(arg)) && said.every((arg) => /^(?:\/.*|[a-z]:\\?)$/i.test(arg)),
  );
};

const always: CommandRule = () => 'destructive';

const vss: CommandRule = (call) =>
  destructive(/^(?:delete|resize)$/i.test(saidOf(call)[0] ?? '') && /^shadow/i.test(saidOf(call)[1] ?? ''));

const wmic: CommandRule = (call) => {
  const said = saidOf(call).map((arg) => arg.toLowerCase());
  if (said[0] === 'process') return launches(call);
  if (said.some((arg) => /^\/format:\s*"?https?:/.test(arg))) return 'remote_code';
  return destructive(said[0] === 'shadowcopy' && said.includes('delete'));
};

const wbadmin: CommandRule = (call) => destructive(/^delete$/i.test(saidOf(call)[0] ?? ''));

const bcdedit: CommandRule = (call) =>
  destructive(saidOf(call).some((arg) => /^(?:recoveryenabled|ignoreallfailures|\/delete|\/deletevalue)$/i.test(arg)));

const cipher: CommandRule = (call) => destructive(saidOf(call).some((arg) => /^\/w:[a-z]:/i.test(arg)));

const reg: CommandRule = (call) => {
  const said = saidOf(call);
  if (/^add$/i.test(said[0] ?? ''))
    return /^1$/.test(said[said.findIndex((arg) => /^\/d$/i.test(arg)) + 1] ?? '') &&
      said.some((arg) => /^Disable(?:AntiSpyware|AntiVirus|RealtimeMonitoring|Realtime\w*|RestrictedAdmin)$/i.test(arg))
      ? 'privilege'
      : undefined;
  if (/^(?:save|export)$/i.test(said[0] ?? ''))
    return /^(?:hklm|hkey_local_machine)\\(?:sam|security|system)$/i.test(said[1] ?? '') ? 'privilege' : undefined;
  return destructive(
    /^delete$/i.test(said[0] ?? '') &&
      /^(?:hklm|hkey_local_machine|hkcr|hkcu\\software)(?:\\(?:software|system|sam|security|microsoft|windows|currentcontrolset|services)\b.*)?$/i.test(
        said[1] ?? '',
      ),
  );
};

const wevtutil: CommandRule = (call) => (/^(?:cl|clear-log)$/i.test(saidOf(call)[0] ?? '') ? 'privilege' : undefined);

const invoke: CommandRule = (call) => {
  const said = saidOf(call).join(' ').slice(0, 4096);
  const fetched =
    /DownloadString|DownloadFile|\b(?:iwr|irm|curl|wget|Invoke-WebRequest|Invoke-RestMethod)\b|Net\.WebClient|FromBase64String/i.test(
      said,
    );
  for (let of = call.command.from, depth = 0; of && depth < 6; of = of.from, depth++) {
    if (
      of.words
        .slice(0, 12)
        .some(
          ({ text }) =>
            FETCHES.has(text.toLowerCase().replace(/^\{+/, '')) ||
            /Net\.WebClient|DownloadString|FromBase64String/i.test(text),
        )
    )
      return 'remote_code';
  }
  return fetched ? 'remote_code' : undefined;
};

const certutil: CommandRule = (call) =>
  saidOf(call).some((arg) => /^[-/]urlcache$/i.test(arg)) &&
  saidOf(call).some((arg) => /\.(?:exe|dll|ps1|bat|scr|hta)$/i.test(arg))
    ? 'remote_code'
    : undefined;

const computer: CommandRule = (call) => destructive(!saidOf(call).some((arg) => /^-whatif$/i.test(arg)));

export const WINDOWS_RULES: Readonly<Record<string, CommandRule>> = {
  'remove-item': remove,
  ri: remove,
  del: remove,
  erase: remove,
  rd: remove,
  rmdir: remove,
  rm: remove,
  format,
  'format-volume': computer,
  'clear-disk': computer,
  'initialize-disk': computer,
  'remove-partition': computer,
  'stop-computer': computer,
  'restart-computer': computer,
  diskpart,
  '%': forEach,
  foreach: forEach,
  'foreach-object': forEach,
  'set-mppreference': defender,
  'add-mppreference': defender,
  'set-netfirewallprofile': firewall,
  'disable-windowsoptionalfeature': feature,
  'uninstall-windowsfeature': feature,
  'disable-computerrestore': computer,
  'add-localgroupmember': localGroup,
  'remove-eventlog': () => 'privilege',
  'clear-content': clear,
  'clear-recyclebin': () => undefined,
  taskkill,
  for: loop,
  forfiles: loop,
  takeown: rights,
  icacls: rights,
  attrib,
  robocopy: mirror,
  copy,
  msiexec: installs,
  wsl: (call) => destructive(saidOf(call)[0] === '--unregister'),
  'stop-service': removesAny,
  'remove-itemproperty': removesAny,
  'remove-vm': removesAny,
  'remove-mailbox': always,
  'remove-azvm': always,
  'remove-azstorageaccount': always,
  'remove-azsqldatabase': always,
  'remove-s3bucket': always,
  'remove-adgroup': always,
  'remove-adcomputer': always,
  vssadmin: vss,
  wmic,
  wbadmin,
  bcdedit,
  cipher,
  reg,
  wevtutil,
  'clear-eventlog': () => 'privilege',
  iwr: request,
  irm: request,
  'invoke-webrequest': request,
  'invoke-restmethod': request,
  iex: invoke,
  'invoke-expression': invoke,
  certutil,
  deltree: remove,
  sdelete: ({ args, folder }) => destructive(args.some(({ text }) => isTarget(text, folder))),
  fsutil: (call) => destructive(saidOf(call).includes('deletejournal')),
  schtasks: (call) =>
    launches(call) ?? destructive(saidOf(call).some((arg) => /^\/delete$/i.test(arg)) && saidOf(call).includes('*')),
  'stop-process': (call) => destructive(call.fed || saidOf(call).includes('*')),
  'remove-localuser': always,
  'remove-adobject': always,
  'remove-aduser': always,
  'remove-azresourcegroup': always,
};
