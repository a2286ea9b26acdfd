"""A client of Weir, a service that checks content against policies."""

from ._about import VERSION as __version__
from .async_client import AsyncClient
from .client import Client
from .errors import CallTimeout, NetworkError, ProtocolError, ServiceError, UsageError, WeirError, WeirViolation

__all__ = [
    "AsyncClient",
    "CallTimeout",
    "Client",
    "NetworkError",
    "ProtocolError",
    "ServiceError",
    "UsageError",
    "WeirError",
    "WeirViolation",
    "__version__",
]
