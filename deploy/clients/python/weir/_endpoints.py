"""The endpoints that a client calls. Made from the OpenAPI document (CONTRIBUTING.md says how): changes by hand are lost."""

from __future__ import annotations

from typing import NamedTuple


class Endpoint(NamedTuple):
    method: str
    #: The last segment may be a parameter.
    path: str
    #: Values of ``service-version``, oldest first; empty: none is needed.
    versions: tuple[str, ...]
    #: Names of all parameters of the query.
    query: tuple[str, ...]
    #: It needs the API key.
    keyed: bool
    #: The answer has policies, which the query may ask to be explained.
    views: bool
    #: The query may ask for redacted content.
    redacts: bool


VERSIONS = ("2025-12-01", "2026-04-15", "2026-06-01")
EVENT_TYPES = ("message", "artifact", "tool", "function", "agent", "reasoning")
EVENTS_PER_BATCH = 50
DECLARATIONS_PER_BATCH = 500

ENDPOINTS: dict[str, Endpoint] = {
    "check_events": Endpoint(
        "POST",
        "/api/events",
        versions=("2026-06-01",),
        query=("explain", "policies", "offsets", "matched", "redact"),
        keyed=True,
        views=True,
        redacts=True,
    ),
    "check_event": Endpoint(
        "POST",
        "/api/event",
        versions=("2026-06-01",),
        query=("explain", "policies", "offsets", "matched", "redact"),
        keyed=True,
        views=True,
        redacts=True,
    ),
    "find_event": Endpoint(
        "GET",
        "/api/event",
        versions=("2026-06-01",),
        query=("environment_id", "run_id", "event_id", "type", "labels", "explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "get_event": Endpoint(
        "GET",
        "/api/event/{internal_event_id}",
        versions=("2026-06-01",),
        query=("environment_id", "labels", "explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "get_run_graph": Endpoint(
        "GET",
        "/api/run/graph",
        versions=("2026-06-01",),
        query=("environment_id", "run_id", "limit", "cursor"),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "check_session": Endpoint(
        "POST",
        "/api/session/check",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("explain", "policies", "offsets", "matched", "redact"),
        keyed=True,
        views=True,
        redacts=True,
    ),
    "create_session": Endpoint(
        "POST",
        "/api/session",
        versions=("2026-04-15", "2026-06-01"),
        query=("explain", "policies", "offsets", "matched", "redact"),
        keyed=True,
        views=True,
        redacts=True,
    ),
    "find_session": Endpoint(
        "GET",
        "/api/session",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("external_session_id", "deployment_id", "labels", "explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "get_session": Endpoint(
        "GET",
        "/api/session/{internal_session_id}",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("deployment_id", "labels", "explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "check_stream": Endpoint(
        "POST",
        "/api/stream/check",
        versions=("2026-06-01",),
        query=("explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "restore": Endpoint(
        "POST",
        "/api/restore",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=(),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "get_protect": Endpoint(
        "GET",
        "/api/protect/get_by_id",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("deployment_id", "internal_id", "external_id", "include_policy_names", "explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "check_artifact": Endpoint(
        "POST",
        "/api/artifact",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "get_artifact": Endpoint(
        "GET",
        "/api/artifact/get_by_id",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("internal_artifact_id", "external_artifact_id", "deployment_id", "labels", "explain", "policies", "offsets", "matched"),
        keyed=True,
        views=True,
        redacts=False,
    ),
    "get_risk": Endpoint(
        "GET",
        "/api/radar/risk",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("email", "id"),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "label": Endpoint(
        "POST",
        "/api/label",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=(),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "get_label_queue": Endpoint(
        "GET",
        "/api/label/queue",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("days", "policy", "reviewer", "limit"),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "appeal": Endpoint(
        "POST",
        "/api/appeal",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=(),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "get_appeals": Endpoint(
        "GET",
        "/api/appeal",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("internal_event_id", "internal_session_id", "internal_artifact_id", "environment_id", "deployment_id"),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "get_open_appeals": Endpoint(
        "GET",
        "/api/appeal/open",
        versions=("2025-12-01", "2026-04-15", "2026-06-01"),
        query=("policy", "limit", "after"),
        keyed=True,
        views=False,
        redacts=False,
    ),
    "healthz": Endpoint(
        "GET",
        "/healthz",
        versions=(),
        query=(),
        keyed=False,
        views=False,
        redacts=False,
    ),
    "readyz": Endpoint(
        "GET",
        "/readyz",
        versions=(),
        query=(),
        keyed=False,
        views=False,
        redacts=False,
    ),
}
