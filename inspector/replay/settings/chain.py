"""A chain in a file: the processors of a case with their settings, to be used with other cases.

The file is a JSON list of `[name, settings]`, in the order in which the processors act, as it
stands under `processors` in a case.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from inspector.replay.cases.case import CaseError
from inspector.replay.cases.case_file import load_json
from inspector.sources.fault import first_fault

Chain = list[tuple[str, dict[str, Any]]]
"""Names and settings, in the order in which they act."""

_CHAIN: TypeAdapter[Chain] = TypeAdapter(Chain)


def load_chain(path: Path) -> Chain:
    """Read a chain file; whether its processors and settings exist is not looked at.

    Raises:
        CaseError: it cannot be read or is no chain.
    """
    data = load_json(path)
    try:
        return _CHAIN.validate_python(data)
    except ValidationError as error:
        raise CaseError(
            f"{path}: is no chain: {first_fault(error)} "
            '(expected [["Processor", {"field": value}], …])'
        ) from error


def chain_text(chain: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """Return what a chain file holds, a processor a line."""
    lines = [json.dumps([name, settings], ensure_ascii=False) for name, settings in chain]
    return "[\n " + ",\n ".join(lines) + "\n]\n" if lines else "[]\n"
