/** Validates a label (decisions, Evidence, masks, labels). */
import { createIs, createValidate } from 'typia';
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import type { ItemKind } from '../results/record.js';
import type { LabelRequest } from '../types.js';
import { bareInput, createIssues, type Issues, type LabelInput, type Validation } from './issues.js';
import { charactersExceed } from './measure.js';
import { hasShape } from './shape.js';

const LABEL = { is: createIs<LabelRequest>(), explain: createValidate<LabelRequest>() };

/** The fields that name an item, and what names its scope. */
const ITEMS = {
  internal_event_id: { kind: 'event', scope: 'environment_id', other: 'deployment_id' },
  internal_session_id: { kind: 'session', scope: 'deployment_id', other: 'environment_id' },
  internal_artifact_id: { kind: 'artifact', scope: 'deployment_id', other: 'environment_id' },
} as const satisfies Record<string, { kind: ItemKind; scope: keyof LabelRequest; other: keyof LabelRequest }>;

type ItemField = keyof typeof ITEMS;

/** The field that names an item of a kind. */
export const fieldOf = (kind: ItemKind): ItemField => `internal_${kind}_id`;

export function validateLabel(body: unknown): Validation {
  const issues = createIssues();
  if (hasShape(issues, body, LABEL)) {
    const label = labelIn(issues, body);
    if (label && issues.list.length === 0) return { ok: true, value: { ...bareInput(), eventIds: [], label } };
  }
  return { ok: false, issues: issues.list };
}

function labelIn(issues: Issues, body: LabelRequest): LabelInput | undefined {
  const fields = (Object.keys(ITEMS) as ItemField[]).filter((field) => body[field] != null);
  const [field] = fields;
  if (field === undefined || fields.length > 1) {
    issues.add(
      fields[1] ?? 'internal_event_id',
      'required',
      `expected exactly one of ${Object.keys(ITEMS).join(', ')}`,
    );
    return undefined;
  }
  const { kind, scope, other } = ITEMS[field];
  const id = body[field]!;
  if (!isUuid(id)) issues.add(field, 'uuid', 'expected a UUID');
  if (body[other] != null) issues.add(other, 'conflict', `expected ${scope} with ${field}`);
  if (body.policy === '') issues.add('policy', 'required', 'expected the id or the name of a policy');
  const { label } = body;
  const [named, note, reviewer] = [body[scope] ?? '', wellFormed(body.note), wellFormed(body.reviewer)];
  const texts: [field: keyof LabelRequest, text: string, most: number][] = [
    [scope, named, LIMITS.nameCharacters],
    ['policy', body.policy, LIMITS.nameCharacters],
    ['note', note, LIMITS.labelNoteCharacters],
    ['reviewer', reviewer, LIMITS.reviewerCharacters],
  ];
  for (const [path, text, most] of texts) {
    if (charactersExceed(text, most)) issues.add(path, 'too_long', `expected at most ${most} characters`);
  }
  return { kind, id: id.toLowerCase(), scope: named, policy: body.policy, label, note, reviewer };
}

/** Half a surrogate pair is nothing that a database could store. */
const wellFormed = (text: string | null | undefined): string => Buffer.from((text ?? '').trim()).toString();
