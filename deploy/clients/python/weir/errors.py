"""What calls raise. No error has the API key or anything that was sent in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .types import EventsResponse, Issue, StreamResult


class WeirError(Exception):
    """A call has failed. Told apart by class, or by ``type``."""

    #: A ``type`` of the service's errors, or that of a subclass.
    type = ""
    message: str
    #: How many requests were sent.
    attempts: int
    #: Of ``check_events``: the answer to the events of earlier batches. None where the first one failed.
    checked: EventsResponse | None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.attempts = 0
        self.checked = None


class ServiceError(WeirError):
    """The service answered with an error."""

    #: One of the service's codes, such as ``validation_failed``.
    code: str
    #: HTTP status.
    status: int
    request_id: str
    #: The offending field or parameter.
    param: str | None
    #: Of ``wrong_region``: the region that the id is of.
    region: str | None
    #: Everything that is wrong with the request; empty where the service names nothing.
    issues: list[Issue]
    #: Seconds after which to try again.
    retry_after: float | None
    #: 504 of a single check: where its result will be.
    result: dict[str, Any] | None
    #: 504 of a batch: the results to come.
    items: list[dict[str, Any]] | None

    def __init__(self, error: dict[str, Any], status: int, request_id: str, retry_after: float | None) -> None:
        super().__init__(error["message"])
        self.type = error["type"]
        self.code = error["code"]
        self.status = status
        self.request_id = request_id or str(error.get("request_id") or "")
        self.param = error.get("param")
        self.region = error.get("region")
        self.issues = error.get("issues") or []
        self.retry_after = retry_after
        self.result = error.get("result")
        self.items = error.get("items")


class NetworkError(WeirError):
    """The service was not reached, or its answer was cut off."""

    type = "network_error"
    #: Of the operating system or of TLS, such as ``ECONNREFUSED``, or ''.
    code: str

    def __init__(self, code: str) -> None:
        told = f" ({code})" if code else ""
        super().__init__(f"The service could not be reached, or broke off its answer{told}.")
        self.code = code


class CallTimeout(WeirError, TimeoutError):
    """The time limit was reached. A check that was accepted goes on."""

    type = "timeout_error"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The service did not answer within {seconds:.3g} s.")


class ProtocolError(WeirError):
    """The answer is not one of this service: a proxy's page, or not JSON."""

    type = "protocol_error"
    #: HTTP status; 0 where there was none.
    status: int
    retry_after: float | None

    def __init__(self, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class UsageError(WeirError, ValueError):
    """The call cannot be made: arguments that are not JSON, or an option out of range. Nothing was sent."""

    type = "usage_error"


class WeirViolation(Exception):
    """A guarded text violates a policy. It is no ``WeirError``: the call has not failed."""

    #: The verdict: ``policies`` has those that are violated.
    answer: StreamResult
    #: Names of the policies that are violated.
    violated: list[str]

    def __init__(self, answer: StreamResult) -> None:
        self.answer = answer
        self.violated = [policy["name"] for policy in answer["policies"].values() if policy["flagged"]]
        super().__init__(f"The text violates {', '.join(self.violated) or 'a policy'}.")
