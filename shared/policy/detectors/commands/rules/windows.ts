/** Commands of PowerShell and cmd. Names and options are of any case, and options may be shortened. */
import type { Call, CommandKind, CommandRule } from '../rule.js';
import { isSecretFile, saysSecrets } from '../secrets.js';
import { isPrecious } from '../targets.js';
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
      (arg) => /^-r(?:e(?:c(?:u(?:r(?:s(?:e)?)?)?)?)?)?$/i.test(arg) || /^\/s$/i.test(arg) || /^-(?:rf|fr)$/.test(arg),
    );
  if (said.some((arg) => /^-whatif$/i.test(arg))) return undefined;
  const paths = said.flatMap((arg) => (isSwitch(arg) ? [] : arg.split(','))).map((path) => path.replace(/^"|"$/g, ''));
  if (call.fed && (all || listsAll(call))) return 'destructive';
  const isAsked = /^(?:del|erase|rd|rmdir)$/.test(call.name) && !all && !said.some((arg) => /^\/[sqf]$/i.test(arg));
  return destructive(
    !isAsked &&
      (all || paths.some((path) => /[*]|\\system32\\/i.test(path))) &&
      paths.some((path) => isTarget(path, call.folder)),
  );
};

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
  return destructive(said[0] === 'shadowcopy' && said.includes('delete'));
};

const wbadmin: CommandRule = (call) => destructive(/^delete$/i.test(saidOf(call)[0] ?? ''));

const bcdedit: CommandRule = (call) =>
  destructive(saidOf(call).some((arg) => /^(?:recoveryenabled|ignoreallfailures|\/delete|\/deletevalue)$/i.test(arg)));

const cipher: CommandRule = (call) => destructive(saidOf(call).some((arg) => /^\/w:[a-z]:/i.test(arg)));

const reg: CommandRule = (call) => {
  const said = saidOf(call);
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

const bits: CommandRule = (call) =>
  call.name === 'certutil' &&
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
  diskpart: (call) => destructive(saidOf(call).some((arg) => /^\/s$/i.test(arg))),
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
  certutil: bits,
  deltree: remove,
  sdelete: ({ args, folder }) => destructive(args.some(({ text }) => isTarget(text, folder))),
  fsutil: (call) => destructive(saidOf(call).includes('deletejournal')),
  schtasks: (call) => destructive(saidOf(call).some((arg) => /^\/delete$/i.test(arg)) && saidOf(call).includes('*')),
  'stop-process': (call) => destructive(call.fed || saidOf(call).includes('*')),
  'remove-localuser': always,
  'remove-adobject': always,
  'remove-aduser': always,
  'remove-azresourcegroup': always,
};
