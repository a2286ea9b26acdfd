"""The same over asyncio, without threads, so that a call can be cancelled.

Connections belong to the loop that opened them. A client that is used by another loop opens new ones.
"""

from __future__ import annotations

import asyncio
import ssl

from ._call import Origin, Request
from ._http import Answer, AnswerReader, Broken, Garbled, Malformed, Outcome, TimedOut
from ._sockets import code_of


class _Connection(asyncio.Protocol):
    """idle ──ask──> asked ──whole answer──> idle; lost once the server ends it, or sends what nobody asked for."""

    def __init__(self) -> None:
        self.lost = False
        self._transport: asyncio.Transport | None = None
        self._reader: AnswerReader | None = None
        self._answer: asyncio.Future[Answer] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._reader is None or self._answer is None or self._answer.done():
            self.abort()
        else:
            self._feed(self._reader, self._answer, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        if self._reader is None or self._answer is None or self._answer.done():
            return
        if exc is not None:
            self._answer.set_exception(exc)
        else:
            self._feed(self._reader, self._answer, b"")

    def _feed(self, reader: AnswerReader, answer: asyncio.Future[Answer], data: bytes) -> None:
        try:
            reader.feed(data)
        except (Malformed, EOFError) as error:
            answer.set_exception(error)
            return
        if reader.done:
            answer.set_result(reader.answer)

    async def ask(self, data: bytes) -> tuple[Answer, bool]:
        """The answer, and whether the connection can carry another request."""
        reader = AnswerReader()
        self._reader = reader
        self._answer = asyncio.get_running_loop().create_future()
        if self.lost or self._transport is None:
            raise EOFError
        self._transport.write(data)
        answer = await self._answer
        self._reader = None
        return answer, reader.reusable and not self.lost

    def abort(self) -> None:
        self.lost = True
        if self._transport is not None:
            self._transport.abort()


class _OfLoop:
    """What belongs to one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int) -> None:
        self.loop = loop
        self.idle: list[_Connection] = []
        self.free = asyncio.Semaphore(most)


class LoopTransport:
    """``most``: connections at once. Further calls wait for one, within their time."""

    def __init__(self, origin: Origin, context: ssl.SSLContext | None, most: int) -> None:
        self._origin = origin
        self._context = (context or ssl.create_default_context()) if origin.tls else None
        self._most = most
        self._of: _OfLoop | None = None
        self._closed = False

    async def exchange(self, request: Request, seconds: float) -> Outcome:
        loop = asyncio.get_running_loop()
        if self._of is None or self._of.loop is not loop:
            self._of = _OfLoop(loop, self._most)
        try:
            return await asyncio.wait_for(self._within(self._of, request), seconds)
        except asyncio.TimeoutError:
            return TimedOut(seconds)

    def close(self) -> None:
        """Ends the connections that nobody uses, and each other one after its answer."""
        self._closed = True
        of, self._of = self._of, None
        if of is not None and not of.loop.is_closed():
            for connection in of.idle:
                connection.abort()

    async def _within(self, of: _OfLoop, request: Request) -> Outcome:
        async with of.free:
            try:
                return await self._exchange(of, request)
            except Malformed:
                return Garbled()
            except EOFError:
                return Broken("")
            except (OSError, UnicodeError) as error:
                return Broken(code_of(error))

    async def _exchange(self, of: _OfLoop, request: Request) -> Outcome:
        connection = self._take(of) or await self._connect(of.loop)
        try:
            answer, reusable = await connection.ask(request.data)
        except BaseException:
            connection.abort()
            raise
        if reusable and not self._closed:
            of.idle.append(connection)
        else:
            connection.abort()
        return answer

    def _take(self, of: _OfLoop) -> _Connection | None:
        """An idle connection, the one that was used last."""
        while of.idle:
            connection = of.idle.pop()
            if not connection.lost:
                return connection
        return None

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> _Connection:
        host, port = self._origin.host, self._origin.port
        name = host if self._context else None
        _, connection = await loop.create_connection(
            _Connection, host, port, ssl=self._context, server_hostname=name
        )
        return connection
