/** An OpenID Connect provider on loopback, where anybody is whom they say they are. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export const CLIENT = { id: 'weir', secret: 'a secret of the client' };

export interface TestProvider {
  issuer: string;
  /** groups by person */
  people: Map<string, string[]>;
  /** Goes where Weir has sent a browser, signs in as `person`, and returns where the provider sends the browser back to. */
  visit(location: string, person: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startProvider(redirectUrl: string): Promise<TestProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, string[]>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, groups: people.get(id) ?? [] }),
    }),
    // Nobody is asked what Weir may know.
    async loadExistingGrant(ctx: { oidc: { session: { accountId: string }; client: { clientId: string } } }) {
      const { session, client } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    cookies: { keys: ['of tests'] },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    people,
    async visit(location, person) {
      const jar = new Map<string, string>();
      let [url, posted] = [new URL(location), false];
      for (let step = 0; step < 10; step++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const form = posted
          ? { method: 'POST', body: new URLSearchParams({ prompt: 'login', login: person, password: 'x' }) }
          : {};
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie }, ...form });
        for (const set of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = set.split(';', 1)[0]!.split('=');
          jar.set(name, value);
        }
        const next = answer.headers.get('location');
        posted = next === null && url.pathname.startsWith('/interaction/');
        if (next === null && !posted) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
        if (next !== null) url = new URL(next, url);
        if (url.href.startsWith(redirectUrl)) return url;
      }
      throw new Error('the provider sends its visitors round in circles');
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
