/** Rows to put into history, and what to compare them with. */

import { newRequestId } from '#weir/shared/ids';
import { NOTHING_STORED } from '#weir/workers/rows/columns';
import type { RowImage, RowItem, RowRequest } from '#weir/workers/rows/row-types';

export const POLICY = '6f1c0f0e-1111-4222-8333-444444444440';
export const CLEAN = `{"${POLICY}":{"flagged":false,"name":"No card data"}}`;
export const FLAGGED = `{"${POLICY}":{"flagged":true,"name":"No card data"}}`;

let now = Date.now() - 60_000;

/** A request id later than all before it. */
export function nextId(partition = 0): string {
  now += 5;
  return newRequestId(partition, now);
}

/** A request with what `fields` says, at `now`. */
export function rowRequest(fields: Partial<RowRequest> = {}, now: number = Date.now()): RowRequest {
  return {
    kind: 'events',
    id: newRequestId(0, now),
    team: 'acme',
    scope: 'prod',
    sequence: now * 4096,
    config: 7,
    key: 'acme-prod',
    received: now,
    completed: now + 9,
    ...fields,
  };
}

/** A clean message event, changed by `fields`. */
export function rowItem(item: number, fields: Partial<RowItem> = {}): RowItem {
  return {
    item,
    type: 'message',
    field: 'content',
    role: 'user',
    name: '',
    stored: NOTHING_STORED,
    eventId: `event-${item}`,
    runId: 'run-1',
    externalSessionId: '',
    externalArtifactId: '',
    content: `content of ${item}`,
    metadata: '',
    tags: [],
    userId: '',
    userEmail: '',
    status: 'completed',
    note: '',
    links: [],
    explained: '["h"]',
    verdict: {
      flagged: false,
      policies: CLEAN,
      evaluated: [POLICY],
      severities: 'h',
      violations: [],
      notEvaluated: 0,
      unknown: 0,
      note: '',
    },
    flagged: false,
    ...fields,
  };
}

export const PDQ_HASH = '0f'.repeat(32);

/** An image that was fetched and decoded, changed by `fields`. */
export function rowImage(fields: Partial<RowImage> = {}): RowImage {
  return {
    kind: 'png',
    width: 640,
    height: 480,
    bytes: 123_456,
    hash: PDQ_HASH,
    quality: 98,
    fetchMs: 7,
    decodeMs: 12,
    internalSessionId: '',
    ...fields,
  };
}

/** A verdict that violates `POLICY`. */
export const violating: RowItem['verdict'] = {
  flagged: true,
  policies: FLAGGED,
  evaluated: [POLICY],
  severities: 'h',
  violations: [
    {
      id: POLICY,
      name: 'No card data',
      severity: 'high',
      sources: ['text', 'image'],
      evidence: [
        { detector: 'pii:CREDIT_CARD', view: 'raw', source: 'text', start: 3, end: 19 },
        { detector: 'terms', view: 'folded', source: 'image', start: 0, end: 70_000 },
      ],
    },
  ],
  notEvaluated: 2,
  unknown: 2,
  note: '',
};
