"""What in somebody else's value does not fit, in words for whoever has to mend it."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails


def first_fault(error: ValidationError, *around: str) -> str:
    """Return the first place that does not fit, and why.

    Args:
        error: what validation said.
        around: names of what the value stands in, the outermost first.
    """
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, (*around, *first["loc"]))) or "top level"
    return f"{place}: {why(first)}"


def why(fault: ErrorDetails) -> str:
    """Return why a value does not fit."""
    if fault["type"] == "union_tag_invalid":
        about = fault["ctx"]
        name = about["discriminator"].strip("'")
        return f"{name} {about['tag']!r} is none of {about['expected_tags']}"
    if fault["type"] == "union_tag_not_found":
        return f"has no {fault['ctx']['discriminator'].strip(chr(39))}"
    if fault["type"] == "missing":
        return "is missing"
    return fault["msg"].removeprefix("Input ").removeprefix("Value error, ")
