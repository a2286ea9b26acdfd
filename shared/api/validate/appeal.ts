/** Validates an appeal (decisions, Evidence, masks, labels). */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { AppealRequest } from '../types.js';
import { type AppealInput, bareInput, createIssues, type Issues, type Validation } from './issues.js';
import { judgedIn, limitText, storable } from './judged.js';
import { hasShape } from './shape.js';

const APPEAL = { is: createIs<AppealRequest>(), explain: createValidate<AppealRequest>() };

export function validateAppeal(body: unknown): Validation {
  const issues = createIssues();
  if (hasShape(issues, body, APPEAL)) {
    const appeal = appealIn(issues, body);
    if (appeal && issues.list.length === 0) return { ok: true, value: { ...bareInput(), eventIds: [], appeal } };
  }
  return { ok: false, issues: issues.list };
}

function appealIn(issues: Issues, body: AppealRequest): AppealInput | undefined {
  const judged = judgedIn(issues, body);
  if (!judged) return undefined;
  const [note, reference] = [storable(body.note), storable(body.reference)];
  limitText(issues, 'note', note, LIMITS.labelNoteCharacters);
  limitText(issues, 'reference', reference, LIMITS.nameCharacters);
  return { ...judged, note, reference };
}
