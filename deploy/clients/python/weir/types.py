"""Shapes of bodies. Made from the OpenAPI document (CONTRIBUTING.md says how): changes by hand are lost."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class _EventsRequestRequired(TypedDict):
    #: The events, in order.
    events: list[EventInput]


class EventsRequest(_EventsRequestRequired, total=False):
    """A batch of events. The fields beside `events` are defaults for every event."""

    #: The environment whose conditions select the policies.
    environment_id: str | None
    #: The run of every event that names none.
    run_id: str | None
    #: Your id of the conversation that the events belong to.
    external_session_id: str | None


class _EventsResponseRequired(TypedDict):
    #: Whether any event is flagged.
    flagged: bool
    #: How many events could not be evaluated.
    failed: int
    #: The results, by type of event and then by `event_id`.
    results: EventsResponseResults
    #: One entry for each event, in the order of the request.
    order: list[BatchOrderEntry]


class EventsResponse(_EventsResponseRequired, total=False):
    """The verdicts on a batch: by type and id in `results`, and in the order of the request in `order`."""

    #: The run of all events.
    run_id: str


class EventsResponseResults(TypedDict):
    """The results, by type of event and then by `event_id`. Every type is present. If several events have the same type and id, this is the last one."""

    function: dict[str, EventResult]
    message: dict[str, EventResult]
    artifact: dict[str, EventResult]
    tool: dict[str, EventResult]
    agent: dict[str, EventResult]
    reasoning: dict[str, EventResult]


class _EventRequestRequired(TypedDict):
    #: The event.
    event: EventInput


class EventRequest(_EventRequestRequired, total=False):
    """One event to check."""

    #: The environment whose conditions select the policies.
    environment_id: str | None
    #: The run of the event.
    run_id: str | None
    #: Your id of the conversation that the event belongs to.
    external_session_id: str | None


class _EventResultRequired(TypedDict):
    #: Whether the event violates at least one policy.
    flagged: bool
    #: The result of each evaluated policy, by policy id.
    policies: dict[str, EventPolicyResult]
    #: The checked event, or the event that a reference names.
    event: EventResultEvent


class EventResult(_EventResultRequired, total=False):
    """The verdict on one event."""

    #: The same as `event.run_id`.
    run_id: str
    #: A remark for people about this verdict, if there is one.
    note: str
    #: The content as you sent it, with marks such as `[CREDIT_CARD]` in place of what violated policies have
    #: found.
    redacted: Any
    #: What the numbered marks replace, encrypted for the API key of the check.
    sealed: str
    #: What people said of the verdict, the newest first, at most 100.
    labels: list[ItemLabel]
    #: The metadata that you sent with the event.
    metadata: dict[str, Any]


class _EventResultEventRequired(TypedDict):
    #: The kind of event.
    type: Literal["agent", "artifact", "function", "message", "reasoning", "tool"]
    #: How the check ended:
    status: Literal["completed", "failed", "not_found", "referenced"]
    #: When the verdict was reached.
    updated_at: str | None
    #: The id of the event:
    event_id: str
    #: The id of the run:
    run_id: str


class EventResultEvent(_EventResultEventRequired, total=False):
    """The checked event, or the event that a reference names."""

    #: When the event arrived.
    created_at: str
    #: Your id of the conversation, if you sent one.
    external_session_id: str
    #: The unique id of this result.
    internal_event_id: str


class RunGraph(TypedDict):
    """One page of the events of a run and the relations between them."""

    #: The id of the run.
    run_id: str
    #: The environment of the run.
    environment_id: str
    #: The events of this page, in the order of submission.
    nodes: list[RunGraphNode]
    #: The parents and links of the events of this page.
    edges: list[RunGraphEdge]
    #: The `cursor` of the next page.
    next_cursor: str | None


class _SessionRequestRequired(TypedDict):
    #: The messages, oldest first.
    messages: list[MessageInput]


class SessionRequest(_SessionRequestRequired, total=False):
    """A chat. The check looks at its last message; the earlier messages are the context."""

    #: The deployment to check against.
    deployment_id: str | None
    #: Your id of the chat.
    external_session_id: str | None
    #: The internal id of an earlier check whose chat this one joins.
    internal_session_id: str | None
    #: Whether to add the messages of earlier checks to the context.
    include_context: bool | None
    #: Facts about the chat.
    metadata: dict[str, Any] | None
    #: Ids of the policies to evaluate.
    policies: list[str] | None
    #: Another name of `policies`.
    policy_ids: list[str] | None


class _SessionResultRequired(TypedDict):
    #: Whether the message violates at least one policy.
    flagged: bool
    #: The unique id of this check.
    internal_session_id: str
    #: The result of each evaluated policy, by policy id.
    policies: dict[str, PolicyResult]


class SessionResult(_SessionResultRequired, total=False):
    """The verdict on the last message of a chat."""

    #: Your id of the chat, if it has one.
    external_session_id: str
    #: A remark for people about this verdict, if there is one.
    note: str
    #: The `content` of the last message as you sent it, with marks such as `[CREDIT_CARD]` in place of what
    #: violated policies have found.
    redacted: Any
    #: The whole last message with marks, where something was found beside its `content`, such as in
    #: `tool_calls`.
    redacted_message: Any
    #: What the numbered marks replace, encrypted for the API key of the check.
    sealed: str
    #: What people said of the verdict, the newest first, at most 100.
    labels: list[ItemLabel]


class SessionEnvelope(TypedDict):
    """A session check and the images that belong to it."""

    #: The session check.
    session: SessionResult
    #: The results of the images of the chat, newest first.
    artifacts: list[ArtifactResult]


class _StreamRequestRequired(TypedDict):
    #: Your id of the stream.
    stream_id: str
    #: The number of the piece, from 0.
    sequence: int


class StreamRequest(_StreamRequestRequired, total=False):
    """A piece of a text that is checked while it is written. All pieces of a stream name the same environment or deployment, run and conversation. `role` and `metadata` count as the first piece has them."""

    #: The text that follows.
    delta: str | None
    #: Whether this is the last piece.
    final: bool | None
    #: Who writes the text:
    role: str | None
    #: The deployment to check against.
    deployment_id: str | None
    #: The environment whose conditions select the policies.
    environment_id: str | None
    #: The run that the text belongs to, with `environment_id`.
    run_id: str | None
    #: Your id of the conversation that the text belongs to.
    external_session_id: str | None
    #: Facts about the text.
    metadata: dict[str, Any] | None


class _StreamResultRequired(TypedDict):
    #: Your id of the stream.
    stream_id: str
    #: The number of the piece.
    sequence: int
    #: Whether the text so far violates a policy.
    flagged: bool
    #: The policies by id:
    policies: dict[str, EventPolicyResult | PolicyResult]
    #: Up to where the text can be shown, from its beginning, in UTF-16 units or as `offsets` says.
    safe_until: int
    #: Ids of the policies that may still be flagged by what stands before `safe_until`:
    delayed_policies: list[str]
    #: Whether this was the last piece.
    final: bool


class StreamResult(_StreamResultRequired, total=False):
    """What is known of a stream after a piece of it."""

    #: The id of the stored check, of a stream of a deployment that is flagged or has ended.
    internal_session_id: str
    #: The same of an environment.
    internal_event_id: str
    #: A remark for people about the verdict, if there is one.
    note: str


class RestoreRequest(TypedDict):
    """Texts with numbered marks, and what stood there."""

    #: The text, or up to 1000 texts.
    text: str | list[str]
    #: The `sealed` of a check with `redact=reversible`, or those of up to 100 checks, which this API key has
    #: made.
    sealed: str | list[str]


class RestoreResult(TypedDict):
    """Texts with the values that marks stood for."""

    #: The text, or the texts in their order.
    text: str | list[str]


class ProtectList(TypedDict):
    """Session checks in the protect view."""

    #: The checks, newest first.
    list: list[ProtectItem]


class _ArtifactRequestRequired(TypedDict):
    #: The image.
    content: ArtifactContent


class ArtifactRequest(_ArtifactRequestRequired, total=False):
    """An image to check by itself."""

    #: Your id of the image, to look up the result by.
    external_artifact_id: str | None
    #: Who sent the image.
    role: str | None
    #: The deployment to check against.
    deployment_id: str | None
    #: The internal id of the session check that the image belongs to.
    internal_session_id: str | None
    #: Your id of the chat that the image belongs to.
    external_session_id: str | None
    #: Ids of the policies to evaluate.
    policies: list[str] | None
    #: Another name of `policies`.
    policy_ids: list[str] | None
    #: Facts about the image.
    metadata: dict[str, Any] | None


class _ArtifactResultRequired(TypedDict):
    #: How the check stands:
    status: Literal["completed", "failed", "processing"]
    #: Whether the image violates at least one policy.
    flagged: bool | None
    #: The result of each evaluated policy, by policy id.
    policies: dict[str, PolicyResult]
    #: The kind of artifact.
    kind: Literal["image"]
    #: The unique id of this check.
    internal_artifact_id: str
    #: Your id of the image.
    external_artifact_id: str | None
    #: The unique id of the session check that the image belongs to.
    internal_session_id: str | None
    #: Your id of the chat that the image belongs to.
    external_session_id: str | None
    #: When the image arrived.
    created_at: str | None
    #: When the image was checked.
    updated_at: str | None
    #: A remark for people about this verdict, such as why the image could not be fetched.
    note: str | None


class ArtifactResult(_ArtifactResultRequired, total=False):
    """The verdict on an image."""

    #: What people said of the verdict, the newest first, at most 100.
    labels: list[ItemLabel]


class UserRisk(TypedDict):
    """How risky a user has been lately."""

    #: The level, from the number and severity of the user's recent violations.
    risk_level: Literal["elevated", "normal", "severe"]
    #: How many days back violations count.
    window_days: int


class _LabelRequestRequired(TypedDict):
    #: The id or the name of a policy that judged the item, or of one that your team has.
    policy: str
    #: What is true:
    label: Literal["false_alarm", "missed", "true_alarm", "withdrawn"]


class LabelRequest(_LabelRequestRequired, total=False):
    """What a reviewer says of the verdict of a policy on an item. Exactly one of the three ids names the item."""

    #: Why, for people:
    note: str | None
    #: Who says so:
    reviewer: str | None
    #: An event.
    internal_event_id: str | None
    #: A session check.
    internal_session_id: str | None
    #: An image.
    internal_artifact_id: str | None
    #: The environment of the event.
    environment_id: str | None
    #: The deployment of the session or the image.
    deployment_id: str | None


class _LabelResultRequired(TypedDict):
    #: What the reviewer says.
    label: Literal["false_alarm", "missed", "true_alarm", "withdrawn"]
    #: When it was said.
    at: str
    #: The id of the policy.
    policy_id: str
    #: The name of the policy.
    policy_name: str
    #: Who says so.
    reviewer: str


class LabelResult(_LabelResultRequired, total=False):
    """What a reviewer said, as it is stored. It has the id of its item that the request has."""

    #: The event.
    internal_event_id: str
    #: The session check.
    internal_session_id: str
    #: The image.
    internal_artifact_id: str
    #: Why, if that was said.
    note: str


class LabelQueue(TypedDict):
    """What to look at first."""

    #: Flagged verdicts with an open appeal, then those without a label, those first of which a label says most.
    verdicts: list[QueuedLabel]


class _AppealRequestRequired(TypedDict):
    #: The id or the name of a policy that flagged the item.
    policy: str


class AppealRequest(_AppealRequestRequired, total=False):
    """What a user has against the verdict of a policy on an item. Exactly one of the three ids names the item."""

    #: What the user says, for people:
    note: str | None
    #: Your id of the appeal, such as that of a ticket:
    reference: str | None
    #: An event.
    internal_event_id: str | None
    #: A session check.
    internal_session_id: str | None
    #: An image.
    internal_artifact_id: str | None
    #: The environment of the event.
    environment_id: str | None
    #: The deployment of the session or the image.
    deployment_id: str | None


class _AppealRequired(TypedDict):
    #: The id of the policy.
    policy_id: str
    #: The name of the policy.
    policy_name: str
    #: Whether the appeal waits for a label, the verdict stands, or it is overturned.
    state: Literal["open", "overturned", "stands"]
    #: When the appeal was made.
    made_at: str


class Appeal(_AppealRequired, total=False):
    """An appeal against the verdict of a policy. It has one of the three ids, and where its item is."""

    #: The event.
    internal_event_id: str
    #: The session check.
    internal_session_id: str
    #: The image.
    internal_artifact_id: str
    #: The environment of the event.
    environment_id: str
    #: The deployment of the session or the image.
    deployment_id: str
    #: What the user says, if that was sent.
    note: str
    #: Your id of the appeal, if you sent one.
    reference: str
    #: The reviewer whose label decided it.
    decided_by: str
    #: When it was decided.
    decided_at: str


class ItemAppeals(TypedDict):
    """The appeals of an item."""

    #: One for each policy, the newest first.
    appeals: list[Appeal]


class _OpenAppealsRequired(TypedDict):
    #: The appeals, the oldest first.
    appeals: list[Appeal]


class OpenAppeals(_OpenAppealsRequired, total=False):
    """A page of open appeals."""

    #: What to send as `after` for the next page.
    next: str


class Probe(TypedDict):
    """The state of the process."""

    #: Always `ok`.
    status: Literal["ok"]


class Issue(TypedDict):
    """One thing that is wrong with a request. The rejected value is never repeated."""

    #: The place:
    path: str
    #: What is wrong, for programs.
    code: str
    #: What is wrong, for people.
    message: str


class _EventInputRequired(TypedDict):
    #: The kind of event.
    type: Literal["agent", "artifact", "function", "message", "reasoning", "tool"]


class EventInput(_EventInputRequired, total=False):
    """One step of an interaction with a model. `type` decides which fields can hold the content to check:"""

    #: Your id of the event.
    event_id: str | None
    #: Your id of a group of related events.
    run_id: str | None
    #: The environment whose conditions select the policies.
    environment_id: str | None
    #: Facts about the event that conditions can test.
    metadata: dict[str, Any] | None
    #: Your id of the conversation that the event belongs to.
    external_session_id: str | None
    #: Your id of the image, on `artifact` events.
    external_artifact_id: str | None
    #: The name of the tool, function or agent.
    name: str | None
    #: Who wrote the message:
    role: str | None
    #: The event that this one is a part of.
    parent: Any
    #: The events that this one follows from.
    links: list[str | EventLink] | None
    #: The text of a `message` or `reasoning` event.
    content: Any
    #: The arguments of a call, on `tool` and `function` events.
    arguments: Any
    #: What a `tool`, `function` or `agent` returned.
    output: Any
    #: How a `tool` or `function` is declared.
    definition: Any
    #: What an `agent` was asked.
    input: Any
    #: What an `agent` was told to do.
    instructions: Any
    #: The state of an `agent`.
    state: Any
    #: Your id of the call.
    call_id: str | None
    #: The format of the content to check.
    format: str | None


class _BatchOrderEntryRequired(TypedDict):
    #: The position in the request, from 0.
    index: int
    #: The kind of event.
    type: Literal["agent", "artifact", "function", "message", "reasoning", "tool"]
    #: The id of the event:
    event_id: str
    #: The id of the run:
    run_id: str
    #: How the check ended, as in the status of an event result.
    status: Literal["completed", "failed", "not_found", "referenced"]
    #: Whether the event violates at least one policy.
    flagged: bool


class BatchOrderEntry(_BatchOrderEntryRequired, total=False):
    """One event of the batch."""

    #: The unique id of the result.
    internal_event_id: str
    #: The full result.
    result: EventResult


class _EventPolicyResultRequired(TypedDict):
    #: Whether the event violates the policy.
    flagged: bool
    #: The name of the policy.
    name: str


class EventPolicyResult(_EventPolicyResultRequired, total=False):
    """The verdict of one policy on an event."""

    #: The conditions that selected the policy for this event.
    enabled_by_conditions: list[EventPolicyResultEnabledByConditions]
    #: How serious a violation is, by the configuration that judged.
    severity: Literal["high", "low", "medium"]
    #: Where its detectors fired, if it is violated.
    evidence: list[PolicyEvidence]


class EventPolicyResultEnabledByConditions(TypedDict):
    #: The id of the condition.
    id: str
    #: The name of the condition.
    name: str


class _ItemLabelRequired(TypedDict):
    #: The id of the policy.
    policy_id: str
    #: The name of the policy.
    policy_name: str
    #: What the reviewer says.
    label: Literal["false_alarm", "missed", "true_alarm"]
    #: Who says so.
    reviewer: str
    #: When it was said.
    at: str


class ItemLabel(_ItemLabelRequired, total=False):
    """What a reviewer says of the verdict of a policy."""

    #: Why, if that was said.
    note: str


class _RunGraphNodeRequired(TypedDict):
    #: The unique id of the result.
    internal_event_id: str
    #: The id of the event:
    event_id: str
    #: The kind of event.
    type: Literal["agent", "artifact", "function", "message", "reasoning", "tool"]
    #: `completed`, or `failed` if the event could not be checked.
    status: Literal["completed", "failed"]
    #: Whether the event violates at least one policy.
    flagged: bool
    #: When the event arrived.
    created_at: str


class RunGraphNode(_RunGraphNodeRequired, total=False):
    """A checked event of a run."""

    #: Who wrote the message.
    role: Literal["assistant", "user"]


class _RunGraphEdgeRequired(TypedDict):
    #: Whether the event declared the relation as its `parent` or in its `links`.
    kind: Literal["link", "parent"]
    #: The internal id of the cause.
    source: str
    #: The internal id of the effect.
    target: str
    #: Whether the cause is known.
    resolved: bool


class RunGraphEdge(_RunGraphEdgeRequired, total=False):
    """A relation between two events, from cause to effect."""

    #: The relation of a link.
    relation: str


class _MessageInputRequired(TypedDict):
    #: Who wrote the message.
    role: str


class MessageInput(_MessageInputRequired, total=False):
    """A message of a chat. All members with text in them are checked, whatever their names; ids, types, times and counts have none. Earlier messages may be of any shape: what cannot be used of them is left out, and `note` says how many."""

    #: The text, or its parts.
    content: Any
    #: The tool calls of a model, as the model returned them.
    tool_calls: list[Any] | None
    #: A single call, as older models return it.
    function_call: dict[str, Any] | None
    #: The text in which a model refuses.
    refusal: str | None
    #: The reasoning of a model.
    reasoning_content: Any
    #: The reasoning of a model, under another name.
    reasoning: Any
    #: The reasoning of a model, under another name.
    reasoning_details: Any
    #: The reasoning of a model, under another name.
    thinking: Any
    #: The reasoning of a model, under another name.
    thinking_blocks: Any
    #: What a model says aloud.
    audio: Any
    #: Content as libraries for chat interfaces send it.
    parts: Any
    #: Facts about the message, such as `message.id`, `user.id` and `user.email`.
    metadata: dict[str, Any] | None


class _PolicyResultRequired(TypedDict):
    #: The name of the policy.
    name: str
    #: Whether the content violates the policy.
    flagged: bool
    #: The kinds of content that violate the policy.
    flagged_source: list[Literal["image", "text"]]


class PolicyResult(_PolicyResultRequired, total=False):
    """The verdict of one policy on a chat message or an image."""

    #: How serious a violation is, by the configuration that judged.
    severity: Literal["high", "low", "medium"]
    #: Where its detectors fired, if it is violated.
    evidence: list[PolicyEvidence]


class _ProtectItemRequired(TypedDict):
    #: The unique id of the check.
    internal_id: str
    #: Whether the message violates at least one policy.
    violation: bool
    #: The result of each evaluated policy, by policy id.
    violations: dict[str, ProtectViolation]


class ProtectItem(_ProtectItemRequired, total=False):
    """One session check in the protect view."""

    #: Your id of the chat, if it has one.
    external_id: str
    #: What was not looked at, and why.
    note: str


class _ArtifactContentRequired(TypedDict):
    #: The kind of artifact.
    kind: Literal["image"]


class ArtifactContent(_ArtifactContentRequired, total=False):
    """An image. Send exactly one of `url` and `data`."""

    #: The address that the service fetches the image from:
    url: str | None
    #: The image in base64 or as a data URI.
    data: str | None
    #: The media type.
    mime_type: str | None
    #: A name of the image for people.
    name: str | None


class _QueuedLabelRequired(TypedDict):
    #: The id of the policy.
    policy_id: str
    #: The name of the policy.
    policy_name: str
    #: How serious a violation is.
    severity: Literal["high", "low", "medium"]
    #: Why a label of it says much, the strongest reason first.
    reasons: list[Literal["appeal", "many_of_user", "new_rule", "uncertain"]]
    #: When the item arrived.
    created_at: str


class QueuedLabel(_QueuedLabelRequired, total=False):
    """A flagged verdict that waits for a label. It has one of the three ids, and where its item is."""

    #: The event.
    internal_event_id: str
    #: The session check.
    internal_session_id: str
    #: The image.
    internal_artifact_id: str
    #: The environment of the event.
    environment_id: str
    #: The deployment of the session or the image.
    deployment_id: str
    #: The highest score of its evidence.
    score: float
    #: What a user has against it.
    appeal: QueuedAppeal


class EventReference(TypedDict, total=False):
    """Names another event. Send either your `event_id` (with `run_id`, if it is in another run) or the `internal_event_id` of an earlier answer."""

    #: Your id of the event.
    event_id: str | None
    #: The run of `event_id`.
    run_id: str | None
    #: The internal id of the event, as returned in an earlier answer.
    internal_event_id: str | None


class EventLink(TypedDict, total=False):
    """Names another event and its relation to this one."""

    #: What the other event is to this one.
    relation: str | None
    #: Your id of the event.
    event_id: str | None
    #: The run of `event_id`.
    run_id: str | None
    #: The internal id of the event, as returned in an earlier answer.
    internal_event_id: str | None


class _PolicyEvidenceRequired(TypedDict):
    #: The detector, and what of it, such as `pii:CREDIT_CARD`.
    detector: str
    #: The form of the text in which it was found, such as `raw` (as sent) or `folded` (disguises undone).
    view: str
    #: The kind of content.
    source: Literal["image", "text"]
    #: Where it begins in the text as sent, or in what `path` leads to, from 0, in the units that `offsets`
    #: names.
    start: int
    #: Where it ends:
    end: int


class PolicyEvidence(_PolicyEvidenceRequired, total=False):
    """Where a detector fired. Holds content only where that is asked for."""

    #: In JSON:
    path: str
    #: With `path`:
    index: int
    #: How sure the detector is, from 0 to 1.
    score: float
    #: The text that was found, its first 1,024 code points.
    matched: str


class _ContentPartRequired(TypedDict):
    #: The kind of part:
    type: str


class ContentPart(_ContentPartRequired, total=False):
    """A part of a message: text or an image. The last message can have at most 16 images."""

    #: The text.
    text: str | None
    #: The text of a `refusal` part.
    refusal: str | None
    #: The image, on an `artifact` part.
    content: Any
    #: Another name of `content`, on an `artifact` part.
    artifact: Any
    #: On an `artifact` part that has the fields of the image itself:
    kind: Any
    #: Your id of the image, on `artifact` parts.
    external_artifact_id: str | None


class _ProtectViolationRequired(TypedDict):
    #: Whether the message violates the policy.
    violation: bool
    #: The kinds of content that violate the policy.
    violation_source: list[Literal["image", "text"]]


class ProtectViolation(_ProtectViolationRequired, total=False):
    """The verdict of one policy."""

    #: The name of the policy, if you asked for names.
    name: str
    #: How serious a violation is, by the configuration that judged.
    severity: Literal["high", "low", "medium"]
    #: Where its detectors fired, if it is violated.
    evidence: list[PolicyEvidence]


class _QueuedAppealRequired(TypedDict):
    #: When it was made.
    made_at: str


class QueuedAppeal(_QueuedAppealRequired, total=False):
    """What a user has against a verdict that waits for a label."""

    #: What the user says, if that was sent.
    note: str
    #: Your id of the appeal, if you sent one.
    reference: str
