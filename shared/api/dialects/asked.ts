/** What a dialect's answer needs of the request, beside the check that is made of it. */
export type Asked = ModerationsAsked | PerspectiveAsked;

export interface ModerationsAsked {
  dialect: 'moderations';
  /** as sent; '' if it is no text */
  model: string;
  /** there is a text among what is checked */
  texts: boolean;
}

export interface PerspectiveAsked {
  dialect: 'perspective';
  text: string;
  /** with their thresholds; undefined: none */
  attributes: readonly (readonly [name: string, threshold: number | undefined])[];
  /** each sentence is scored, too */
  spans: boolean;
  /** as sent; null: none */
  languages: readonly string[] | null;
  token: string;
}
