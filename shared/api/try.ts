/** What is tried against a scope, and what it would come to (`/api/try`). */
import type {
  ArtifactContent,
  ArtifactRequest,
  EventInput,
  EventPolicyResult,
  EventRequest,
  MessageInput,
  PolicyResult,
  SessionRequest,
} from './types.js';

/**
 * An event, a chat or an image, as its check takes it: with exactly one of `event`, `messages` and `content`, and with the other fields of that
 * check. All together has at most {@link LIMITS.tryBytes}.
 */
export interface TryRequest
  extends Omit<Partial<EventRequest>, 'event'>,
    Omit<Partial<SessionRequest>, 'messages' | 'policies'>,
    Omit<Partial<ArtifactRequest>, 'content' | 'policies'> {
  /** The event, with `environment_id`. */
  event?: EventInput;
  /** The messages of a chat, oldest first, with `deployment_id`. @x-items 1..messages */
  messages?: MessageInput[];
  /** The image, with `deployment_id`. */
  content?: ArtifactContent;
  /**
   * Policies of your team as they are edited, as the configuration has them, in JSON. One with the id or the name of a policy of the active
   * version takes its place, and has that one's fields where it has none of its own. Others are new. They name backends, models, lists and
   * files that policies of your team name already.
   */
  policies?: Record<string, unknown>[] | null;
  /** With an event: the conditions of the environment, in place of all that it has. */
  conditions?: Record<string, unknown>[] | null;
}

/** What a detector scored, beside the score from which it fires. */
export interface TryScore {
  /** The policy of the detector. @x-form uuid */
  policy_id: string;
  /** The detector, and what of it, as evidence has it. */
  detector: string;
  /** What it looked at. */
  source: 'text' | 'image';
  /** The highest score of it. Null: it could not run, does not know the language, or was not asked, as the others had decided. */
  score: number | null;
  /** From which score on it fires. Null: it has none. */
  threshold: number | null;
  /** Of a detector that escalates: from which score on it asks the other one. */
  asks_from?: number;
}

/** A condition of the environment. */
export interface TryCondition {
  /** The id of the condition. */
  id: string;
  /** The name of the condition. */
  name: string;
  /** Whether it chooses its policies for the event. Null: the conditions take too many steps. */
  matched: boolean | null;
}

/** What a policy in the shadow says. */
export interface TryShadow {
  /** The id of the policy. @x-form uuid */
  policy_id: string;
  /** The name of the policy. */
  policy_name: string;
  /** Whether it would flag what is tried. */
  flagged: boolean;
}

/** What it took, in microseconds. */
export interface TryCost {
  /** Evaluating, on a thread, as the check would. @x-form count */
  evaluation_us: number;
  /** Until images were fetched, decoded and read. @x-form count */
  images_us: number;
  /** Until backends and models had answered. @x-form count */
  asking_us: number;
  /** Steps that the conditions took. @x-form count */
  condition_steps: number;
  /** Steps that they may take over one event. @x-form count */
  most_condition_steps: number;
}

/** What a check would answer, and why. Nothing of it is stored. */
export interface TryResult {
  /** Whether it violates at least one policy. Null: it could not be evaluated; the note says why. */
  flagged: boolean | null;
  /** The result of each evaluated policy, by policy id, with severity and evidence, as with `explain`. */
  policies: Record<string, EventPolicyResult | PolicyResult>;
  /** A remark on the result. Absent if there is none. */
  note?: string;
  /** The policies in the shadow that looked at it. */
  shadow: TryShadow[];
  /** What the detectors scored that have scores, also those that did not fire. */
  scores: TryScore[];
  /** Of an event: the active conditions of the environment, in order. */
  conditions: TryCondition[];
  /** What it took. */
  cost: TryCost;
}
