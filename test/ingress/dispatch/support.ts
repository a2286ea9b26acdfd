/** Requests as the HTTP edge hands them to a dispatcher. */
import { laneOf } from '#weir/ingress/admission/lane';
import type { CheckRequest } from '#weir/ingress/dispatch/types';

/** A check of events, changed by `more`, in the lane that its body and images lead to. */
export function checkRequest(more: Partial<CheckRequest> = {}): CheckRequest {
  const { images = 0, body = Buffer.from('{"events":[1]}') } = more;
  return {
    kind: 'events',
    team: 'acme',
    scope: 'prod',
    config: 1,
    key: 'demo',
    affinity: '',
    body,
    lane: laneOf({ images, bytes: body.length, values: 0, cost: 0 }),
    references: [],
    images,
    conversations: ['r:run-1'],
    contextDepth: 2,
    received: Date.now(),
    deadlineMs: 5000,
    traceparent: '',
    ...more,
  };
}
