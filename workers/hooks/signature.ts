/** The headers of Standard Webhooks: an id, the time of the attempt, and a signature over both and the body. */
import { createHmac } from 'node:crypto';
import type { Delivery } from '../../shared/streams/hooks.js';

/** One signature for each secret: a receiver takes any, so that secrets can be replaced. `now`: Unix ms. */
export function signedHeaders(
  { id, body }: Delivery,
  secrets: readonly Buffer[],
  now: number = Date.now(),
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
