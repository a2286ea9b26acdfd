/** Reads which verdict a request is about: that of a policy on an item. */
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import type { ItemKind } from '../results/record.js';
import type { JudgedRequest } from '../types.js';
import type { Issues, JudgedInput, JudgedPlace } from './issues.js';
import { charactersExceed } from './measure.js';

/** The fields that name an item, and what names its scope. */
const ITEMS = {
  internal_event_id: { kind: 'event', scope: 'environment_id', other: 'deployment_id' },
  internal_session_id: { kind: 'session', scope: 'deployment_id', other: 'environment_id' },
  internal_artifact_id: { kind: 'artifact', scope: 'deployment_id', other: 'environment_id' },
} as const satisfies Record<string, { kind: ItemKind; scope: keyof JudgedRequest; other: keyof JudgedRequest }>;

type ItemField = keyof typeof ITEMS;
export const ITEM_FIELDS = Object.keys(ITEMS) as ItemField[];

/** The field that names an item of a kind. */
export const fieldOf = (kind: ItemKind): ItemField => `internal_${kind}_id`;

/** The item alone, as a body or a query names it; undefined where that cannot be told. */
export function itemIn(issues: Issues, asked: Partial<JudgedRequest>): JudgedPlace | undefined {
  const fields = ITEM_FIELDS.filter((field) => asked[field] != null);
  const [field] = fields;
  if (field === undefined || fields.length > 1) {
    issues.add(fields[1] ?? 'internal_event_id', 'required', `expected exactly one of ${ITEM_FIELDS.join(', ')}`);
    return undefined;
  }
  const { kind, scope, other } = ITEMS[field];
  const id = asked[field]!;
  if (!isUuid(id)) issues.add(field, 'uuid', 'expected a UUID');
  if (asked[other] != null) issues.add(other, 'conflict', `expected ${scope} with ${field}`);
  const named = asked[scope] ?? '';
  limitText(issues, scope, named, LIMITS.nameCharacters);
  return { kind, id: id.toLowerCase(), scope: named };
}

export function judgedIn(issues: Issues, body: JudgedRequest): JudgedInput | undefined {
  const item = itemIn(issues, body);
  if (!item) return undefined;
  const { policy } = body;
  if (policy === '') issues.add('policy', 'required', 'expected the id or the name of a policy');
  limitText(issues, 'policy', policy, LIMITS.nameCharacters);
  return { ...item, policy };
}

export function limitText(issues: Issues, path: string, text: string, most: number): void {
  if (charactersExceed(text, most)) issues.add(path, 'too_long', `expected at most ${most} characters`);
}

/** Half a surrogate pair is nothing that a database could store. Space around a text is left out. */
export const storable = (text: string | null | undefined): string => Buffer.from((text ?? '').trim()).toString();
