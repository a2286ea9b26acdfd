/** Variables that begin as settings do and are none. */
import { editDistance } from './edit-distance.js';
import { DEFINITIONS, SettingsError } from './settings.js';

/** What Kubernetes sets in every container beside a Service that is named "weir". */
const SERVICE_VARIABLE = /^WEIR_(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
/** Variables that are no settings: marks between processes of Weir, of its build, and of its tests and benchmarks. */
const NO_SETTINGS: ReadonlySet<string> = new Set([
  'WEIR_METRICS_FALLBACK',
  'WEIR_RECORD',
  'WEIR_CONTRACT',
  'WEIR_COMMIT',
]);
const OF_TOOLS = /^WEIR_(TEST|BENCH)_/;
/** Letters by which a misspelt variable differs from the one that was meant. */
const MISSPELT = 2;

/**
 * Looks for variables that begin with WEIR_ and are no settings. Throws where one is within two letters of a setting: that would be left at its
 * default, and nobody would know. Returns a warning that names the others, which may be the operator's own; undefined: there are none.
 */
export function unknownVariables(env: Record<string, string | undefined> = process.env): string | undefined {
  const settings = Object.values(DEFINITIONS).map(({ variable }) => variable as string);
  const unknown: string[] = [];
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('WEIR_') || settings.includes(variable) || SERVICE_VARIABLE.test(variable)) continue;
    if (NO_SETTINGS.has(variable) || OF_TOOLS.test(variable)) continue;
    const meant = settings.find((setting) => editDistance(variable, setting) <= MISSPELT);
    if (meant) throw new SettingsError(`${variable} is no setting. Is ${meant} meant? If not, name it otherwise.`);
    unknown.push(variable);
  }
  if (unknown.length === 0) return undefined;
  return `No setting of Weir: ${unknown.join(', ')}. --help lists those that there are.`;
}
