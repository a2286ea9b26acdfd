"""A client of the service, with a method for each endpoint that programs call."""

from __future__ import annotations

import time
import ssl
from collections.abc import Generator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

from ._batches import send_events
from ._call import Options, Send, Steps, call, settings_of
from ._endpoints import ENDPOINTS
from ._guard import Guard, guarded
from ._sockets import SocketTransport
from ._streams import send_piece
from .errors import ProtocolError, UsageError
from .types import (
    Appeal,
    AppealRequest,
    ArtifactRequest,
    ArtifactResult,
    EventRequest,
    EventResult,
    EventsRequest,
    EventsResponse,
    ItemAppeals,
    LabelQueue,
    LabelRequest,
    LabelResult,
    OpenAppeals,
    Probe,
    ProtectList,
    RestoreRequest,
    RestoreResult,
    RunGraph,
    SessionEnvelope,
    SessionRequest,
    SessionResult,
    StreamRequest,
    StreamResult,
    UserRisk,
)

T = TypeVar("T")
#: ``reversible``: the marks have numbers, and the answer has ``sealed``, for ``restore``.
Redact = bool | Literal["reversible"]
OffsetUnit = Literal["utf16", "codepoints", "bytes"]
EventType = Literal["message", "artifact", "tool", "function", "agent", "reasoning"]


class Client:
    """Use it in ``with``, or call ``close``. One client serves any number of threads, and keeps its connections.

    ``url``: base address of the service, such as ``http://127.0.0.1:8080``.
    ``version``: ``service-version`` to send; an endpoint without it gets its newest one. The newest of all if it is None.
    ``timeout``: seconds of a call, with all attempts and waits. ``attempt_timeout``: of one attempt; longer than the service waits (8 s).
    ``retries``: attempts after the first.
    ``idempotency_keys``: each POST carries a generated ``Idempotency-Key``, so that attempts after a cut connection or a 504 find the check of
    the first one. The service remembers 100,000 keys of an API key for an hour and refuses more (429). So it suits callers with at most 27
    calls a second on average.
    ``ssl_context``: for https; that of the system if it is None.
    ``connections``: connections that are kept while nobody uses them.

    Every method takes ``timeout`` and ``request_id`` (sent as ``X-Request-Id``). Those whose answer has policies take ``explain``,
    ``policies``, ``offsets`` and ``matched``: offsets of evidence are code points, as in strings of Python, unless ``offsets`` says otherwise.

    Raises ``UsageError`` where an option is not valid, and subclasses of ``WeirError`` from calls.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        version: str | None = None,
        timeout: float = 60.0,
        attempt_timeout: float = 15.0,
        retries: int = 4,
        idempotency_keys: bool = False,
        ssl_context: ssl.SSLContext | None = None,
        connections: int = 16,
    ) -> None:
        self._settings = settings_of(
            url,
            api_key,
            version=version,
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            retries=retries,
            idempotency_keys=idempotency_keys,
        )
        if not isinstance(connections, int) or not 1 <= connections <= 10_000:
            raise UsageError("connections: expected a whole number from 1 to 10000.")
        self._transport = SocketTransport(self._settings.origin, ssl_context, connections)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections. Those that are in use end after their answer."""
        self._transport.close()

    def _run(self, steps: Steps[T]) -> T:
        outcome: Any = None
        while True:
            try:
                action = steps.send(outcome)
            except StopIteration as end:
                return cast(T, end.value)
            outcome = None
            if isinstance(action, Send):
                outcome = self._transport.exchange(action.request, action.seconds)
            else:
                time.sleep(action.seconds)

    def check_events(
        self,
        request: EventsRequest,
        *,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        redact: Redact = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> EventsResponse:
        """Checks any number of events in order, in batches of 50.

        Each batch is sent when the one before is answered, and ``timeout`` counts for each. Where a later batch fails, ``checked`` of the error
        has the answer to the earlier ones.
        """
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
            redact=redact,
            idempotency_key=idempotency_key,
        )
        return cast(EventsResponse, self._run(send_events(self._settings, request, options)))

    def check_event(
        self,
        request: EventRequest,
        *,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        redact: Redact = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> EventResult:
        """Checks one event."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
            redact=redact,
            idempotency_key=idempotency_key,
        )
        return cast(EventResult, self._run(call(self._settings, ENDPOINTS["check_event"], options, body=request)))

    def get_event(
        self,
        internal_event_id: str,
        *,
        environment_id: str,
        labels: bool | None = None,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> EventResult:
        """The result with this internal id."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
        )
        query = {"environment_id": environment_id, "labels": labels}
        steps = call(self._settings, ENDPOINTS["get_event"], options, path_id=internal_event_id, query=query)
        return cast(EventResult, self._run(steps))

    def find_event(
        self,
        *,
        environment_id: str,
        run_id: str,
        event_id: str,
        type: EventType | None = None,
        labels: bool | None = None,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> EventResult:
        """The latest result of your own ids."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
        )
        query = {"environment_id": environment_id, "run_id": run_id, "event_id": event_id, "type": type, "labels": labels}
        return cast(EventResult, self._run(call(self._settings, ENDPOINTS["find_event"], options, query=query)))

    def check_session(
        self,
        request: SessionRequest,
        *,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        redact: Redact = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> SessionResult:
        """Checks the last message of a chat."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
            redact=redact,
            idempotency_key=idempotency_key,
        )
        return cast(SessionResult, self._run(call(self._settings, ENDPOINTS["check_session"], options, body=request)))

    def create_session(
        self,
        request: SessionRequest,
        *,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        redact: Redact = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> SessionEnvelope:
        """The same check, answered like the look-ups."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
            redact=redact,
            idempotency_key=idempotency_key,
        )
        steps = call(self._settings, ENDPOINTS["create_session"], options, body=request)
        return cast(SessionEnvelope, self._run(steps))

    def get_session(
        self,
        internal_session_id: str,
        *,
        deployment_id: str | None = None,
        labels: bool | None = None,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> SessionEnvelope:
        """The session check with this internal id."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
        )
        query = {"deployment_id": deployment_id, "labels": labels}
        steps = call(self._settings, ENDPOINTS["get_session"], options, path_id=internal_session_id, query=query)
        return cast(SessionEnvelope, self._run(steps))

    def find_session(
        self,
        external_session_id: str,
        *,
        deployment_id: str | None = None,
        labels: bool | None = None,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> SessionEnvelope:
        """The latest check of your own session."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
        )
        query = {"deployment_id": deployment_id, "external_session_id": external_session_id, "labels": labels}
        return cast(SessionEnvelope, self._run(call(self._settings, ENDPOINTS["find_session"], options, query=query)))

    def check_artifact(
        self,
        request: ArtifactRequest,
        *,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> ArtifactResult:
        """Checks an image. A check that takes long is answered ``processing``: look it up later."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
            idempotency_key=idempotency_key,
        )
        return cast(ArtifactResult, self._run(call(self._settings, ENDPOINTS["check_artifact"], options, body=request)))

    def get_artifact(
        self,
        *,
        internal_artifact_id: str | None = None,
        external_artifact_id: str | None = None,
        deployment_id: str | None = None,
        labels: bool | None = None,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> ArtifactResult:
        """An image by its internal id, or the last created one of your own id. Takes exactly one of the two."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
        )
        query = {
            "internal_artifact_id": internal_artifact_id,
            "external_artifact_id": external_artifact_id,
            "deployment_id": deployment_id,
            "labels": labels,
        }
        return cast(ArtifactResult, self._run(call(self._settings, ENDPOINTS["get_artifact"], options, query=query)))

    def get_run_graph(
        self,
        *,
        environment_id: str,
        run_id: str,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> RunGraph:
        """A page of the relationships between the events of a run."""
        options = Options(timeout=timeout, request_id=request_id)
        query = {"environment_id": environment_id, "run_id": run_id, "limit": limit, "cursor": cursor}
        return cast(RunGraph, self._run(call(self._settings, ENDPOINTS["get_run_graph"], options, query=query)))

    def run_graph_pages(
        self,
        *,
        environment_id: str,
        run_id: str,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> Iterator[RunGraph]:
        """Page after page, up to the last one. Raises where a page fails."""
        while True:
            page = self.get_run_graph(
                environment_id=environment_id,
                run_id=run_id,
                limit=limit,
                cursor=cursor,
                timeout=timeout,
                request_id=request_id,
            )
            yield page
            following = page.get("next_cursor")
            if following is None:
                return
            # Without this, a cursor that leads to itself would never end.
            if following == cursor:
                raise ProtocolError(
                    "The page after this one is this one again: the service does not page as it should.", 200
                )
            cursor = following

    def check_stream(
        self,
        request: StreamRequest,
        *,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> StreamResult:
        """Checks a piece of a text that is being written. ``safe_until`` counts code points, unless ``offsets`` says otherwise.

        A piece is tried again after a 504, too, without a key: the service knows it again by its number.
        """
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
            idempotency_key=idempotency_key,
        )
        return cast(StreamResult, self._run(send_piece(self._settings, request, options)))

    def restore(
        self, request: RestoreRequest, *, timeout: float | None = None, request_id: str | None = None
    ) -> RestoreResult:
        """Puts back what the marks of checks with ``redact="reversible"`` stand for. A list of texts is answered with a list."""
        options = Options(timeout=timeout, request_id=request_id)
        steps = call(self._settings, ENDPOINTS["restore"], options, body=request, repeatable=True)
        return cast(RestoreResult, self._run(steps))

    def label(self, request: LabelRequest, *, timeout: float | None = None, request_id: str | None = None) -> LabelResult:
        """Says whether the verdict of a policy on an item was right. A reviewer's later label replaces an earlier one."""
        options = Options(timeout=timeout, request_id=request_id)
        steps = call(self._settings, ENDPOINTS["label"], options, body=request, repeatable=True)
        return cast(LabelResult, self._run(steps))

    def get_label_queue(
        self,
        *,
        days: int | None = None,
        policy: str | None = None,
        reviewer: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> LabelQueue:
        """Flagged verdicts without a label, those first of which a label says most."""
        options = Options(timeout=timeout, request_id=request_id)
        query = {"days": days, "policy": policy, "reviewer": reviewer, "limit": limit}
        steps = call(self._settings, ENDPOINTS["get_label_queue"], options, query=query)
        return cast(LabelQueue, self._run(steps))

    def appeal(self, request: AppealRequest, *, timeout: float | None = None, request_id: str | None = None) -> Appeal:
        """Says that a user disagrees with a verdict. Its answer has the appeal as it stands, also where it was made before."""
        options = Options(timeout=timeout, request_id=request_id)
        steps = call(self._settings, ENDPOINTS["appeal"], options, body=request, repeatable=True)
        return cast(Appeal, self._run(steps))

    def get_appeals(
        self,
        *,
        internal_event_id: str | None = None,
        internal_session_id: str | None = None,
        internal_artifact_id: str | None = None,
        environment_id: str | None = None,
        deployment_id: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> ItemAppeals:
        """The appeals of an item, with their state. Exactly one of the three ids names the item."""
        options = Options(timeout=timeout, request_id=request_id)
        query = {
            "internal_event_id": internal_event_id,
            "internal_session_id": internal_session_id,
            "internal_artifact_id": internal_artifact_id,
            "environment_id": environment_id,
            "deployment_id": deployment_id,
        }
        steps = call(self._settings, ENDPOINTS["get_appeals"], options, query=query)
        return cast(ItemAppeals, self._run(steps))

    def get_open_appeals(
        self,
        *,
        policy: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> OpenAppeals:
        """A page of appeals that nobody has decided, the oldest first."""
        options = Options(timeout=timeout, request_id=request_id)
        query = {"policy": policy, "limit": limit, "after": after}
        steps = call(self._settings, ENDPOINTS["get_open_appeals"], options, query=query)
        return cast(OpenAppeals, self._run(steps))

    def guard_stream(
        self,
        source: Iterable[str],
        *,
        deployment_id: str | None = None,
        environment_id: str | None = None,
        role: Literal["assistant", "user"] | None = None,
        run_id: str | None = None,
        external_session_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        stream_id: str | None = None,
        wait_for: Literal["fast", "all"] = "fast",
        timeout: float | None = None,
    ) -> Generator[str, None]:
        """Yields what is safe of a text that comes in pieces, such as the answer of a model.

        Small pieces are gathered until 40 characters or the end of a sentence have come; nothing is read while a request is under way.

        ``wait_for``: "fast" waits for the policies that judge while the text grows, "all" for those that judge sentences or the end, too.
        ``stream_id``: a generated one if it is None. ``timeout``: seconds of each piece, with all attempts.

        Raises ``WeirViolation`` when a policy is violated, subclasses of ``WeirError`` when the service cannot be asked, and what the source
        raises. Then, and when the caller stops early, the source is closed, and the stream ends at the service with what it has.
        """
        common = {
            "deployment_id": deployment_id,
            "environment_id": environment_id,
            "role": role,
            "run_id": run_id,
            "external_session_id": external_session_id,
            "metadata": metadata,
        }
        guard = Guard(common, stream_id, wait_for, timeout)
        return guarded(source, guard, lambda piece, seconds: self.check_stream(piece, timeout=seconds))

    def get_protect(
        self,
        *,
        deployment_id: str,
        internal_id: str | None = None,
        external_id: str | None = None,
        include_policy_names: bool | None = None,
        explain: bool = False,
        policies: Literal["all", "flagged"] | None = None,
        offsets: OffsetUnit | None = None,
        matched: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> ProtectList:
        """Session checks as the protect view shows them, newest first. Takes exactly one of the two ids."""
        options = Options(
            timeout=timeout,
            request_id=request_id,
            explain=explain,
            policies=policies,
            offsets=offsets,
            matched=matched,
        )
        query = {
            "deployment_id": deployment_id,
            "internal_id": internal_id,
            "external_id": external_id,
            "include_policy_names": include_policy_names,
        }
        return cast(ProtectList, self._run(call(self._settings, ENDPOINTS["get_protect"], options, query=query)))

    def get_risk(
        self,
        *,
        id: str | None = None,
        email: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> UserRisk:
        """The risk level of a user, by recent violations. Takes exactly one of the two."""
        options = Options(timeout=timeout, request_id=request_id)
        query = {"id": id, "email": email}
        return cast(UserRisk, self._run(call(self._settings, ENDPOINTS["get_risk"], options, query=query)))

    def healthz(
        self,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> Probe:
        """Whether the process makes progress. Needs no key."""
        options = Options(timeout=timeout, request_id=request_id)
        return cast(Probe, self._run(call(self._settings, ENDPOINTS["healthz"], options)))

    def readyz(
        self,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> Probe:
        """Whether it is ready for traffic. Needs no key."""
        options = Options(timeout=timeout, request_id=request_id)
        return cast(Probe, self._run(call(self._settings, ENDPOINTS["readyz"], options)))
