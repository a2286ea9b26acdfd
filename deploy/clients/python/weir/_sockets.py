"""Sends requests over connections that are kept and used again, from any number of threads.

Proxies that the environment names are not used, and redirects are not followed: both would take the key elsewhere.
"""

from __future__ import annotations

import errno
import os
import re
import select
import socket
import ssl
import threading
import time

from ._call import Origin, Request
from ._http import AnswerReader, Broken, Garbled, Malformed, Outcome, TimedOut

_PIECE = 256 * 1024


class SocketTransport:
    """Safe for threads. ``most_idle``: connections that are kept while nobody uses them."""

    def __init__(self, origin: Origin, context: ssl.SSLContext | None, most_idle: int) -> None:
        self._origin = origin
        self._context = (context or ssl.create_default_context()) if origin.tls else None
        self._most_idle = most_idle
        self._idle: list[socket.socket] = []
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._closed = False

    def exchange(self, request: Request, seconds: float) -> Outcome:
        deadline = time.monotonic() + seconds
        connection: socket.socket | None = None
        reader = AnswerReader()
        try:
            connection = self._take() or self._connect(deadline)
            self._send(connection, request.data, deadline, reader)
            while not reader.done:
                connection.settimeout(_left(deadline))
                reader.feed(connection.recv(_PIECE))
        except (TimeoutError, socket.timeout):
            _close(connection)
            return TimedOut(seconds)
        except Malformed:
            _close(connection)
            return Garbled()
        except EOFError:
            _close(connection)
            return Broken("")
        except (OSError, UnicodeError) as error:
            _close(connection)
            return Broken(code_of(error))
        except BaseException:
            _close(connection)
            raise
        if reader.reusable:
            self._keep(connection)
        else:
            _close(connection)
        return reader.answer

    def close(self) -> None:
        """Ends the connections that nobody uses, and each other one after its answer."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            _close(connection)

    def _send(self, connection: socket.socket, data: bytes, deadline: float, reader: AnswerReader) -> None:
        connection.settimeout(_left(deadline))
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            # A server may refuse a body before it has read all of it: then its answer is there.
            while not reader.done:
                connection.settimeout(_left(deadline))
                reader.feed(connection.recv(_PIECE))

    def _take(self) -> socket.socket | None:
        """An idle connection, the one that was used last."""
        while True:
            with self._lock:
                if self._process != os.getpid():
                    # After a fork: these are the other process's, too.
                    self._process = os.getpid()
                    self._idle = []
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if not _is_readable(connection):
                return connection
            # The server has ended it, or has sent what nobody asked for.
            _close(connection)

    def _keep(self, connection: socket.socket) -> None:
        with self._lock:
            if not self._closed and self._process == os.getpid() and len(self._idle) < self._most_idle:
                self._idle.append(connection)
                return
        _close(connection)

    def _connect(self, deadline: float) -> socket.socket:
        host, port = self._origin.host, self._origin.port
        last: OSError | None = None
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM):
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(_left(deadline))
                connection.connect(address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._context is None:
                    return connection
                connection.settimeout(_left(deadline))
                return self._context.wrap_socket(connection, server_hostname=host)
            except OSError as error:
                _close(connection)
                if isinstance(error, (TimeoutError, ssl.SSLError)):
                    raise
                last = error
            except BaseException:
                _close(connection)
                raise
        raise last or OSError(errno.EHOSTUNREACH, "")


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _is_readable(connection: socket.socket) -> bool:
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(connection, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([connection], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _close(connection: socket.socket | None) -> None:
    if connection is not None:
        try:
            connection.close()
        except OSError:
            pass


def code_of(error: BaseException) -> str:
    """A code such as ``ECONNREFUSED``, or ''. Never a message, which may quote what was sent."""
    reason = getattr(error, "reason", None)
    if isinstance(error, ssl.SSLError) and isinstance(reason, str) and re.fullmatch(r"[A-Z0-9_]{1,40}", reason):
        return reason
    if isinstance(error, socket.gaierror):
        names = [name for name in dir(socket) if name.startswith("EAI_") and getattr(socket, name) == error.errno]
        return names[0] if names else ""
    number = getattr(error, "errno", None)
    return errno.errorcode.get(number, "") if isinstance(number, int) else ""
