/**
 * Envoy's filter `ext_authz` over HTTP (decisions, Adapters). It asks with the method, the path and the body of the original request. It lets
 * pass what is answered 200, refuses what is answered 4xx, and takes 5xx for a failure, for which its `failure_mode_allow` decides.
 */
import type { EnvoyVerdict } from '../../shared/api/dialects/envoy.js';
import { ApiError } from '../../shared/api/errors.js';
import type { Exchange, RouteHandlers } from '../http/exchange.js';
import { isJson } from '../http/headers.js';
import { checking } from '../routes/check.js';
import { checksOf, gatewayRoute } from './gateway.js';

const allowed: EnvoyVerdict = { allowed: true };

/** Methods whose requests usually have no body. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

const route = gatewayRoute('envoy', {
  clean: () => allowed,
  refused(reason) {
    throw new ApiError('content_refused', reason);
  },
});

export const envoyRoutes = {
  checkEnvoy: checking({
    ...route,
    body(edge, exchange) {
      if (!['', 'false'].includes(exchange.headers.partialBody)) {
        const message =
          'Envoy has sent a part of the body. Raise max_request_bytes, and leave allow_partial_message out.';
        throw new ApiError('request_too_large', message);
      }
      return `${isJson(exchange.headers) ? 'envoy' : 'envoyText'}:${checksOf(edge, exchange)}`;
    },
    empty,
  }),
} satisfies RouteHandlers;

/** Without with_request_body Envoy sends no body, of whatever request: where one is usual, nothing passes without. */
function empty({ method }: Exchange): string {
  if (BODILESS.has(method)) return JSON.stringify(allowed);
  const message = 'There is no body. Set with_request_body, and let requests without a body pass without this filter.';
  throw new ApiError('validation_failed', message);
}
