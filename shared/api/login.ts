/** What the console asks about whoever has signed in. */

/** Whether people can sign in, and whether the browser that asks has done so. */
export interface LoginState {
  /** Whether there is a provider that people can sign in with, at `/console/login`. */
  sign_in: boolean;
  /** What requests that change something send as `x-csrf-token`. Absent: nobody has signed in. */
  csrf_token?: string;
}
