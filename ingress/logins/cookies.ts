/** The cookies of people who sign in. They are for this server alone, and no script reads them. */

/** What a browser has while a person signs in, and afterwards. */
export interface CookieNames {
  login: string;
  session: string;
}

/** Browsers take a name with this prefix from the host itself alone, over TLS. */
export const cookieNames = (secure: boolean): CookieNames =>
  secure
    ? { login: '__Host-weir-login', session: '__Host-weir-session' }
    : { login: 'weir-login', session: 'weir-session' };

/** The value of a cookie; '' where there is none, or more than one. */
export function cookieIn(header: string, name: string): string {
  if (header === '') return '';
  const values = header.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals >= 0 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
  return values.length === 1 ? values[0]! : '';
}

/** `sameSite`: Lax where another site sends people back with it. `seconds`: 0 takes it out. */
export function setCookie(
  name: string,
  value: string,
  { secure, sameSite, seconds }: { secure: boolean; sameSite: 'Strict' | 'Lax'; seconds: number },
): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
}
