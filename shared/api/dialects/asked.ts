/** What a dialect's answer needs of the request, beside the check that is made of it. */
export type Asked = ModerationsAsked;

export interface ModerationsAsked {
  dialect: 'moderations';
  /** as sent; '' if it is no text */
  model: string;
  /** there is a text among what is checked */
  texts: boolean;
}
