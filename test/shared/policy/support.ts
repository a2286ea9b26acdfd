// Small configurations for tests: one team `t`, one deployment `d`, one environment `e`.
import { type Configuration, loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateText } from '#weir/shared/policy/evaluate';
import type { Plan } from '#weir/shared/policy/plan';
import type { EventContent, Evidence } from '#weir/shared/policy/types';

export const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export function load(value: unknown): Configuration {
  const loaded = loadConfiguration(JSON.stringify(value));
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'));
  return loaded.configuration;
}

export interface Sketch {
  policies: Record<string, unknown>[];
  conditions?: Record<string, unknown>[];
  failClosed?: boolean;
  backends?: Record<string, unknown>[];
}

/** A backend of team `t` that nothing listens at; a sketch whose policies name it has it. */
export const BACKEND = { id: 'guard', team: 't', url: 'http://127.0.0.1:1/v1', model: 'm' };

/** Policy n has id(n); the deployment has all of them, and so does a condition that always matches, unless given. */
export function sketch({ policies, conditions, failClosed = false, backends }: Sketch): Configuration {
  const all = policies.map((_, n) => id(n));
  return load({
    version: 1,
    teams: [{ id: 't', fail_closed: failClosed }],
    backends: backends ?? (JSON.stringify(policies).includes('"guard"') ? [BACKEND] : []),
    policies: policies.map((policy, n) => ({ id: id(n), team: 't', name: `P${n}`, ...policy })),
    deployments: [{ id: 'd', team: 't', name: 'D', policies: all }],
    environments: [
      {
        id: 'e',
        team: 't',
        conditions: conditions ?? [{ id: 'all', name: 'All', when: 'true', policies: all }],
      },
    ],
  });
}

export const SCOPE = { team: 't', environment: 'e', deployment: 'd' } as const;

export function event(text: string, more: Partial<EventContent> = {}): EventContent {
  return { type: 'message', field: 'content', role: 'user', name: '', text, metadata: {}, ...more };
}

const plans = new Map<string, Plan>();

/** Evidence that `detect` gives on `text`, as one policy alone. */
export function evidenceOf(detect: unknown, text: string): readonly Evidence[] {
  const key = JSON.stringify(detect);
  let plan = plans.get(key);
  if (!plan) {
    plan = compilePlan(sketch({ policies: [{ detect }] }), 1);
    plans.set(key, plan);
  }
  return evaluateText(plan, SCOPE, text).violations[0]?.evidence ?? [];
}

/** The pieces of `text` that the evidence points at. */
export function pieces(detect: unknown, text: string): string[] {
  return evidenceOf(detect, text).map(({ start, end }) => text.slice(start, end));
}
