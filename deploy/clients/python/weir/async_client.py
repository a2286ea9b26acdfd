"""The client for asyncio: the same methods as those of ``client.py``, to be awaited."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

from ._batches import send_events
from ._call import Options, Send, Steps, call, settings_of
from ._endpoints import ENDPOINTS
from ._guard import Guard, guarded_async
from ._loops import LoopTransport
from ._streams import send_piece
from .client import EventType, OffsetUnit, Redact
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

class AsyncClient:
    """Use it in ``async with``, or call ``aclose``. One client serves any number of tasks of a loop, and keeps its connections.

    ``url``: base address of the service, such as ``http://127.0.0.1:8080``.
    ``version``: ``service-version`` to send; an endpoint without it gets its newest one. The newest of all if it is None.
    ``timeout``: seconds of a call, with all attempts and waits. ``attempt_timeout``: of one attempt; longer than the service waits (8 s).
    ``retries``: attempts after the first.
    ``idempotency_keys``: each POST carries a generated ``Idempotency-Key``, so that attempts after a cut connection or a 504 find the check of
    the first one. The service remembers 100,000 keys of an API key for an hour and refuses more (429). So it suits callers with at most 27
    calls a second on average.
    ``ssl_context``: for https; that of the system if it is None.
    ``connections``: connections at once.

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
        connections: int = 64,
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
        self._transport = LoopTransport(self._settings.origin, ssl_context, connections)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the connections. Those that are in use end after their answer."""
        self._transport.close()

    async def _run(self, steps: Steps[T]) -> T:
        outcome: Any = None
        while True:
            try:
                action = steps.send(outcome)
            except StopIteration as end:
                return cast(T, end.value)
            outcome = None
            if isinstance(action, Send):
                outcome = await self._transport.exchange(action.request, action.seconds)
            else:
                await asyncio.sleep(action.seconds)

    async def check_events(
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
        return cast(EventsResponse, await self._run(send_events(self._settings, request, options)))

    async def check_event(
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
        return cast(EventResult, await self._run(call(self._settings, ENDPOINTS["check_event"], options, body=request)))

    async def get_event(
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
        return cast(EventResult, await self._run(steps))

    async def find_event(
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
        return cast(EventResult, await self._run(call(self._settings, ENDPOINTS["find_event"], options, query=query)))

    async def check_session(
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
        steps = call(self._settings, ENDPOINTS["check_session"], options, body=request)
        return cast(SessionResult, await self._run(steps))

    async def create_session(
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
        return cast(SessionEnvelope, await self._run(steps))

    async def get_session(
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
        return cast(SessionEnvelope, await self._run(steps))

    async def find_session(
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
        steps = call(self._settings, ENDPOINTS["find_session"], options, query=query)
        return cast(SessionEnvelope, await self._run(steps))

    async def check_artifact(
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
        steps = call(self._settings, ENDPOINTS["check_artifact"], options, body=request)
        return cast(ArtifactResult, await self._run(steps))

    async def get_artifact(
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
        steps = call(self._settings, ENDPOINTS["get_artifact"], options, query=query)
        return cast(ArtifactResult, await self._run(steps))

    async def get_run_graph(
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
        return cast(RunGraph, await self._run(call(self._settings, ENDPOINTS["get_run_graph"], options, query=query)))

    async def run_graph_pages(
        self,
        *,
        environment_id: str,
        run_id: str,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> AsyncIterator[RunGraph]:
        """Page after page, up to the last one. Raises where a page fails."""
        while True:
            page = await self.get_run_graph(
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

    async def check_stream(
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
        return cast(StreamResult, await self._run(send_piece(self._settings, request, options)))

    async def restore(
        self, request: RestoreRequest, *, timeout: float | None = None, request_id: str | None = None
    ) -> RestoreResult:
        """Puts back what the marks of checks with ``redact="reversible"`` stand for. A list of texts is answered with a list."""
        options = Options(timeout=timeout, request_id=request_id)
        steps = call(self._settings, ENDPOINTS["restore"], options, body=request, repeatable=True)
        return cast(RestoreResult, await self._run(steps))

    async def label(self, request: LabelRequest, *, timeout: float | None = None, request_id: str | None = None) -> LabelResult:
        """Says whether the verdict of a policy on an item was right. A reviewer's later label replaces an earlier one."""
        options = Options(timeout=timeout, request_id=request_id)
        steps = call(self._settings, ENDPOINTS["label"], options, body=request, repeatable=True)
        return cast(LabelResult, await self._run(steps))

    async def get_label_queue(
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
        return cast(LabelQueue, await self._run(steps))

    async def appeal(self, request: AppealRequest, *, timeout: float | None = None, request_id: str | None = None) -> Appeal:
        """Says that a user disagrees with a verdict. Its answer has the appeal as it stands, also where it was made before."""
        options = Options(timeout=timeout, request_id=request_id)
        steps = call(self._settings, ENDPOINTS["appeal"], options, body=request, repeatable=True)
        return cast(Appeal, await self._run(steps))

    async def get_appeals(
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
        return cast(ItemAppeals, await self._run(steps))

    async def get_open_appeals(
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
        return cast(OpenAppeals, await self._run(steps))

    def guard_stream(
        self,
        source: AsyncIterable[str],
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
    ) -> AsyncGenerator[str, None]:
        """Yields what is safe of a text that comes in pieces, such as the answer of a model.

        What comes while a request is under way is the next piece; at most 64 Ki characters are read ahead. After ``break``, the source is closed
        when the loop finds time; ``async with contextlib.aclosing(…)`` waits for it.

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
        return guarded_async(source, guard, lambda piece, seconds: self.check_stream(piece, timeout=seconds))

    async def get_protect(
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
        return cast(ProtectList, await self._run(call(self._settings, ENDPOINTS["get_protect"], options, query=query)))

    async def get_risk(
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
        return cast(UserRisk, await self._run(call(self._settings, ENDPOINTS["get_risk"], options, query=query)))

    async def healthz(
        self,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> Probe:
        """Whether the process makes progress. Needs no key."""
        options = Options(timeout=timeout, request_id=request_id)
        return cast(Probe, await self._run(call(self._settings, ENDPOINTS["healthz"], options)))

    async def readyz(
        self,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
    ) -> Probe:
        """Whether it is ready for traffic. Needs no key."""
        options = Options(timeout=timeout, request_id=request_id)
        return cast(Probe, await self._run(call(self._settings, ENDPOINTS["readyz"], options)))
