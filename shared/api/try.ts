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

/** What is edited, and where; with exactly one of `environment_id` and `deployment_id`. */
export interface EditedPlace {
  /** The environment whose events are evaluated, and whose conditions are edited. */
  environment_id?: string | null;
  /** The deployment whose sessions are evaluated. */
  deployment_id?: string | null;
  /** Policies of your team as they are edited, as `POST /api/try` has them. */
  policies?: Record<string, unknown>[] | null;
  /** With `environment_id`: conditions in place of all that the environment has. */
  conditions?: Record<string, unknown>[] | null;
}

/** Which stored items are evaluated again. All together has at most {@link LIMITS.tryBytes}. */
export interface BacktestRequest extends EditedPlace {
  /** The beginning of the time. RFC 3339. By default 24 hours before its end. */
  from?: string | null;
  /** The end of the time, which is not in it. RFC 3339. By default now. Send the same with each page. */
  to?: string | null;
  /** `next` of the page before: only items that came before this one. @x-form uuid */
  before?: string | null;
}

/** Labelled items of a policy, by what most reviewers say and what becomes of them. */
export interface BacktestLabels {
  /** True alarms that stay. @x-form count */
  true_kept: number;
  /** True alarms that go. @x-form count */
  true_lost: number;
  /** False alarms that go. @x-form count */
  false_removed: number;
  /** False alarms that stay. @x-form count */
  false_kept: number;
  /** Missed items that are flagged now: right ones among those that are newly flagged. @x-form count */
  missed_found: number;
  /** Missed items that are missed still. @x-form count */
  missed_still: number;
  /** Labelled items on which the policy could not be evaluated. @x-form count */
  unknown: number;
}

/** What a policy did on the items of the page, then and now. */
export interface BacktestPolicy {
  /** The policy. @x-form uuid */
  policy_id: string;
  /** Its name. */
  policy_name: string;
  /** Items that it flags, then and now. @x-form count */
  still_flagged: number;
  /** Items that it flags now, and did not then. @x-form count */
  newly_flagged: number;
  /** Items that it flagged then, and does not now. @x-form count */
  newly_cleared: number;
  /** Items that it looked at, and flags neither then nor now. @x-form count */
  still_clean: number;
  /** Items of which that cannot be said: it could not be evaluated then, or cannot be here, or looks at earlier texts. @x-form count */
  not_evaluated: number;
  /** Items that it looked at then, and whose content is not stored. @x-form count */
  not_stored: number;
  /** What becomes of labelled items. Absent if there are none, or the key has no scope `review`. */
  labelled?: BacktestLabels;
}

/** An item whose verdict differs. */
export interface BacktestedItem {
  /** The item, if it is an event. @x-form uuid */
  internal_event_id?: string;
  /** The item, if it is a session check. @x-form uuid */
  internal_session_id?: string;
  /** Ids of policies that flag it now, and did not then; at most 10. */
  newly_flagged: string[];
  /** Ids of policies that flagged it then, and do not now; at most 10. */
  newly_cleared: string[];
}

/** What the edits change in a page of what was checked. Nothing of it is stored. */
export interface BacktestPage {
  /** Items of the whole time, on the first page. @x-form count */
  total?: number;
  /** Items of this page. @x-form count */
  items: number;
  /** Those that were evaluated. @x-form count */
  evaluated: number;
  /** Those whose content is not stored any more, or never was. @x-form count */
  not_stored: number;
  /** Images, and sessions with images: their bytes are not stored. @x-form count */
  images: number;
  /** Checks that had no verdict. @x-form count */
  failed: number;
  /** Policies that looked at an item, then or now. */
  policies: BacktestPolicy[];
  /** Items whose verdict differs, the newest first. */
  differing: BacktestedItem[];
  /** What to send as `before` to go on. Absent: it is done. @x-form uuid */
  next?: string;
}

/** A file of cases, with what they are evaluated by. All together has at most {@link LIMITS.tryBytes}. */
export interface PolicyTestRequest extends EditedPlace {
  /** The file, as `weir test` reads it: YAML or JSON, with `cases` and maybe `defaults`. */
  cases: string;
  /** `next` of the answer before: the case to begin with. @x-form count */
  start?: number | null;
}

/** What became of a case. */
export interface PolicyTestCase {
  /** Its name. */
  name: string;
  /** Its line in the file. @x-form count */
  line: number;
  /** `not_run`: an image would have to be looked at, or a backend or a model asked. */
  outcome: 'passed' | 'failed' | 'not_run';
  /** Lines that say what was expected (`-`) and what was found (`+`), or why it was not run. */
  why: string[];
}

/** Cases that were evaluated. Nothing of them is stored. */
export interface PolicyTestResult {
  /** All cases of the file. @x-form count */
  total: number;
  /** Those that were evaluated, in their order. */
  cases: PolicyTestCase[];
  /** What to send as `start` to go on. Absent: all are done. @x-form count */
  next?: number;
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
