/** Validates what is tried of many: stored items by edited policies, and files of cases (decisions, Try). */
import { createIs, createValidate } from 'typia';
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import type { BacktestRequest, EditedPlace, PolicyTestRequest } from '../try.js';
import { bareInput, createIssues, type Issues, type ManyInput, type Validation } from './issues.js';
import { charactersExceed } from './measure.js';
import { hasShape } from './shape.js';
import { editsIn } from './try.js';

const BACKTEST = { is: createIs<BacktestRequest>(), explain: createValidate<BacktestRequest>() };
const TESTS = { is: createIs<PolicyTestRequest>(), explain: createValidate<PolicyTestRequest>() };

/** A file has at most so many cases. */
const MOST_CASES = 10_000;

/** `json`: the body as sent. */
export function validateBacktest(body: unknown, _bytes?: number, json: string = JSON.stringify(body)): Validation {
  const issues = createIssues();
  if (!hasShape(issues, body, BACKTEST)) return { ok: false, issues: issues.list };
  const { from, to, before } = body;
  if (before != null && !isUuid(before)) issues.add('before', 'uuid', 'expected a UUID, as next of the page before');
  for (const [path, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (charactersExceed(text ?? '', LIMITS.nameCharacters))
      issues.add(path, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  const backtest = { from: from ?? '', to: to ?? '', before: (before ?? '').toLowerCase() };
  return validationOf(issues, body, { edits: editsIn(json), backtest });
}

export function validatePolicyTests(body: unknown, _bytes?: number, json: string = JSON.stringify(body)): Validation {
  const issues = createIssues();
  if (!hasShape(issues, body, TESTS)) return { ok: false, issues: issues.list };
  const { cases: text, start } = body;
  if (start != null && !(Number.isInteger(start) && start >= 0 && start < MOST_CASES))
    issues.add('start', 'range', `expected a whole number from 0 to ${MOST_CASES - 1}, as next of the answer before`);
  return validationOf(issues, body, { edits: editsIn(json), cases: { text, start: start ?? 0 } });
}

function validationOf(issues: Issues, body: EditedPlace, many: Omit<ManyInput, 'kind'>): Validation {
  const kind = placeIn(issues, body);
  const scope = body[`${kind}_id`] ?? '';
  if (charactersExceed(scope, LIMITS.nameCharacters))
    issues.add(`${kind}_id`, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  if (kind === 'deployment' && body.conditions != null)
    issues.add('conditions', 'conflict', 'belongs to an environment: sessions have no conditions');
  if (issues.list.length > 0) return { ok: false, issues: issues.list };
  return { ok: true, value: { ...bareInput(), eventIds: [], scope, many: { kind, ...many } } };
}

function placeIn(
  issues: Issues,
  { environment_id: environment, deployment_id: deployment }: EditedPlace,
): ManyInput['kind'] {
  const [inEnvironment, inDeployment] = [environment != null, deployment != null];
  if (inEnvironment === inDeployment) {
    const code = inEnvironment ? 'conflict' : 'required';
    issues.add('environment_id', code, 'expected exactly one of environment_id and deployment_id');
  }
  return inDeployment ? 'deployment' : 'environment';
}
