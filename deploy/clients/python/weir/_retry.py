"""When a call is tried again, and after how long."""

from __future__ import annotations

import random
import re
from datetime import timezone
from email.utils import parsedate_to_datetime

from .errors import CallTimeout, NetworkError, ProtocolError, ServiceError, WeirError

_FIRST_WAIT = 0.25
_LONGEST_WAIT = 8.0


def worth_retrying(error: WeirError, found: bool) -> bool:
    """Whether another attempt may get another answer.

    ``found``: the service finds the check again by its key, or the request begins no check. Without a key another attempt after a
    504 would begin a second check: the error tells where the result of the first will be.
    """
    if isinstance(error, (NetworkError, CallTimeout)):
        return True
    if isinstance(error, ProtocolError):
        return error.status in (429, 502, 503, 504)
    if not isinstance(error, ServiceError):
        return False
    if error.status == 409:
        return error.retry_after is not None
    return error.status in (429, 503) or (error.status == 504 and found)


def wait_before(attempt: int, error: WeirError) -> float:
    """Seconds to wait after failure number ``attempt`` (from 1).

    As long as the service asks for, up to a tenth longer; else up to twice as long each time. The random part keeps callers that failed
    together from coming back together.
    """
    asked: float | None = getattr(error, "retry_after", None)
    if asked is not None:
        return asked * (1 + random.random() / 10)
    most = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (attempt - 1))
    return most * (0.5 + random.random() / 2)


def parse_retry_after(header: str | None, date: str | None, now: float) -> float | None:
    """Seconds of a ``Retry-After`` header: a number or a date. ``now``: Unix seconds, where the answer has no ``Date``."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    then = _unix(text)
    if then is None:
        return None
    answered = _unix((date or "").strip())
    return max(0.0, then - (now if answered is None else answered))


def _unix(text: str) -> float | None:
    if not re.match(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)", text):
        return None
    try:
        parsed = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)).timestamp()
