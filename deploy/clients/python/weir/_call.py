"""One call: a request that is sent until it gets a final answer, or its attempts or its time are used up.

    attempt ──answer, or an error that a retry does not change──> done
       ^   └──other error──> waiting (Retry-After, else longer each time)
       └──────────────────────────┘

A call is a generator: it yields what is to be done, and is sent the outcome. So the client for threads and that for asyncio do the same.
When the next wait would exceed the time limit, the last error is raised at once.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Generator, Mapping
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from ._about import VERSION
from ._endpoints import VERSIONS, Endpoint
from ._http import Answer, Broken, Garbled, Outcome, TimedOut, request_bytes
from ._retry import parse_retry_after, wait_before, worth_retrying
from .errors import CallTimeout, NetworkError, ProtocolError, ServiceError, UsageError, WeirError

T = TypeVar("T")

#: Longest time limit, in seconds.
_MOST_SECONDS = 2_147_483.0
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class Send(NamedTuple):
    """Send this and read the answer, within so many seconds."""

    request: Request
    seconds: float


class Sleep(NamedTuple):
    seconds: float


#: Yields actions and is sent the outcome of each ``Send``.
Steps = Generator["Send | Sleep", "Outcome | None", T]


class Secret:
    """A text that is not shown by accident, such as in the variables of a traceback."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Secret(…)"


class Request:
    """A request as it is sent, which may be more than once."""

    __slots__ = ("data", "has_key")

    def __init__(self, data: bytes, has_key: bool) -> None:
        self.data = data
        #: It has an ``Idempotency-Key``.
        self.has_key = has_key

    def __repr__(self) -> str:
        return f"Request({len(self.data)} bytes)"


class Origin(NamedTuple):
    """Where the service is."""

    tls: bool
    host: str
    port: int


class Settings(NamedTuple):
    """The options of a client, checked."""

    origin: Origin
    #: value of the header ``host``
    authority: str
    #: of the address, without a slash at its end
    base_path: str
    api_key: Secret
    version: str
    timeout: float
    attempt_timeout: float
    retries: int
    idempotency_keys: bool


class Options(NamedTuple):
    """The options of a call."""

    timeout: float | None = None
    request_id: str | None = None
    idempotency_key: str | None = None
    explain: bool = False
    policies: str | None = None
    offsets: str | None = None
    matched: bool = False
    redact: bool | Literal["reversible"] = False


def settings_of(
    url: str,
    api_key: str,
    *,
    version: str | None,
    timeout: float,
    attempt_timeout: float,
    retries: int,
    idempotency_keys: bool,
) -> Settings:
    """Raises ``UsageError``. Its messages repeat neither address nor key: the one may hold a password, the other is one."""
    try:
        address = urlsplit(url)
        port = address.port
        host = (address.hostname or "").encode("idna").decode("ascii")
    except (ValueError, AttributeError, UnicodeError):
        raise UsageError("url: expected http://host:port or https://host:port, without user and password.") from None
    if address.scheme not in ("http", "https") or host == "" or "@" in address.netloc:
        raise UsageError("url: expected http://host:port or https://host:port, without user and password.")
    if address.query or address.fragment or "?" in url or "#" in url:
        raise UsageError("url: expected no query and no fragment.")
    if not isinstance(api_key, str) or not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise UsageError("api_key: expected visible ASCII characters, as weir keys create printed them.")
    if version is not None and version not in VERSIONS:
        raise UsageError(f"version: expected one of {', '.join(VERSIONS)}.")
    for name, seconds in (("timeout", timeout), ("attempt_timeout", attempt_timeout)):
        _check_seconds(name, seconds)
    if not isinstance(retries, int) or not 0 <= retries <= 100:
        raise UsageError("retries: expected a whole number from 0 to 100.")
    tls = address.scheme == "https"
    usual = 443 if tls else 80
    named = f"[{host}]" if ":" in host else host
    return Settings(
        origin=Origin(tls, host, usual if port is None else port),
        authority=named if port in (None, usual) else f"{named}:{port}",
        base_path=quote(address.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._"),
        api_key=Secret(api_key),
        version=version or VERSIONS[-1],
        timeout=timeout,
        attempt_timeout=attempt_timeout,
        retries=retries,
        idempotency_keys=idempotency_keys,
    )


def _check_seconds(name: str, seconds: float) -> None:
    if not isinstance(seconds, (int, float)) or not 0 < seconds <= _MOST_SECONDS:
        raise UsageError(f"{name}: expected seconds, more than 0 and at most {_MOST_SECONDS:.0f}.")


def call(
    settings: Settings,
    endpoint: Endpoint,
    options: Options,
    *,
    path_id: str = "",
    query: Mapping[str, object] | None = None,
    body: object = None,
    repeatable: bool = False,
) -> Steps[Any]:
    """Makes a call. Returns the parsed answer, or raises a ``WeirError``.

    ``repeatable``: the service knows a POST again by its body, or checks nothing, so it needs no ``Idempotency-Key``.
    """
    _check_options(options)
    if repeatable:
        settings = settings._replace(idempotency_keys=False)
    request = _prepare(settings, endpoint, options, path_id, query or {}, body)
    # A GET begins no check. The check of a POST is found again by its key alone.
    found = endpoint.method == "GET" or request.has_key or repeatable
    until = time.monotonic() + (settings.timeout if options.timeout is None else options.timeout)
    attempts = 0
    while True:
        attempts += 1
        left = max(0.0, until - time.monotonic())
        outcome = yield Send(request, min(left, settings.attempt_timeout))
        result = interpret(outcome)
        if not isinstance(result, WeirError):
            return result
        result.attempts = attempts
        wait = wait_before(attempts, result)
        if attempts > settings.retries or not worth_retrying(result, found):
            raise result
        # Waiting would be useless: there is no time left for another attempt.
        if wait >= until - time.monotonic():
            raise result
        yield Sleep(wait)


def _check_options(options: Options) -> None:
    if options.idempotency_key is not None and not _KEY.fullmatch(options.idempotency_key):
        raise UsageError("idempotency_key: expected 1 to 255 visible ASCII characters.")
    if options.request_id is not None and not _REQUEST_ID.fullmatch(options.request_id):
        raise UsageError('request_id: expected 1 to 128 letters, digits, ".", "_", ":" and "-".')
    if options.policies not in (None, "all", "flagged"):
        raise UsageError('policies: expected "all" or "flagged".')
    if options.offsets not in (None, "utf16", "codepoints", "bytes"):
        raise UsageError('offsets: expected "utf16", "codepoints" or "bytes".')
    if options.timeout is not None:
        _check_seconds("timeout", options.timeout)


def _prepare(
    settings: Settings,
    endpoint: Endpoint,
    options: Options,
    path_id: str,
    query: Mapping[str, object],
    body: object,
) -> Request:
    headers = {
        "host": settings.authority,
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": f"weir-client-python/{VERSION}",
    }
    if endpoint.keyed:
        headers["authorization"] = f"Bearer {settings.api_key.value}"
    if endpoint.versions:
        # The client's version, or the newest of an endpoint that does not have it.
        known = settings.version in endpoint.versions
        headers["service-version"] = settings.version if known else endpoint.versions[-1]
    if options.request_id is not None:
        headers["x-request-id"] = options.request_id
    content: bytes | None = None
    if endpoint.method == "POST":
        headers["content-type"] = "application/json"
        key = options.idempotency_key or (str(uuid.uuid4()) if settings.idempotency_keys else None)
        if key is not None:
            headers["idempotency-key"] = key
        content = _json_bytes(body)
    path = re.sub(r"\{\w+\}$", lambda _: quote(_well_formed(path_id), safe=""), endpoint.path)
    search = _search({**query, **_view(endpoint, options)})
    target = settings.base_path + path + search
    return Request(request_bytes(endpoint.method, target, headers, content), "idempotency-key" in headers)


def _view(endpoint: Endpoint, options: Options) -> dict[str, object]:
    view: dict[str, object] = {}
    if endpoint.views:
        # Strings of Python are code points. Any unit but the default asks for evidence, so it is named only where that is wanted.
        wanted = options.explain or options.matched
        offsets = options.offsets or ("codepoints" if wanted else None)
        view = {
            "explain": options.explain or None,
            "policies": options.policies,
            "offsets": offsets,
            "matched": options.matched or None,
        }
    if endpoint.redacts:
        view["redact"] = options.redact or None
    return view


def _search(parameters: Mapping[str, object]) -> str:
    pairs = [(name, _text(value)) for name, value in parameters.items() if value is not None]
    return f"?{urlencode(pairs, quote_via=quote, safe='')}" if pairs else ""


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _well_formed(str(value))


def _well_formed(text: str) -> str:
    """Without surrogates that have no other half: these have no UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _json_bytes(body: object) -> bytes:
    try:
        try:
            return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:
            return json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):
        raise UsageError("The body cannot be written as JSON.") from None


def interpret(outcome: Outcome | None) -> Any:
    """The value of a 200, else the error of the answer."""
    if isinstance(outcome, TimedOut):
        return CallTimeout(outcome.seconds)
    if isinstance(outcome, Broken):
        return NetworkError(outcome.code)
    if not isinstance(outcome, Answer):
        message = "The answer is not HTTP, or too large: it may be another server's. Check the address of the client."
        return ProtocolError(message, 0)
    status, headers = outcome.status, outcome.headers
    value = _parsed(outcome.body)
    if status == 200 and value is not None:
        return value
    retry_after = parse_retry_after(headers.get("retry-after"), headers.get("date"), time.time())
    error = _error_in(value) if status != 200 else None
    if error is not None:
        return ServiceError(error, status, headers.get("x-request-id", ""), retry_after)
    what = "is not a JSON object" if status == 200 else f"has status {status} and not the body of an error"
    message = f"The answer {what}: it may be another server's. Check the address of the client."
    return ProtocolError(message, status, retry_after)


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _error_in(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """A server in between may send an ``error`` of its own. Those of the service have all of these members."""
    error = (value or {}).get("error")
    if not isinstance(error, dict) or not all(isinstance(error.get(name), str) for name in ("type", "code", "message")):
        return None
    lists = all(error.get(name) is None or isinstance(error[name], list) for name in ("issues", "items"))
    return error if lists else None
