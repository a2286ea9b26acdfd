/** A text within a text, which detectors look at as well. */
export interface Payload {
  /** of the evidence */
  view: 'hidden' | 'decoded';
  /** where it stands in the text that holds it */
  start: number;
  end: number;
  /** what it says; empty: nothing that can be read */
  text: string;
  /** each unit says one unit, so finds are known to the letter */
  inPlace?: true;
  /** by unit of what it says, and one behind: where in the text that stands, where that is known */
  places?: ArrayLike<number>;
}
