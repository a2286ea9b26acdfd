/** A process cannot start for a reason that an operator can mend. The message says what is wrong, `next` what to do. */
export class CannotStart extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
