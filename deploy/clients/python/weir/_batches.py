"""Sends any number of events in batches of the size that the service takes, and joins their answers.

The next batch is sent when the one before is answered. So all batches behave like one: events are checked in order, each sees the earlier
ones as context, and a reference may name any earlier event.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ._call import Options, Settings, Steps, call
from ._endpoints import DECLARATIONS_PER_BATCH, ENDPOINTS, EVENT_TYPES, EVENTS_PER_BATCH
from .errors import ProtocolError, ServiceError, UsageError, WeirError

#: Longest key that a number can be appended to.
_MOST_NUMBERED = 240


def send_events(settings: Settings, request: Mapping[str, Any], options: Options) -> Steps[Any]:
    """Checks all events of ``request``. The time limit counts for each batch."""
    events = request.get("events") if isinstance(request, Mapping) else None
    if isinstance(events, (str, bytes)) or not isinstance(events, Sequence):
        raise UsageError("events: expected a list of events.")
    batches = _split(events)
    if len(batches) < 2:
        return (yield from _send_batch(settings, request, options))
    key = options.idempotency_key
    if key is not None and len(key) > _MOST_NUMBERED:
        raise UsageError(f"idempotency_key: expected at most {_MOST_NUMBERED} characters for more than one batch.")
    common = dict(request)
    # The service would generate a run for each batch. Events that belong together must share one.
    if not request.get("run_id") and not all(_member(event, "run_id") for event in events):
        common["run_id"] = f"run_{uuid.uuid4().hex}"
    joined = _Joined()
    for number, batch in enumerate(batches, 1):
        numbered = options if key is None else options._replace(idempotency_key=f"{key}-{number}")
        try:
            answer = yield from _send_batch(settings, {**common, "events": batch}, numbered)
        except WeirError as error:
            if number > 1:
                _shift(error, len(joined.order))
                error.checked = joined.response()
            raise
        joined.add(answer)
    return joined.response()


def _member(event: object, name: str) -> Any:
    return event.get(name) if isinstance(event, Mapping) else None


def _send_batch(settings: Settings, request: Mapping[str, Any], options: Options) -> Steps[Any]:
    answer = yield from call(settings, ENDPOINTS["check_events"], options, body=request)
    if _is_answer(answer):
        return answer
    error = ProtocolError(
        "The answer is not that of a batch: it may be another server's. Check the address of the client.", 200
    )
    error.attempts = 1
    raise error


def _is_answer(answer: Mapping[str, Any]) -> bool:
    """Whether an answer has everything that joining reads."""
    results, order = answer.get("results"), answer.get("order")
    if not isinstance(answer.get("flagged"), bool) or not isinstance(results, dict) or not isinstance(order, list):
        return False
    if not isinstance(answer.get("failed"), int) or not all(isinstance(results.get(kind), dict) for kind in EVENT_TYPES):
        return False
    return all(
        isinstance(entry, dict) and isinstance(entry.get("event_id"), str) and entry.get("type") in EVENT_TYPES
        for entry in order
    )


def _split(events: Sequence[Any]) -> list[list[Any]]:
    """Batches of at most 50 events and 500 declared parents and links."""
    batches: list[list[Any]] = []
    declared = 0
    for event in events:
        links = _member(event, "links")
        here = (1 if _member(event, "parent") else 0) + (len(links) if isinstance(links, (list, tuple)) else 0)
        declared += here
        if not batches or len(batches[-1]) == EVENTS_PER_BATCH or declared > DECLARATIONS_PER_BATCH:
            batches.append([event])
            declared = here
        else:
            batches[-1].append(event)
    return batches


class _Joined:
    """The answers so far."""

    def __init__(self) -> None:
        self.order: list[dict[str, Any]] = []
        self._results: dict[str, dict[str, Any]] = {kind: {} for kind in EVENT_TYPES}
        #: the entry of ``order`` whose result is in the bucket
        self._holders: dict[tuple[str, str], dict[str, Any]] = {}
        self._flagged = False
        self._failed = 0

    def add(self, answer: Mapping[str, Any]) -> None:
        self._flagged = self._flagged or answer["flagged"]
        self._failed += answer["failed"]
        for entry in answer["order"]:
            self._take(entry, answer["results"])

    def _take(self, entry: Mapping[str, Any], results: Mapping[str, Any]) -> None:
        kind, event_id = entry["type"], entry["event_id"]
        moved = {**entry, "index": len(self.order)}
        self.order.append(moved)
        # An entry with a `result` has lost its place in the bucket to a later entry of its own batch.
        if entry.get("result") is not None or event_id not in results[kind]:
            return
        holder = self._holders.get((kind, event_id))
        if holder is not None:
            holder["result"] = self._results[kind][event_id]
        self._results[kind][event_id] = results[kind][event_id]
        self._holders[(kind, event_id)] = moved

    def response(self) -> Any:
        runs = {entry.get("run_id") for entry in self.order}
        run = {"run_id": runs.pop()} if len(runs) == 1 and None not in runs else {}
        return {"flagged": self._flagged, "failed": self._failed, **run, "results": self._results, "order": self.order}


def _shift(error: WeirError, offset: int) -> None:
    """Gives the error of a later batch the positions of its events in the whole list."""
    if not isinstance(error, ServiceError):
        return

    def move(text: str) -> str:
        return re.sub(r"^events\[(\d+)\]", lambda found: f"events[{int(found[1]) + offset}]", text)

    error.message = move(error.message)
    error.args = (error.message,)
    if error.param is not None:
        error.param = move(error.param)
    error.issues = [{**issue, "path": move(issue["path"])} for issue in error.issues]
    if error.items is not None:
        error.items = [{**item, "index": item["index"] + offset} for item in error.items]
