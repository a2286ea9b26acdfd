/** Requests to ClickHouse at an address that has a user and a password in it, which `fetch` refuses to take. */
export function fetchSql(address: string, init: RequestInit = {}): Promise<Response> {
  const url = new URL(address);
  const headers = new Headers(init.headers);
  if (url.username !== '') {
    headers.set('Authorization', `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`);
  }
  url.username = '';
  url.password = '';
  return fetch(url, { ...init, headers });
}
