"""As much of a JSON text as can be read before it breaks off.

A torn record or a half-written dump still says what it is: its first keys come before the damage.
`read_prefix` returns every value that is complete, inside unfinished objects and lists too.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(strict=False)
_BROKEN = (ValueError, IndexError, RecursionError)
_DEEPEST = 100


def read_prefix(text: str, depth: int = 0) -> Any:
    """Return what the beginning of `text` holds; None where not even that can be told.

    The time is linear in the text for each level of nesting that is left unfinished, of which
    there are at most 100.
    """
    value, _end = _read(text, _skip(text, 0), depth)
    return value


def read_object(text: str) -> dict[str, Any]:
    """Return the object that a text holds, or as much of it as can be read."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        value = read_prefix(text)
    return value if isinstance(value, dict) else {}


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _read(text: str, at: int, depth: int) -> tuple[Any, int | None]:
    """Return the value at `at` and its end; the end is None where the text breaks off inside."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        if end == len(text) and text[at] not in '{["':
            return None, None  # a number or a word at the very end may be cut short
        return value, end
    except _BROKEN:
        opening = text[at : at + 1]
    if depth < _DEEPEST and opening == "{":
        return _read_object(text, at + 1, depth), None
    if depth < _DEEPEST and opening == "[":
        return _read_list(text, at + 1, depth), None
    return None, None


def _read_object(text: str, at: int, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        while text[at := _skip(text, at)] == '"':
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
            if text[at] != ":":
                break
            value, end = _read(text, _skip(text, at + 1), depth + 1)
            if end is None:
                if value is not None:
                    found[key] = value
                break
            found[key] = value
            at = _skip(text, end)
            if text[at] != ",":
                break
            at += 1
    except _BROKEN:
        pass
    return found


def _read_list(text: str, at: int, depth: int) -> list[Any]:
    found: list[Any] = []
    try:
        while True:
            value, end = _read(text, _skip(text, at), depth + 1)
            if end is None:
                return [*found, value] if value is not None else found
            found.append(value)
            at = _skip(text, end)
            if text[at] != ",":
                return found
            at += 1
    except _BROKEN:
        return found
