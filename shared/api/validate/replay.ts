/** Validates what is to be tried again. */
import { createIs, createValidate } from 'typia';
import { placeFrom } from '../../streams/partition-entries.js';
import type { ReplayRequest } from '../operation.js';
import { bareInput, createIssues, type Issues, type ReplayInput, type Validation } from './issues.js';
import { hasShape } from './shape.js';

const REPLAY = { is: createIs<ReplayRequest>(), explain: createValidate<ReplayRequest>() };

export function validateReplay(body: unknown): Validation {
  const issues = createIssues();
  const replay = hasShape(issues, body, REPLAY) ? replayIn(issues, body) : undefined;
  if (replay) return { ok: true, value: { ...bareInput(), eventIds: [], replay } };
  return { ok: false, issues: issues.list };
}

function replayIn(issues: Issues, { dead_letter: letter, refused }: ReplayRequest): ReplayInput | undefined {
  if ((letter == null) === (refused == null)) {
    issues.add(letter == null ? 'dead_letter' : 'refused', 'required', 'expected exactly one of dead_letter, refused');
    return undefined;
  }
  const of = letter == null ? 'refused' : 'dead_letter';
  const text = letter ?? refused!;
  const place = of === 'refused' && text === 'all' ? 'all' : placeFrom(text);
  if (place) return { of, place };
  const orAll = of === 'refused' ? ', or all' : '';
  issues.add(of, 'place', `expected a partition and an id, such as 0/1790000000000-0, as the list has them${orAll}`);
  return undefined;
}
