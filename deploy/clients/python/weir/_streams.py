"""Streams: texts that are checked while they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._call import Options, Settings, Steps, call
from ._endpoints import ENDPOINTS


def send_piece(settings: Settings, piece: Mapping[str, Any], options: Options) -> Steps[Any]:
    """Checks a piece. Without another wish ``safe_until`` counts code points, as strings of Python do."""
    counted = options._replace(offsets=options.offsets or "codepoints")
    return call(settings, ENDPOINTS["check_stream"], counted, body=piece, repeatable=True)
