"""Hands on what is safe of a text that comes in pieces.

    source ──pieces──> unsent ──one request at a time──> sent ──safe_until──> consumer

However it ends, the source is closed, and so is the stream at the service, with what it has of it.
"""

from __future__ import annotations

import asyncio
import inspect
import uuid
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Generator, Iterable, Mapping
from typing import Any, cast

from .errors import ProtocolError, ServiceError, UsageError, WeirError, WeirViolation
from .types import StreamRequest, StreamResult

#: Characters of a piece at most, and of what asyncio reads ahead.
_MOST_CHARACTERS = 64 * 1024
#: Without asyncio nothing is read while a request is under way, so small pieces are gathered first.
_GATHERED = 40
_ENDS = (".", "!", "?", "…", ":", "\n", "。", "！", "？")
#: For the last piece of a stream that ends early, and for a source to end.
_CLOSING_SECONDS = 5.0

Check = Callable[[StreamRequest, "float | None"], StreamResult]
AsyncCheck = Callable[[StreamRequest, "float | None"], Awaitable[StreamResult]]


class Guard:
    """What is known of a stream. Holds what was not handed on yet, which the service bounds by the size of a stream."""

    def __init__(
        self, common: Mapping[str, object], stream_id: str | None, wait_for: str, timeout: float | None
    ) -> None:
        if wait_for not in ("fast", "all"):
            raise UsageError('wait_for: expected "fast" or "all".')
        self.timeout = timeout
        self.final = False
        self._common = {name: value for name, value in common.items() if value is not None}
        self._common["stream_id"] = f"stream_{uuid.uuid4().hex}" if stream_id is None else stream_id
        self._waits_for_all = wait_for == "all"
        self._sequence = 0
        self._unsent = ""
        #: what was sent, from what was handed on to
        self._held = ""
        self._handed_on = 0
        #: the piece that is not answered
        self._asked: StreamRequest | None = None
        self._lost = False

    @property
    def is_due(self) -> bool:
        """Whether enough has come for a piece."""
        return len(self._unsent) >= _GATHERED or self._unsent.rstrip(" ").endswith(_ENDS)

    def add(self, text: object) -> None:
        if not isinstance(text, str):
            raise UsageError(f"source: expected pieces of text (str), and got {type(text).__name__}.")
        self._unsent += text

    def next_piece(self, ended: bool) -> StreamRequest | None:
        """``ended``: nothing else comes. None: there is nothing to send."""
        delta, rest = self._unsent[:_MOST_CHARACTERS], self._unsent[_MOST_CHARACTERS:]
        final = ended and not rest
        if not delta and (not final or self._sequence == 0):
            return None
        self._asked = self._piece(self._sequence, delta, final)
        self._unsent = rest
        return self._asked

    def take(self, answer: StreamResult) -> str:
        """What can be handed on now. Raises ``WeirViolation``."""
        asked = self._asked
        assert asked is not None
        if not _is_answer(answer):
            self._lost = True
            message = "The answer is not that of a stream: it may be another server's. Check the address of the client."
            raise ProtocolError(message, 200)
        self._asked = None
        self._sequence += 1
        self._held += asked["delta"] or ""
        self.final = bool(asked.get("final"))
        if answer["flagged"]:
            raise WeirViolation(answer)
        count = answer["safe_until"] - self._handed_on
        if self.final:
            count = len(self._held)
        elif self._waits_for_all and answer["delayed_policies"]:
            count = 0
        safe = self._held[: max(0, count)]
        self._held = self._held[len(safe) :]
        self._handed_on += len(safe)
        return safe

    def fail(self, error: WeirError) -> None:
        """The piece was not answered. Some errors say that it was not taken; else the service ends the stream by itself."""
        if isinstance(error, ServiceError) and error.status in (400, 429):
            self._asked = None
        else:
            self._lost = True

    def closing(self) -> list[StreamRequest]:
        """What ends the stream early: the piece in doubt again, which the service knows, and a last one without text."""
        asked = self._asked
        if self.final or self._lost or (self._sequence == 0 and asked is None):
            return []
        if asked is None:
            return [self._piece(self._sequence, "", True)]
        return [asked] if asked.get("final") else [asked, self._piece(self._sequence + 1, "", True)]

    def _piece(self, sequence: int, delta: str, final: bool) -> StreamRequest:
        piece = {**self._common, "sequence": sequence, "delta": delta, **({"final": True} if final else {})}
        return cast(StreamRequest, piece)


def _is_answer(answer: Mapping[str, Any]) -> bool:
    types = {"flagged": bool, "safe_until": int, "policies": dict, "delayed_policies": list}
    return all(isinstance(answer.get(name), of) for name, of in types.items())


def guarded(source: Iterable[str], guard: Guard, check: Check) -> Generator[str, None, None]:
    ended = False
    try:
        for text in source:
            guard.add(text)
            while guard.is_due:
                yield from _asked(guard, check, ended)
        ended = True
        while not guard.final and (yield from _asked(guard, check, ended)):
            pass
    finally:
        try:
            close = None if ended else getattr(source, "close", None)
            if callable(close):
                close()
        finally:
            _end(guard, check)


def _end(guard: Guard, check: Check) -> None:
    try:
        for piece in guard.closing():
            check(piece, _CLOSING_SECONDS)
    except WeirError:
        pass


def _asked(guard: Guard, check: Check, ended: bool) -> Generator[str, None, bool]:
    """Sends a piece. Returns whether there was one."""
    piece = guard.next_piece(ended)
    if piece is None:
        return False
    try:
        answer = check(piece, guard.timeout)
    except WeirError as error:
        guard.fail(error)
        raise
    safe = guard.take(answer)
    if safe:
        yield safe
    return True


class _Reader:
    """Reads a source in a task of its own, and closes it there, since some sources belong to the task that reads them."""

    def __init__(self) -> None:
        self.ended = False
        self.error: BaseException | None = None
        self._texts: list[str] = []
        self._length = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    async def run(self, source: AsyncIterable[str]) -> None:
        try:
            async for text in source:
                self._texts.append(text)
                self._length += max(1, len(text)) if isinstance(text, str) else 1
                self._news.set()
                if self._length >= _MOST_CHARACTERS:
                    self._room.clear()
                    await self._room.wait()
            self.ended = True
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._news.set()
            if not self.ended:
                await _close(source)

    async def take(self) -> list[str]:
        """What has come, once something has, or the source has ended. Raises its error."""
        await self._news.wait()
        if self.error is not None:
            raise self.error
        texts, self._texts, self._length = self._texts, [], 0
        if not self.ended:
            self._news.clear()
        self._room.set()
        return texts


async def _close(source: object) -> None:
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    closed = close() if callable(close) else None
    if inspect.isawaitable(closed):
        await closed


async def guarded_async(source: AsyncIterable[str], guard: Guard, check: AsyncCheck) -> AsyncGenerator[str, None]:
    reader = _Reader()
    task = asyncio.ensure_future(reader.run(source))
    try:
        while not guard.final:
            for text in await reader.take():
                guard.add(text)
            piece = guard.next_piece(reader.ended)
            if piece is None:
                if reader.ended:
                    return
                continue
            try:
                answer = await check(piece, guard.timeout)
            except WeirError as error:
                guard.fail(error)
                raise
            safe = guard.take(answer)
            if safe:
                yield safe
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=_CLOSING_SECONDS)
        if task.done() and not task.cancelled():
            # It was raised already, or came when nobody wanted more.
            task.exception()
        try:
            for piece in guard.closing():
                await check(piece, _CLOSING_SECONDS)
        except WeirError:
            pass
