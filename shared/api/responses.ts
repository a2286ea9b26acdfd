/**
 * What callers receive (sections 2 and 4 of the interface).
 *
 * Comments here are the descriptions of the OpenAPI document, so write them for callers. `{@link LIMITS.…}` becomes
 * the number. The `@x-…` tags add limits and formats (see `openapi/forms.ts`).
 */
import type { EventType, Severity } from './event-types.js';
import type { LIMITS } from './limits.js';
import type { LabelKind, LabelStatement } from './requests.js';

export type EventStatus = 'completed' | 'failed' | 'referenced' | 'not_found';

/** Where a detector fired. Holds content only where that is asked for. */
export interface PolicyEvidence {
  /** The detector, and what of it, such as `pii:CREDIT_CARD`. */
  detector: string;
  /** The form of the text in which it was found, such as `raw` (as sent) or `folded` (disguises undone). */
  view: string;
  /** The kind of content. */
  source: 'text' | 'image';
  /**
   * In JSON: a JSON Pointer (RFC 6901) to the string, name or number, from the checked field of an event or from the
   * message of a chat. It ends before a name in which something was found, or that does not look like that of a field.
   */
  path?: string;
  /**
   * With `path`: it was found in the name of this member of the object, counted from 0. Without: the number of the
   * image among the content parts of the message. @x-form count
   */
  index?: number;
  /**
   * Where it begins in the text as sent, or in what `path` leads to, from 0, in the units that `offsets` names. For an
   * image, in the text that was read from it. `start` and `end` are both 0 if it is not in one place. @x-form count
   */
  start: number;
  /** Where it ends: the unit after the last. @x-form count */
  end: number;
  /** How sure the detector is, from 0 to 1. Absent if it does not say, and for 1. */
  score?: number;
  /**
   * The text that was found, its first 1,024 code points. Only with `matched`. Absent for images, for references, and where the content is
   * not there any more.
   */
  matched?: string;
}

/** The verdict of one policy on an event. */
export interface EventPolicyResult {
  /** Whether the event violates the policy. */
  flagged: boolean;
  /** The name of the policy. */
  name: string;
  /** The conditions that selected the policy for this event. */
  enabled_by_conditions?: {
    /** The id of the condition. */
    id: string;
    /** The name of the condition. */
    name: string;
  }[];
  /** How serious a violation is, by the configuration that judged. Only with `explain`. */
  severity?: Severity;
  /** Where its detectors fired, if it is violated. Only with `explain`. */
  evidence?: PolicyEvidence[];
}

/** The verdict of one policy on a chat message or an image. */
export interface PolicyResult {
  /** The name of the policy. */
  name: string;
  /** Whether the content violates the policy. */
  flagged: boolean;
  /** The kinds of content that violate the policy. Empty if none does. */
  flagged_source: ('text' | 'image')[];
  /** How serious a violation is, by the configuration that judged. Only with `explain`. */
  severity?: Severity;
  /** Where its detectors fired, if it is violated. Only with `explain`. */
  evidence?: PolicyEvidence[];
}

/** The verdict on one event. */
export interface EventResult {
  /** Whether the event violates at least one policy. */
  flagged: boolean;
  /** The result of each evaluated policy, by policy id. @x-form evaluated */
  policies: Record<string, EventPolicyResult>;
  /** The checked event, or the event that a reference names. */
  event: {
    /** The kind of event. */
    type: EventType;
    /**
     * How the check ended:
     *
     * - `completed`: the event was checked and stored.
     * - `failed`: the event could not be checked. `note` says why.
     * - `referenced`: this is the result of an earlier event.
     * - `not_found`: there is no such earlier event.
     */
    status: EventStatus;
    /** When the verdict was reached. Null if nothing was found. @x-form time */
    updated_at: string | null;
    /** When the event arrived. Absent if nothing was found. @x-form time */
    created_at?: string;
    /** The id of the event: yours, or a generated one. */
    event_id: string;
    /** Your id of the conversation, if you sent one. */
    external_session_id?: string;
    /** The unique id of this result. Absent if nothing was found. @x-form uuid */
    internal_event_id?: string;
    /** The id of the run: yours, or a generated one. */
    run_id: string;
  };
  /** The same as `event.run_id`. Only in the answer to the check of a single event. */
  run_id?: string;
  /** A remark for people about this verdict, if there is one. */
  note?: string;
  /**
   * The content as you sent it, with marks such as `[CREDIT_CARD]` in place of what violated policies have found. Only in the answer
   * to a check with `redact=true`; absent if that could not be done, which `note` says then.
   */
  redacted?: unknown;
  /**
   * What the numbered marks replace, encrypted for the API key of the check. `POST /api/restore` puts it back. Only in the answer to a check
   * with `redact=reversible`; absent if there is no mark.
   */
  sealed?: string;
  /** What people said of the verdict, the newest first, at most 100. Only in look-ups with `labels=true`. */
  labels?: ItemLabel[];
  /** The metadata that you sent with the event. Only in look-ups. @x-form object */
  metadata?: unknown;
}

/** One event of the batch. */
export interface BatchOrderEntry {
  /** The position in the request, from 0. @x-form index */
  index: number;
  /** The kind of event. With `event_id` it leads to the full result in `results`. */
  type: EventType;
  /** The id of the event: yours, or a generated one. */
  event_id: string;
  /** The id of the run: yours, or a generated one. */
  run_id: string;
  /** The unique id of the result. Absent if a reference found nothing. @x-form uuid */
  internal_event_id?: string;
  /** How the check ended, as in the status of an event result. */
  status: EventStatus;
  /** Whether the event violates at least one policy. */
  flagged: boolean;
  /** The full result. Present only if a later event of the batch with the same type and id replaced it in `results`. */
  result?: EventResult;
}

/** The verdicts on a batch: by type and id in `results`, and in the order of the request in `order`. */
export interface EventsResponse {
  /** Whether any event is flagged. False means that the batch is clean only if `failed` is 0. */
  flagged: boolean;
  /**
   * How many events could not be evaluated. Each of them has the status `failed` and a note, or refers to an event that has.
   * @x-range 0..eventsPerBatch
   */
  failed: number;
  /** The run of all events. Absent if they have different runs. */
  run_id?: string;
  /**
   * The results, by type of event and then by `event_id`. Every type is present. If several events have the same type
   * and id, this is the last one.
   */
  results: Record<EventType, Record<string, EventResult>>;
  /** One entry for each event, in the order of the request. @x-items ..eventsPerBatch */
  order: BatchOrderEntry[];
}

/** The verdict on the last message of a chat. */
export interface SessionResult {
  /** Whether the message violates at least one policy. */
  flagged: boolean;
  /** The unique id of this check. @x-form uuid */
  internal_session_id: string;
  /** Your id of the chat, if it has one. */
  external_session_id?: string;
  /** The result of each evaluated policy, by policy id. @x-form evaluated */
  policies: Record<string, PolicyResult>;
  /** A remark for people about this verdict, if there is one. */
  note?: string;
  /**
   * The `content` of the last message as you sent it, with marks such as `[CREDIT_CARD]` in place of what violated policies have
   * found. Only in the answer to a check with `redact=true`; absent if that could not be done, which `note` says then.
   */
  redacted?: unknown;
  /**
   * The whole last message with marks, where something was found beside its `content`, such as in `tool_calls`. Only in the answer to
   * a check with `redact=true`.
   */
  redacted_message?: unknown;
  /**
   * What the numbered marks replace, encrypted for the API key of the check. `POST /api/restore` puts it back. Only in the answer to a check
   * with `redact=reversible`; absent if there is no mark.
   */
  sealed?: string;
  /** What people said of the verdict, the newest first, at most 100. Only in look-ups with `labels=true`. */
  labels?: ItemLabel[];
}

/** The verdict on an image. */
export interface ArtifactResult {
  /**
   * How the check stands:
   *
   * - `processing`: the image is not checked yet.
   * - `completed`: the image was checked.
   * - `failed`: the image could not be fetched, read or checked. `note` says why.
   */
  status: 'processing' | 'completed' | 'failed';
  /** Whether the image violates at least one policy. Null while that is not known, and if the check failed. */
  flagged: boolean | null;
  /** The result of each evaluated policy, by policy id. @x-form evaluated */
  policies: Record<string, PolicyResult>;
  /** The kind of artifact. */
  kind: 'image';
  /** The unique id of this check. @x-form uuid */
  internal_artifact_id: string;
  /** Your id of the image. Null if you sent none. */
  external_artifact_id: string | null;
  /** The unique id of the session check that the image belongs to. Null if there is none. @x-form uuid */
  internal_session_id: string | null;
  /** Your id of the chat that the image belongs to. Null if there is none. */
  external_session_id: string | null;
  /** When the image arrived. @x-form time */
  created_at: string | null;
  /** When the image was checked. Null until then. @x-form time */
  updated_at: string | null;
  /** A remark for people about this verdict, such as why the image could not be fetched. Null if there is none. */
  note: string | null;
  /** What people said of the verdict, the newest first, at most 100. Only in look-ups with `labels=true`. */
  labels?: ItemLabel[];
}

/** A session check and the images that belong to it. */
export interface SessionEnvelope {
  /** The session check. */
  session: SessionResult;
  /** The results of the images of the chat, newest first. At most {@link LIMITS.envelopeArtifacts}. */
  artifacts: ArtifactResult[];
}

/** One page of the events of a run and the relations between them. */
export interface RunGraph {
  /** The id of the run. */
  run_id: string;
  /** The environment of the run. */
  environment_id: string;
  /** The events of this page, in the order of submission. */
  nodes: RunGraphNode[];
  /** The parents and links of the events of this page. */
  edges: RunGraphEdge[];
  /** The `cursor` of the next page. Null on the last page. */
  next_cursor: string | null;
}

/** A checked event of a run. */
export interface RunGraphNode {
  /** The unique id of the result. @x-form uuid */
  internal_event_id: string;
  /** The id of the event: yours, or a generated one. */
  event_id: string;
  /** The kind of event. */
  type: EventType;
  /** Who wrote the message. Only on messages. */
  role?: 'user' | 'assistant';
  /** `completed`, or `failed` if the event could not be checked. */
  status: 'completed' | 'failed';
  /** Whether the event violates at least one policy. */
  flagged: boolean;
  /** When the event arrived. @x-form time */
  created_at: string;
}

/** A relation between two events, from cause to effect. */
export interface RunGraphEdge {
  /** Whether the event declared the relation as its `parent` or in its `links`. */
  kind: 'parent' | 'link';
  /** The internal id of the cause. If there is no such event: the id that you sent. */
  source: string;
  /** The internal id of the effect. @x-form uuid */
  target: string;
  /** The relation of a link. Only on links. */
  relation?: string;
  /**
   * Whether the cause is known. It is known if it was found when the effect was checked, or if it is found before the
   * effect now.
   */
  resolved: boolean;
}

/** One session check in the protect view. */
export interface ProtectItem {
  /** Your id of the chat, if it has one. */
  external_id?: string;
  /** The unique id of the check. @x-form uuid */
  internal_id: string;
  /** Whether the message violates at least one policy. */
  violation: boolean;
  /** The result of each evaluated policy, by policy id. */
  violations: Record<string, ProtectViolation>;
  /** What was not looked at, and why. Only in the answer of a check. */
  note?: string;
}

/** The verdict of one policy. */
export interface ProtectViolation {
  /** Whether the message violates the policy. */
  violation: boolean;
  /** The name of the policy, if you asked for names. */
  name?: string;
  /** The kinds of content that violate the policy. Empty if none does. */
  violation_source: ('text' | 'image')[];
  /** How serious a violation is, by the configuration that judged. Only with `explain`. */
  severity?: Severity;
  /** Where its detectors fired, if it is violated. Only with `explain`. */
  evidence?: PolicyEvidence[];
}

/** Session checks in the protect view. */
export interface ProtectList {
  /** The checks, newest first. Empty if nothing matches. @x-items ..protectItems */
  list: ProtectItem[];
}

export type RiskLevel = 'normal' | 'elevated' | 'severe';

/** How risky a user has been lately. */
export interface UserRisk {
  /** The level, from the number and severity of the user's recent violations. */
  risk_level: RiskLevel;
  /** How many days back violations count. @x-range 1.. */
  window_days: number;
}

/** How far an erasure is, and what it removed. */
export interface ErasureReceipt {
  /** The id of the erasure. @x-form uuid */
  erasure_id: string;
  /** What is erased. */
  subject: 'user' | 'session' | 'run' | 'event';
  /**
   * `waiting` until all checks that were accepted before are stored. `removing` until no table and no answer has it. `erased` until the files of
   * the stores have it no more, and then `complete`.
   */
  state: 'waiting' | 'removing' | 'erased' | 'complete';
  /** What it waits for, in words. Null if it is not known to wait. */
  waiting_for: string | null;
  /** When it was asked for. Checks that came later stay. @x-form time */
  requested_at: string;
  /** Since when nothing of it is found. Null before. @x-form time */
  erased_at: string | null;
  /** Since when the files of the stores have nothing of it, but for those that `held_by` names. Null before. @x-form time */
  complete_at: string | null;
  /** What was removed, so far. */
  removed: {
    /** Events, session checks and images, each with its verdict. @x-form count */
    items: number;
    /** Requests that had been given up, with all that they held. @x-form count */
    dead_letters: number;
    /** Requests whose rows ClickHouse had refused. @x-form count */
    refused_entries: number;
    /** Webhooks that waited to be sent. @x-form count */
    deliveries: number;
    /** Streams that were open. @x-form count */
    streams: number;
    /** Texts that later checks of the same conversation would have looked back on. @x-form count */
    context_texts: number;
  };
  /**
   * Exports (`weir export`) that may have it, the newest first and at most 100: of its scope and time, begun before it was erased. Absent before that,
   * and where there are none.
   */
  exports?: {
    /** The id of the export. @x-form uuid */
    export_id: string;
    /** When it was begun. @x-form time */
    begun_at: string;
    /** Items from this time on. @x-form time */
    from: string;
    /** Items before this time. @x-form time */
    to: string;
    /** `parquet` or `jsonl`. */
    format: string;
  }[];
  /** Where it may still be. */
  held_by: {
    /** The store. */
    store: 'redis' | 'redis_replicas' | 'clickhouse_replicas' | 'clickhouse_parts' | 'backups';
    /** What has it there, and until when. */
    what: string;
  }[];
}

/** What is known of a stream after a piece of it. */
export interface StreamResult {
  /** Your id of the stream. */
  stream_id: string;
  /** The number of the piece. @x-form count */
  sequence: number;
  /** Whether the text so far violates a policy. It stays so: end the stream, and show no more of it. */
  flagged: boolean;
  /**
   * The policies by id: the flagged ones, if there are some, and with the last piece every one that was evaluated. Those of a
   * deployment have `flagged_source`, those of an environment `enabled_by_conditions`. @x-form evaluated
   */
  policies: Record<string, PolicyResult | EventPolicyResult>;
  /**
   * Up to where the text can be shown, from its beginning, in UTF-16 units or as `offsets` says. What stands before it cannot become a part of a find of
   * the policies that are not delayed. @x-form count
   */
  safe_until: number;
  /**
   * Ids of the policies that may still be flagged by what stands before `safe_until`: those that judge sentences look at them as they end,
   * others at the end. Empty with the last piece.
   */
  delayed_policies: string[];
  /** Whether this was the last piece. */
  final: boolean;
  /** The id of the stored check, of a stream of a deployment that is flagged or has ended. @x-form uuid */
  internal_session_id?: string;
  /** The same of an environment. @x-form uuid */
  internal_event_id?: string;
  /** A remark for people about the verdict, if there is one. */
  note?: string;
}

/** Texts with the values that marks stood for. */
export interface RestoreResult {
  /** The text, or the texts in their order. */
  text: string | string[];
}

/** What a reviewer says of the verdict of a policy. */
export interface ItemLabel {
  /** The id of the policy. @x-form uuid */
  policy_id: string;
  /** The name of the policy. */
  policy_name: string;
  /** What the reviewer says. */
  label: LabelKind;
  /** Who says so. */
  reviewer: string;
  /** Why, if that was said. */
  note?: string;
  /** When it was said. @x-form time */
  at: string;
}

/** Why a label of a verdict says much: a user appeals against it; its score is near the threshold; its rule is new; its user has many flagged verdicts. */
export type QueueReason = 'appeal' | 'uncertain' | 'new_rule' | 'many_of_user';

/** What a user has against a verdict that waits for a label. */
export interface QueuedAppeal {
  /** What the user says, if that was sent. */
  note?: string;
  /** Your id of the appeal, if you sent one. */
  reference?: string;
  /** When it was made. @x-form time */
  made_at: string;
}

/** A flagged verdict that waits for a label. It has one of the three ids, and where its item is. */
export interface QueuedLabel {
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
  /** The id of the policy. @x-form uuid */
  policy_id: string;
  /** The name of the policy. */
  policy_name: string;
  /** How serious a violation is. */
  severity: Severity;
  /** The highest score of its evidence. Absent if its detectors have none. */
  score?: number;
  /** Why a label of it says much, the strongest reason first. May be empty. */
  reasons: QueueReason[];
  /** What a user has against it. Absent if there is no open appeal. */
  appeal?: QueuedAppeal;
  /** When the item arrived. @x-form time */
  created_at: string;
}

/** What to look at first. */
export interface LabelQueue {
  /** Flagged verdicts with an open appeal, then those without a label, those first of which a label says most. */
  verdicts: QueuedLabel[];
}

/** What a reviewer said, as it is stored. It has the id of its item that the request has. */
export interface LabelResult extends Omit<ItemLabel, 'label'> {
  /** What the reviewer says. `withdrawn`: their label does not count any more. */
  label: LabelStatement;
  /** The event. @x-form uuid */
  internal_event_id?: string;
  /** The session check. @x-form uuid */
  internal_session_id?: string;
  /** The image. @x-form uuid */
  internal_artifact_id?: string;
}

/** The state of the process. */
export interface Probe {
  /** Always `ok`. In any other state the answer is a 503. */
  status: 'ok';
}
