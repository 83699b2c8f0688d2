"""JSON in texts that somebody else wrote: arguments of calls, results of tools, files."""

from __future__ import annotations

import json
from typing import Any

_FIRST = frozenset('{["-0123456789tfnNI')
"""What JSON may begin with; most texts that are none are told by it, without an exception."""


def read_json(text: str, otherwise: Any = None) -> Any:
    """Return what a JSON text says; `otherwise` where it is none or nested too deeply."""
    if text.lstrip()[:1] not in _FIRST:
        return otherwise
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise
