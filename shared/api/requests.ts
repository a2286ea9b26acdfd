/**
 * What callers send (sections 2 and 4 of the interface).
 *
 * Comments here are the descriptions of the OpenAPI document, so write them for callers. `{@link LIMITS.…}` becomes
 * the number. The `@x-…` tags add limits and formats (see `openapi/forms.ts`). Validators read neither.
 *
 * A field is `unknown` where the service keeps any value as it came.
 */
import { misc, type tags } from 'typia';
import type { EventType } from './event-types.js';
import type { LIMITS } from './limits.js';

/**
 * Names another event. Send either your `event_id` (with `run_id`, if it is in another run) or the `internal_event_id`
 * of an earlier answer.
 */
export interface EventReference {
  /** Your id of the event. Send exactly one of `event_id` and `internal_event_id`. @x-form id */
  event_id?: string | null;
  /** The run of `event_id`. The default is the run of the event that contains this reference. @x-form id */
  run_id?: string | null;
  /** The internal id of the event, as returned in an earlier answer. @x-form uuid */
  internal_event_id?: string | null;
}

/** Names another event and its relation to this one. */
export interface EventLink extends EventReference {
  /** What the other event is to this one. The default is `caused_by`. @x-length ..relationCharacters */
  relation?: string | null;
}

/** Who wrote a message event. */
type EventRole = 'user' | 'assistant' | `user-${string}` | `assistant-${string}`;

/** What is stored of an event as it came, and nothing else is done with: texts of at most {@link LIMITS.nameCharacters} characters. */
export interface StoredTexts {
  /** Your id of the call. It is stored. @x-form name */
  call_id?: string | null;
  /** The format of the content to check. It is stored. @x-form name */
  format?: string | null;
}

/** Their names. What reads, validates and packs events goes by these. */
export const STORED_TEXTS: readonly (keyof StoredTexts)[] = misc.literals<keyof StoredTexts>();

/**
 * One step of an interaction with a model. `type` decides which fields can hold the content to check:
 *
 * - `message`, `reasoning`, `artifact`: `content`
 * - `tool`, `function`: `arguments`, `output` or `definition`
 * - `agent`: `input`, `instructions`, `output` or `state`
 *
 * Send at most one of these fields. An event with none of them is a reference to an earlier event. A reference needs
 * `event_id` and a run (its own, that beside the events, or the one that is generated for other events of the batch),
 * and may have known fields only. Its answer is the latest stored result with these ids and this type.
 */
export interface EventInput extends StoredTexts {
  /** The kind of event. */
  type: EventType;
  /**
   * Your id of the event. If absent, the service generates one. An id that you send twice has two results.
   * @x-form id
   */
  event_id?: string | null;
  /**
   * Your id of a group of related events. If you name no run here or beside the event, the service generates one.
   * @x-form id
   */
  run_id?: string | null;
  /**
   * The environment whose conditions select the policies. It must be the same everywhere in one request.
   * @x-length 1..
   */
  environment_id?: string | null;
  /**
   * Facts about the event that conditions can test. They are stored with the result. At most
   * {@link LIMITS.metadataBytes} of compact JSON.
   */
  metadata?: Record<string, unknown> | null;
  /**
   * Your id of the conversation that the event belongs to. Its earlier texts are the context of the check.
   * @x-form name
   */
  external_session_id?: string | null;
  /** Your id of the image, on `artifact` events. It is stored. @x-form name */
  external_artifact_id?: string | null;
  /** The name of the tool, function or agent. Conditions read it as `event.name`. @x-form name */
  name?: string | null;
  /**
   * Who wrote the message: `user` is input, `assistant` is output. Required on `message` events with content. A suffix
   * after a hyphen is ignored.
   * @x-form eventRole
   */
  role?: EventRole | null;
  /**
   * The event that this one is a part of. A text is its `event_id`. A parent that does not exist is not an error: it is
   * kept as unresolved.
   */
  parent?: EventReference | string | null;
  /**
   * The events that this one follows from. A text is an `event_id`. A batch can have at most
   * {@link LIMITS.declarationsPerBatch} parents and links in all.
   * @x-items ..linksPerEvent
   */
  links?: (EventLink | string)[] | null;
  /**
   * The text of a `message` or `reasoning` event. On an `artifact` event: the image, as in `ArtifactContent`.
   * @x-form checkable
   */
  content?: unknown;
  /** The arguments of a call, on `tool` and `function` events. @x-form checkableValue */
  arguments?: unknown;
  /** What a `tool`, `function` or `agent` returned. @x-form checkableValue */
  output?: unknown;
  /** How a `tool` or `function` is declared. @x-form checkable */
  definition?: unknown;
  /** What an `agent` was asked. @x-form checkable */
  input?: unknown;
  /** What an `agent` was told to do. @x-form checkable */
  instructions?: unknown;
  /** The state of an `agent`. @x-form checkable */
  state?: unknown;
}

/** One event to check. */
export interface EventRequest {
  /** The event. */
  event: EventInput;
  /**
   * The environment whose conditions select the policies. Required here or in the event. If you send it in both places,
   * the values must be the same.
   * @x-length 1..
   */
  environment_id?: string | null;
  /**
   * The run of the event. Send it here or in the event; in both it must be the same.
   * @x-form id
   */
  run_id?: string | null;
  /**
   * Your id of the conversation that the event belongs to. Send it here or in the event; in both it must be the same.
   * @x-form name
   */
  external_session_id?: string | null;
}

/** A batch of events. The fields beside `events` are defaults for every event. */
export interface EventsRequest {
  /** The events, in order. An event may refer to an earlier one. @x-items 1..eventsPerBatch */
  events: EventInput[];
  /**
   * The environment whose conditions select the policies. Required here or in an event. A batch has one environment.
   * @x-length 1..
   */
  environment_id?: string | null;
  /**
   * The run of every event that names none. If no run is named anywhere, the service generates one for the batch.
   * @x-form id
   */
  run_id?: string | null;
  /**
   * Your id of the conversation that the events belong to. Its earlier texts are the context of the check.
   * @x-form name
   */
  external_session_id?: string | null;
}

/** A part of a message: text or an image. The last message can have at most {@link LIMITS.artifactParts} images. */
export interface ContentPart {
  /**
   * The kind of part:
   *
   * - `text`, `input_text`, `output_text`: a text
   * - `refusal`: a text in which a model refuses
   * - `artifact`: an image
   * - `tool_use`, `tool_result`, `thinking`, `reasoning` and the like: checked as text, the way `tool_calls` are
   *
   * Any other kind is refused in the last message and skipped in earlier ones. Other members of a part that have text in
   * them, such as `citations`, are checked too.
   */
  type: string;
  /** The text. Required on a text part. */
  text?: string | null;
  /** The text of a `refusal` part. */
  refusal?: string | null;
  /** The image, on an `artifact` part. The part may also have the fields of the image itself. @x-form image */
  content?: unknown;
  /** Another name of `content`, on an `artifact` part. @x-form image */
  artifact?: unknown;
  /** On an `artifact` part that has the fields of the image itself: `image`. */
  kind?: unknown;
  /** Your id of the image, on `artifact` parts. Not used on text parts. @x-form name */
  external_artifact_id?: string | null;
}

/**
 * A message of a chat. All members with text in them are checked, whatever their names; ids, types, times and counts have
 * none. Earlier messages may be of any shape: what cannot be used of them is left out, and `note` says how many.
 */
export interface MessageInput {
  /**
   * Who wrote the message. `assistant` is checked as output, every other role as input. A suffix after a hyphen is
   * ignored.
   * @x-form role
   */
  role: string;
  /**
   * The text, or its parts. The last message can have at most {@link LIMITS.messageTextBytes} of UTF-8 text, unless the
   * service is set up otherwise. Required there, but an `assistant` message can leave it out beside `tool_calls`,
   * `refusal`, reasoning or the like.
   */
  content?: string | ContentPart[] | null;
  /**
   * The tool calls of a model, as the model returned them. Names and arguments are checked as part of the text.
   * Arguments in JSON are checked both as written and decoded.
   */
  tool_calls?: unknown[] | null;
  /** A single call, as older models return it. It is checked like `tool_calls`. */
  function_call?: Record<string, unknown> | null;
  /** The text in which a model refuses. It is checked as part of the text. */
  refusal?: string | null;
  /** The reasoning of a model. It is checked as part of the text. */
  reasoning_content?: unknown;
  /** The reasoning of a model, under another name. It is checked as part of the text. */
  reasoning?: unknown;
  /** The reasoning of a model, under another name. It is checked as part of the text. */
  reasoning_details?: unknown;
  /** The reasoning of a model, under another name. It is checked as part of the text. */
  thinking?: unknown;
  /** The reasoning of a model, under another name. It is checked as part of the text. */
  thinking_blocks?: unknown;
  /** What a model says aloud. Its `transcript` is checked as part of the text. */
  audio?: unknown;
  /** Content as libraries for chat interfaces send it. It is checked as part of the text. */
  parts?: unknown;
  /**
   * Facts about the message, such as `message.id`, `user.id` and `user.email`. They are stored. At most
   * {@link LIMITS.metadataBytes} of compact JSON.
   */
  metadata?: Record<string, unknown> | null;
}

/** A chat. The check looks at its last message; the earlier messages are the context. */
export interface SessionRequest {
  /** The messages, oldest first. @x-items 1..messages */
  messages: MessageInput[] & tags.MinItems<1>;
  /** The deployment to check against. The default is that of the API key. @x-length 1.. */
  deployment_id?: string | null;
  /** Your id of the chat. Checks with the same id share their context. @x-form name */
  external_session_id?: string | null;
  /**
   * The internal id of an earlier check whose chat this one joins. `external_session_id` must agree.
   * @x-form uuid
   */
  internal_session_id?: string | null;
  /** Whether to add the messages of earlier checks to the context. The default is true with one of the ids. */
  include_context?: boolean | null;
  /** Facts about the chat. They are stored. At most {@link LIMITS.metadataBytes} of compact JSON. */
  metadata?: Record<string, unknown> | null;
  /**
   * Ids of the policies to evaluate. The default is every policy of the deployment. If some of them do not apply, the
   * `note` of the answer says so.
   * @x-items 1..policyIds
   */
  policies?: string[] | null;
  /** Another name of `policies`. Send only one of the two. @x-items 1..policyIds */
  policy_ids?: string[] | null;
}

/** A chat, with the names that the protect view has. The check is that of `SessionRequest`. */
export interface ProtectRequest extends SessionRequest {
  /** Another name of `external_session_id`. If you send both, they must agree. @x-form name */
  external_id?: string | null;
  /** Whether each violation has the name of its policy. `true` and `false` as texts work too, in upper or lower case. */
  include_policy_names?: boolean | string | null;
}

/** An image. Send exactly one of `url` and `data`. */
export interface ArtifactContent {
  /** The kind of artifact. */
  kind: 'image';
  /** The address that the service fetches the image from: `http` or `https`, on a public host. @x-form url */
  url?: string | null;
  /**
   * The image in base64 or as a data URI. The image can have at most {@link LIMITS.imageBytes}. In an event, this text
   * can have at most {@link LIMITS.contentBytes}.
   * @x-length ..imageDataCharacters
   */
  data?: string | null;
  /**
   * The media type. You can leave it out: the service reads the format from the bytes. It takes JPEG, PNG, WebP and
   * GIF.
   * @x-form name
   */
  mime_type?: string | null;
  /** A name of the image for people. It is stored. @x-form name */
  name?: string | null;
}

/** An image to check by itself. */
export interface ArtifactRequest {
  /** The image. */
  content: ArtifactContent;
  /** Your id of the image, to look up the result by. An id that you send twice has two results. @x-form name */
  external_artifact_id?: string | null;
  /**
   * Who sent the image. The default is `user`. `assistant` is checked as output, every other role as input. A suffix
   * after a hyphen is ignored.
   * @x-form role
   */
  role?: string | null;
  /** The deployment to check against. The default is that of the API key. @x-length 1.. */
  deployment_id?: string | null;
  /**
   * The internal id of the session check that the image belongs to. Do not send it with `external_session_id`.
   * @x-form uuid
   */
  internal_session_id?: string | null;
  /** Your id of the chat that the image belongs to. You can check the chat later. @x-form name */
  external_session_id?: string | null;
  /**
   * Ids of the policies to evaluate. The default is every policy of the deployment. If some of them do not apply, the
   * `note` of the answer says so.
   * @x-items 1..policyIds
   */
  policies?: string[] | null;
  /** Another name of `policies`. Send only one of the two. @x-items 1..policyIds */
  policy_ids?: string[] | null;
  /** Facts about the image. They are stored. At most {@link LIMITS.metadataBytes} of compact JSON. */
  metadata?: Record<string, unknown> | null;
}

/**
 * A piece of a text that is checked while it is written. All pieces of a stream name the same environment or deployment, run and
 * conversation. `role` and `metadata` count as the first piece has them.
 */
export interface StreamRequest {
  /** Your id of the stream. Streams of other environments, deployments and teams may have the same. @x-form id */
  stream_id: string;
  /**
   * The number of the piece, from 0. The newest piece may be sent again as it is, and has the same answer. Wait for the answer
   * to a piece before you send the next. @x-form count
   */
  sequence: number;
  /** The text that follows. A piece may be empty. @x-form delta */
  delta?: string | null;
  /** Whether this is the last piece. */
  final?: boolean | null;
  /**
   * Who writes the text: `assistant` (the default) is output, `user` is input. A suffix after a hyphen is ignored.
   * @x-form eventRole
   */
  role?: EventRole | null;
  /** The deployment to check against. The default is that of the API key. @x-length 1.. */
  deployment_id?: string | null;
  /** The environment whose conditions select the policies. Send only one of it and `deployment_id`. @x-length 1.. */
  environment_id?: string | null;
  /** The run that the text belongs to, with `environment_id`. @x-form id */
  run_id?: string | null;
  /** Your id of the conversation that the text belongs to. @x-form name */
  external_session_id?: string | null;
  /**
   * Facts about the text. They are stored, and conditions of an environment test them. At most
   * {@link LIMITS.streamMetadataBytes} of JSON.
   */
  metadata?: Record<string, unknown> | null;
}

/** Texts with numbered marks, and what stood there. */
export interface RestoreRequest {
  /**
   * The text, or up to {@link LIMITS.restoreTexts} texts. All together have at most {@link LIMITS.restoreTextBytes} of UTF-8. Marks that no
   * seal has stay as they are.
   */
  text: string | string[];
  /**
   * The `sealed` of a check with `redact=reversible`, or those of up to {@link LIMITS.restoreSeals} checks, which this API key has made.
   * One has at most {@link LIMITS.sealBytes}, all together {@link LIMITS.restoreSealBytes}.
   */
  sealed: string | string[];
}

/** The verdict of a policy on an item. Exactly one of the three ids names the item. */
export interface JudgedRequest {
  /** An event. @x-form uuid */
  internal_event_id?: string | null;
  /** A session check. @x-form uuid */
  internal_session_id?: string | null;
  /** An image. @x-form uuid */
  internal_artifact_id?: string | null;
  /** The environment of the event. It may be absent if the API key was granted only one. */
  environment_id?: string | null;
  /** The deployment of the session or the image. The default is that of the API key. */
  deployment_id?: string | null;
  /** The id or the name of a policy that judged the item. */
  policy: string;
}

/** What a reviewer says of the verdict of a policy on an item. Exactly one of the three ids names the item. */
export interface LabelRequest extends JudgedRequest {
  /** The id or the name of a policy that judged the item, or of one that your team has. */
  policy: string;
  /**
   * What is true:
   *
   * - `true_alarm`: the policy flagged the item, and rightly.
   * - `false_alarm`: the policy flagged the item, and should not have.
   * - `missed`: the policy did not flag the item, and should have.
   * - `withdrawn`: the reviewer takes back what they said, as if it had not been said.
   */
  label: LabelStatement;
  /** Why, for people: at most {@link LIMITS.labelNoteCharacters} characters. */
  note?: string | null;
  /** Who says so: 1 to {@link LIMITS.reviewerCharacters} characters. The default is the id of the API key. */
  reviewer?: string | null;
}

/** What a label says. */
export type LabelKind = 'true_alarm' | 'false_alarm' | 'missed';

/** What a reviewer says: a label, or that theirs does not count any more. */
export type LabelStatement = LabelKind | 'withdrawn';
