/** What is used of the package, which has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface ProviderGrant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (of: {
      clientId: string;
      accountId: string;
    }) => ProviderGrant;
    callback(): RequestListener;
  }
}
