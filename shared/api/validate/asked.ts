/** What an answer needs of the request, beside the check that is made of it. */
export type Asked = ModerationsAsked | PerspectiveAsked | ProtectAsked;

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

/** What was noted of a request. */
export function askedBy<Of extends Asked['of']>(asked: Asked | undefined, of: Of): Extract<Asked, { of: Of }> {
  if (asked?.of === of) return asked as Extract<Asked, { of: Of }>;
  throw new Error(`a request of ${of} was not read as one`);
}
