/**
 * Asks the API of the server that the page is from: with the key that was typed, which is in the memory of the page alone, or as the person who
 * has signed in, whose cookie no script reads.
 */
import type { KeyInfo } from '../../shared/api/history.js';
import type { LoginState } from '../../shared/api/login.js';

export type ApiQuery = Readonly<Record<string, string | undefined>>;

/** A refusal, in the words of the API. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Api {
  readonly key: KeyInfo;
  get<T>(path: string, query?: ApiQuery): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  /** Forgets the key, or signs the person out. */
  leave(): Promise<void>;
}

/** Who asks: by a key, or as the person who has signed in. */
export type ConsoleUser = { secret: string } | { csrfToken: string };

/** The answers of this version of the interface. */
const VERSION = '2026-06-01';

/** An address below the root that the page is served from, with what the query has. */
export function addressOf(path: string, query: ApiQuery = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '');
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Rejects with a {@link Refusal}, also where the server cannot be reached. */
export async function connect(asker: ConsoleUser): Promise<Api> {
  const byKey = 'secret' in asker;
  async function send<T>(method: string, address: string, body?: object): Promise<T> {
    const own: Record<string, string> = byKey
      ? { authorization: `Bearer ${asker.secret}` }
      : { 'x-csrf-token': asker.csrfToken };
    const headers: Record<string, string> = { ...own, 'service-version': VERSION };
    if (body) headers['content-type'] = 'application/json';
    let answer: Response;
    try {
      const sent = body ? { body: JSON.stringify(body) } : {};
      // Paths are relative, so the page also works below a prefix of a proxy.
      answer = await fetch(`.${address}`, {
        method,
        headers,
        credentials: byKey ? 'omit' : 'same-origin',
        cache: 'no-store',
        ...sent,
      });
    } catch {
      throw new Refusal(0, 'The server cannot be reached. Try again.');
    }
    const text = await answer.text();
    if (!answer.ok) throw new Refusal(answer.status, messageIn(text) ?? `The server answered ${answer.status}.`);
    return JSON.parse(text) as T;
  }
  const key = await send<KeyInfo>('GET', '/api/key');
  return {
    key,
    get: (path, query) => send('GET', addressOf(path, query)),
    post: (path, body) => send('POST', path, body),
    leave: async () => {
      if (!byKey) await send('DELETE', '/console/session');
    },
  };
}

/** Whether people can sign in here, and whether this browser has. Where that cannot be asked, keys are still taken. */
export async function loginState(): Promise<LoginState> {
  try {
    const answer = await fetch('./console/session', { credentials: 'same-origin', cache: 'no-store' });
    return answer.ok ? ((await answer.json()) as LoginState) : { sign_in: false };
  } catch {
    return { sign_in: false };
  }
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as {
      error?: { message?: string; issues?: { path: string; message: string }[] };
    };
    // The message has the first of several.
    if (!error?.issues || error.issues.length < 2) return error?.message;
    return error.issues.map(({ path, message }) => `${path}: ${message}.`).join(' ');
  } catch {
    return undefined;
  }
}
