/** How people sign in to the console with their own identity provider. */
import { type AnswerExamples, endpoints } from './endpoint.js';

const STATE: AnswerExamples = { none: { value: { sign_in: false } } };
const OF_BROWSERS = { versions: [], scope: null, tag: 'Service' } as const;

export const loginEndpoints = endpoints({
  getLogin: {
    ...OF_BROWSERS,
    method: 'GET',
    path: '/console/login',
    redirects: true,
    summary: 'Sign in to the console',
    description: 'Sends a browser to the identity provider that `WEIR_OIDC_ISSUER` names. A 404 where there is none.',
    answer: { description: 'Where the provider is.', types: {} },
    errors: ['not_found', 'unavailable', 'overloaded', 'permission_denied'],
  },
  getLoginAnswer: {
    ...OF_BROWSERS,
    method: 'GET',
    path: '/console/callback',
    redirects: true,
    summary: 'Come back from the identity provider',
    description:
      'Takes what the identity provider has sent a browser back with, and sends it to the console. A 403 where the sign-in is not valid, or no group of the person may use Weir.',
    answer: { description: 'Where the console is.', types: {} },
    errors: ['not_found', 'unavailable', 'overloaded', 'permission_denied'],
  },
  getLoginSession: {
    ...OF_BROWSERS,
    method: 'GET',
    path: '/console/session',
    summary: 'Ask who has signed in',
    description:
      'Says whether people can sign in, and whether this browser has. `csrf_token` goes into the header `x-csrf-token` of each POST and DELETE that comes with the cookie in place of a key.',
    answer: { description: 'What is known of the browser.', schema: 'LoginState', examples: STATE },
    errors: ['unavailable'],
  },
  endLoginSession: {
    ...OF_BROWSERS,
    method: 'DELETE',
    path: '/console/session',
    summary: 'Sign out',
    description: 'Ends what this browser has signed in to, if anything.',
    answer: { description: 'What is known of the browser now.', schema: 'LoginState', examples: STATE },
    errors: ['unavailable', 'permission_denied'],
  },
});
