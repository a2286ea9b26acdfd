/** Interfaces of other services that Weir speaks (decisions, Adapters), and how each says that something is wrong. */
import { type ApiError, renderError } from '../errors.js';
import { nemoError } from './nemo.js';
import { perspectiveError } from './perspective-error.js';
import { portkeyError } from './portkey.js';
import { presidioError } from './presidio-error.js';

/** What is on unless `WEIR_DIALECTS` says otherwise. */
export const USUAL_DIALECTS = 'litellm,moderations';

/** A service whose interface is spoken. */
export interface DialectForm {
  /** body of an error */
  error(error: ApiError, requestId: string): string;
  /** its schema; absent: as everywhere */
  errorSchema?: string;
  /** every POST is answered so, whatever is wrong; absent: by the status of the error */
  status?: 200;
}

/** Errors of Weir have the members that clients of these services read. */
const OWN: DialectForm = { error: renderError };

export const DIALECTS = {
  litellm: OWN,
  moderations: OWN,
  agentgateway: OWN,
  envoy: OWN,
  nemo: { error: nemoError, errorSchema: 'NemoErrorBody' },
  portkey: { error: portkeyError, errorSchema: 'PortkeyVerdict', status: 200 },
  perspective: { error: perspectiveError, errorSchema: 'PerspectiveErrorBody' },
  presidio: { error: presidioError, errorSchema: 'PresidioErrorBody' },
} as const satisfies Record<string, DialectForm>;

export type DialectName = keyof typeof DIALECTS;

/** The status of an error of a route. What is wrong with the method is no answer to a call. */
export function statusOf(error: ApiError, dialect: DialectName | undefined): number {
  const form: DialectForm | undefined = dialect && DIALECTS[dialect];
  return error.status === 405 ? 405 : (form?.status ?? error.status);
}

/** What `WEIR_DIALECTS` may be. */
export const DIALECTS_SHAPE = {
  pattern: new RegExp(`^(?:all|none|${one()}(?: *, *${one()})*)$`),
  expected: `all, none, or some of ${Object.keys(DIALECTS).join(', ')}, separated by commas`,
};

function one(): string {
  return `(?:${Object.keys(DIALECTS).join('|')})`;
}

/** Those that a valid setting names. */
export function dialectsIn(setting: string): ReadonlySet<DialectName> {
  const all = Object.keys(DIALECTS) as DialectName[];
  if (setting === 'all') return new Set(all);
  const named = setting.split(',').map((name) => name.trim());
  return new Set(all.filter((name) => named.includes(name)));
}
