/** What people are shown of the past: lists and figures (`/api/history`, `/api/users`), and what a key may see of it (`/api/key`). */
import type { KeyScope } from '../configuration/key-scopes.js';
import type { EventType, RiskLevel, Severity } from './types.js';

/** A policy of the team that is in use. */
export interface PolicySummary {
  /** The id of the policy. @x-form uuid */
  policy_id: string;
  /** The name of the policy. */
  policy_name: string;
  /** How serious a violation is. */
  severity: Severity;
  /** `shadow`: it is evaluated, and in no answer. */
  mode: 'live' | 'shadow';
}

/** An API key, and what it may do and see. */
export interface KeyInfo {
  /** The name of the key in the configuration. */
  key_id: string;
  /** The team that it belongs to. Absent if it spans teams. */
  team?: string;
  /** What it may do. */
  scopes: KeyScope[];
  /** The environments whose events it may see. */
  environments: string[];
  /** The deployments whose sessions and images it may see. */
  deployments: string[];
  /** The one of requests that name none. Absent if there is none. */
  default_deployment?: string;
  /** From when on the key is refused. Absent: it does not expire. @x-form time */
  expires_at?: string;
  /** The policies of the team that are in use, by name. Empty if the key does not have the scope `read`. */
  policies: PolicySummary[];
}

/** A policy that flagged an item. */
export interface ItemViolation {
  /** The id of the policy. @x-form uuid */
  policy_id: string;
  /** Its name when the item was checked. */
  policy_name: string;
  /** How serious the violation is. */
  severity: Severity;
  /** Where it was found. */
  sources: ('text' | 'image')[];
}

/** An item of history. It has one of the three ids, and where it is. */
export interface HistoryItem {
  /** The event. @x-form uuid */
  internal_event_id?: string;
  /** The session check. @x-form uuid */
  internal_session_id?: string;
  /** The image. @x-form uuid */
  internal_artifact_id?: string;
  /** The environment of the event. */
  environment_id?: string;
  /** The deployment of the session or the image. */
  deployment_id?: string;
  /** The type of the event. */
  event_type?: EventType;
  /** The role of the message. */
  role?: string;
  /** The name of the tool. */
  name?: string;
  /** Your id of the run. */
  run_id?: string;
  /** Your id of the event. */
  event_id?: string;
  /** Your id of the session. */
  external_session_id?: string;
  /** Your id of the image. */
  external_artifact_id?: string;
  /** The user, as the metadata has it. */
  user_id?: string;
  /** The e-mail address of the user, as the metadata has it. */
  user_email?: string;
  /** The verdict. `null`: the item could not be evaluated. */
  flagged: boolean | null;
  /** How many policies could not be evaluated. @x-form count */
  not_evaluated: number;
  /** The policies that flagged it, the most serious first. */
  violations: ItemViolation[];
  /** A remark about the verdict, if there is one. */
  note?: string;
  /** When it arrived. @x-form time */
  created_at: string;
  /** How long the check took, in ms. @x-form count */
  duration_ms: number;
}

/** A page of history. */
export interface HistoryPage {
  /** The items, the newest first. There may be fewer than the limit although there are more. */
  items: HistoryItem[];
  /** What to send as `before` for the next page. Absent: there are no more. @x-form uuid */
  next?: string;
  /** With `text`: there was no time to look at all. `next` goes on from where it is. Absent: all was looked at, or the page is full. */
  cut?: boolean;
}

/** An item of a session, with what was checked. */
export interface ConversationMessage extends HistoryItem {
  /** What was checked: a text as it was sent, JSON without space, of a chat the text of its last message. Absent of images, where it is not stored (any more), and for keys without the scope `content`. */
  content?: string;
}

/** The items of a session in their order. */
export interface Conversation {
  /** The items, the oldest first. */
  messages: ConversationMessage[];
  /** What to send as `after` for the next page. Absent: there are no more. @x-form uuid */
  next?: string;
}

/** What figures are split by. */
export type FigureSplit = 'policy' | 'source' | 'condition' | 'user' | 'shadow';

/** Figures of all checks of the time, or of a step of it. */
export interface CheckFigures {
  /** Items that were checked. @x-form count */
  checks: number;
  /** Those of them that are flagged. @x-form count */
  flagged: number;
  /** Those that at least one policy could not evaluate. @x-form count */
  not_evaluated: number;
  /** How long half of the checks took at most, in ms. `null`: there were none. */
  p50_ms: number | null;
  /** How long 99 of 100 took at most, in ms. `null`: there were none. */
  p99_ms: number | null;
}

/** Figures of a step. */
export interface FigureStep extends CheckFigures {
  /** When the step begins. @x-form time */
  at: string;
}

/** Violations of one policy, source, condition or user. */
export interface FigureGroup {
  /** What the violations have in common: an id, a source, a user. */
  id: string;
  /** What people call it. */
  name: string;
  /** Items with such a violation. @x-form count */
  flagged: number;
  /** The same by step. */
  points: number[];
}

/** Figures over time. */
export interface HistoryFigures {
  /** When the first step begins. @x-form time */
  from: string;
  /** When the last one ends at the latest. @x-form time */
  to: string;
  /** How long a step is. @x-form count */
  step_seconds: number;
  /** All of the time. */
  total: CheckFigures;
  /** Every step, the oldest first. */
  steps: FigureStep[];
  /** With `by`: those with the most violations, at most 20. */
  groups: FigureGroup[];
}

/** How often a user violated a policy. */
export interface UserViolations {
  /** The id of the policy. @x-form uuid */
  policy_id: string;
  /** The name of the policy. Absent if the configuration has it no more. */
  policy_name?: string;
  /** Session checks that it flagged. @x-form count */
  checks: number;
}

/** A user who was flagged. It has an id or an e-mail address. */
export interface RiskyUser {
  /** The id of the user. */
  id?: string;
  /** The e-mail address of the user. */
  email?: string;
  /** The level, as `GET /api/radar/risk` has it. */
  risk_level: RiskLevel;
  /** The sum that the level follows from. */
  score: number;
  /** Session checks of the user in the window. @x-form count */
  checks: number;
  /** Those of them that were flagged. @x-form count */
  flagged: number;
  /** The policies that flagged them, the most frequent first. */
  violations: UserViolations[];
  /** When the user was flagged last. @x-form time */
  last_flagged_at: string;
}

/** Users by risk. */
export interface RiskyUsers {
  /** How far back checks count, in days. @x-form count */
  window_days: number;
  /** The users who were flagged in the window, those with the highest score first. */
  users: RiskyUser[];
}
