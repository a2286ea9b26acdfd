/** Validates a label (decisions, Evidence, masks, labels). */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { LabelRequest } from '../types.js';
import { bareInput, createIssues, type Issues, type LabelInput, type Validation } from './issues.js';
import { judgedIn, limitText, storable } from './judged.js';
import { hasShape } from './shape.js';

const LABEL = { is: createIs<LabelRequest>(), explain: createValidate<LabelRequest>() };

export function validateLabel(body: unknown): Validation {
  const issues = createIssues();
  if (hasShape(issues, body, LABEL)) {
    const label = labelIn(issues, body);
    if (label && issues.list.length === 0) return { ok: true, value: { ...bareInput(), eventIds: [], label } };
  }
  return { ok: false, issues: issues.list };
}

function labelIn(issues: Issues, body: LabelRequest): LabelInput | undefined {
  const judged = judgedIn(issues, body);
  if (!judged) return undefined;
  const [note, reviewer] = [storable(body.note), storable(body.reviewer)];
  limitText(issues, 'note', note, LIMITS.labelNoteCharacters);
  limitText(issues, 'reviewer', reviewer, LIMITS.reviewerCharacters);
  return { ...judged, label: body.label, note, reviewer };
}
