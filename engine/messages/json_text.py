"""JSON in texts that somebody else wrote: arguments of calls, results of tools, files."""

from __future__ import annotations

import json
from typing import Any


def read_json(text: str, otherwise: Any = None) -> Any:
    """Return what a JSON text says; `otherwise` where it is none or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise
