/** What users have against verdicts (`/api/appeal`). */
import type { JudgedRequest } from './requests.js';

/** What a user has against the verdict of a policy on an item. Exactly one of the three ids names the item. */
export interface AppealRequest extends JudgedRequest {
  /** The id or the name of a policy that flagged the item. */
  policy: string;
  /** What the user says, for people: at most {@link LIMITS.labelNoteCharacters} characters. */
  note?: string | null;
  /** Your id of the appeal, such as that of a ticket: at most {@link LIMITS.nameCharacters} characters. */
  reference?: string | null;
}

/** Whether an appeal waits for a label, the verdict stands, or it is overturned. */
export type AppealState = 'open' | 'stands' | 'overturned';

/** An appeal against the verdict of a policy. It has one of the three ids, and where its item is. */
export interface Appeal {
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
  /** Whether the appeal waits for a label, the verdict stands, or it is overturned. */
  state: AppealState;
  /** What the user says, if that was sent. */
  note?: string;
  /** Your id of the appeal, if you sent one. */
  reference?: string;
  /** When the appeal was made. @x-form time */
  made_at: string;
  /** The reviewer whose label decided it. Absent while it is open. */
  decided_by?: string;
  /** When it was decided. Absent while it is open. @x-form time */
  decided_at?: string;
}

/** The appeals of an item. */
export interface ItemAppeals {
  /** One for each policy, the newest first. */
  appeals: Appeal[];
}

/** A page of open appeals. */
export interface OpenAppeals {
  /** The appeals, the oldest first. */
  appeals: Appeal[];
  /** What to send as `after` for the next page. Absent: there are no more. */
  next?: string;
}
