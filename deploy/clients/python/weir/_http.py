"""HTTP/1.1 without input and output: requests as bytes, and answers from the bytes that come. Both transports use it."""

from __future__ import annotations

import re
from typing import NamedTuple

#: Larger than any answer of the service. Beyond this an answer is not read further.
MOST_BODY = 64 * 1024 * 1024
_MOST_HEAD = 64 * 1024
_MOST_LINE = 1024
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Malformed(Exception):
    """What came is not an answer in HTTP/1.1, or is larger than any answer of the service."""


class Answer(NamedTuple):
    """What a server sent. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Broken(NamedTuple):
    """There was no answer. ``code`` is that of the operating system or of TLS, or ''."""

    code: str


class TimedOut(NamedTuple):
    """There was no answer within so many seconds."""

    seconds: float


class Garbled(NamedTuple):
    """There was something else than an answer."""


Outcome = Answer | Broken | TimedOut | Garbled


def request_bytes(method: str, target: str, headers: dict[str, str], body: bytes | None) -> bytes:
    """The whole request. Names and values of headers must have been checked."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body is not None:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


class AnswerReader:
    """Reads one answer.

    head ──length──> counted ──────────────> done
      ^  ├──chunked──> size ─> chunk ─> … ─> trailers ──> done
      │  └──neither──> until the connection ends ──> done
      └── an interim answer (1xx)
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._body = bytearray()
        self._state = "head"
        self._left = 0
        self._status = 0
        self._headers: dict[str, str] = {}
        self._keeps = False

    @property
    def done(self) -> bool:
        return self._state == "done"

    @property
    def reusable(self) -> bool:
        """Whether the connection can carry another request, once this is done."""
        return self.done and self._keeps and not self._buffer

    @property
    def answer(self) -> Answer:
        return Answer(self._status, self._headers, bytes(self._body))

    def feed(self, data: bytes) -> None:
        """Takes what came; ``b''`` where the connection has ended. Raises ``Malformed``, and ``EOFError`` where it ended too early."""
        if data == b"":
            if self._state != "close":
                raise EOFError
            self._state = "done"
            return
        self._buffer += data
        steps = {
            "head": self._read_head,
            "counted": self._read_counted,
            "close": self._read_rest,
            "size": self._read_size,
            "chunk": self._read_chunk,
            "trailers": self._read_trailers,
        }
        while self._state != "done" and steps[self._state]():
            pass

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MOST_HEAD:
                raise Malformed
            return False
        status_line, *lines = bytes(self._buffer[:end]).split(b"\r\n")
        del self._buffer[: end + 4]
        status = _STATUS.fullmatch(status_line)
        if status is None:
            raise Malformed
        self._status = int(status[2])
        self._headers = _headers_in(lines)
        if self._status < 200:
            if self._status == 101:
                raise Malformed
            return True
        tokens = [token.strip() for token in self._headers.get("connection", "").lower().split(",")]
        self._keeps = status[1] == b"1" and "close" not in tokens
        self._choose_body()
        return True

    def _choose_body(self) -> None:
        coding = self._headers.get("transfer-encoding")
        length = self._headers.get("content-length")
        if self._status in (204, 304):
            self._state = "done"
        elif coding is not None:
            if coding.strip().lower() != "chunked":
                raise Malformed
            # Two statements about the end: the connection is not trusted with another answer.
            self._keeps = self._keeps and length is None
            self._state = "size"
        elif length is not None:
            if not re.fullmatch(r"[0-9]{1,15}", length):
                raise Malformed
            self._left = int(length)
            self._hold(self._left)
            self._state = "counted" if self._left > 0 else "done"
        else:
            self._keeps = False
            self._state = "close"

    def _hold(self, more: int) -> None:
        if len(self._body) + more > MOST_BODY:
            raise Malformed

    def _take(self, most: int) -> int:
        """Moves up to ``most`` bytes into the body."""
        taken = self._buffer[:most]
        self._hold(len(taken))
        self._body += taken
        del self._buffer[: len(taken)]
        return len(taken)

    def _read_counted(self) -> bool:
        self._left -= self._take(self._left)
        if self._left > 0:
            return False
        self._state = "done"
        return True

    def _read_rest(self) -> bool:
        self._take(len(self._buffer))
        return False

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if end < 0 or end > _MOST_LINE:
            if len(self._buffer) > _MOST_LINE:
                raise Malformed
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _read_size(self) -> bool:
        line = self._line()
        if line is None:
            return False
        size = re.fullmatch(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", line)
        if size is None:
            raise Malformed
        self._left = int(size[1], 16)
        self._hold(self._left)
        self._state = "chunk" if self._left > 0 else "trailers"
        return True

    def _read_chunk(self) -> bool:
        if self._left > 0:
            self._left -= self._take(self._left)
        if self._left > 0 or len(self._buffer) < 2:
            return False
        if self._buffer[:2] != b"\r\n":
            raise Malformed
        del self._buffer[:2]
        self._state = "size"
        return True

    def _read_trailers(self) -> bool:
        line = self._line()
        if line is None:
            return False
        if line == b"":
            self._state = "done"
        return True


def _headers_in(lines: list[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if colon == b"" or not _NAME.fullmatch(name):
            raise Malformed
        key = name.decode("ascii").lower()
        text = value.strip(b" \t").decode("latin-1")
        if key == "content-length" and headers.get(key, text) != text:
            raise Malformed
        headers[key] = text if key not in headers or key == "content-length" else f"{headers[key]}, {text}"
    return headers
