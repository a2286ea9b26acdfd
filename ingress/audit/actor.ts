import type { AuditActor } from '../../shared/streams/audit.js';
import type { Exchange } from '../http/exchange.js';

/** Whoever sent a request, as the audit log tells it. */
export const actorOf = ({ key, address, requestId }: Exchange): AuditActor => ({
  kind: key.login ? 'login' : 'key',
  id: key.id,
  address,
  request: requestId,
});
