import type { PresidioOperator, PresidioSpan } from '../dialects/presidio.js';

/** What an answer needs of the request, beside the check that is made of it. */
export type Asked = GatewayAsked | ModerationsAsked | PerspectiveAsked | AnalyzeAsked | AnonymizeAsked | ProtectAsked;

export interface GatewayAsked {
  of: 'gateway';
  /** JSON of what goes back with marks in place of what was found */
  sent: string;
  side: 'request' | 'response';
  /** by number of a text of the check: where it stands in the body */
  ways: readonly (readonly (string | number)[])[];
}

export interface ProtectAsked {
  of: 'protect';
  /** the answer has names of policies */
  names: boolean;
}

export interface ModerationsAsked {
  of: 'moderations';
  /** as sent; '' if it is no text */
  model: string;
  /** there is a text among what is checked */
  texts: boolean;
}

export interface PerspectiveAsked {
  of: 'perspective';
  text: string;
  /** with their thresholds; undefined: none */
  attributes: readonly (readonly [name: string, threshold: number | undefined])[];
  /** each sentence is scored, too */
  spans: boolean;
  /** as sent; null: none */
  languages: readonly string[] | null;
  token: string;
}

/** Of Presidio. */
export interface AnalyzeAsked {
  of: 'analyze';
  texts: readonly string[];
  /** they came as a list */
  list: boolean;
  /** none: all of them */
  entities: readonly string[];
  /** least score that is told */
  threshold: number;
  /** texts that are no finds */
  allowed: readonly string[];
  explained: boolean;
}

/** Of Presidio. It is all of the request. */
export interface AnonymizeAsked {
  of: 'anonymize';
  text: string;
  spans: readonly PresidioSpan[];
  operators: Readonly<Record<string, PresidioOperator>>;
}

/** What was noted of a request. */
export function askedBy<Of extends Asked['of']>(asked: Asked | undefined, of: Of): Extract<Asked, { of: Of }> {
  if (asked?.of === of) return asked as Extract<Asked, { of: Of }>;
  throw new Error(`a request of ${of} was not read as one`);
}
