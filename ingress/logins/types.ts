/** What routes and authentication know of people who sign in. */
import type { ApiKey } from '../admission/directory.js';

/** Who has come back from the identity provider. */
export interface SignedIn {
  user: string;
  groups: string[];
}

/** Rejects with an `ApiError`. */
export interface Logins {
  /** Where people go to sign in, and the cookie that they come back with. */
  begin(): Promise<{ location: string; cookie: string }>;
  /** Who came back from the provider. */
  finish(query: string, cookies: string): Promise<SignedIn>;
  /** Lets a person in, and returns the cookies. */
  open(person: SignedIn): Promise<string[]>;
  /** What a request has in its cookie; '': nothing. */
  tokenIn(cookies: string): string;
  /** Who has the token, as a key; undefined: nobody (any more). */
  find(token: string): Promise<ApiKey | undefined>;
  /** Ends what has the token, and returns the cookie. */
  end(token: string): Promise<string>;
  csrfToken(token: string): string;
}
