/** Interfaces of other services that Weir speaks (decisions, Adapters), and how each says that something is wrong. */
import { type ApiError, renderError } from '../errors.js';
import { perspectiveError } from './perspective-error.js';
import { presidioError } from './presidio-error.js';

/** What is on unless `WEIR_DIALECTS` says otherwise. */
export const USUAL_DIALECTS = 'litellm,moderations';

/** A service whose interface is spoken. */
export interface DialectForm {
  /** body of an error */
  error(error: ApiError, requestId: string): string;
  /** its schema; absent: as everywhere */
  errorSchema?: string;
}

/** Errors of Weir have the members that clients of these services read. */
const OWN: DialectForm = { error: renderError };

export const DIALECTS = {
  litellm: OWN,
  moderations: OWN,
  perspective: { error: perspectiveError, errorSchema: 'PerspectiveErrorBody' },
  presidio: { error: presidioError, errorSchema: 'PresidioErrorBody' },
} as const satisfies Record<string, DialectForm>;

export type DialectName = keyof typeof DIALECTS;

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
