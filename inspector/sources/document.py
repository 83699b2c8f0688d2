"""The head of a JSON document: of a sound one its keys, of a damaged one what precedes the damage.

Each kind of document has a module beside this one with a struct of the keys that are wanted. A key
whose value has another form than expected is left out, and the rest is still used. The time is
linear in the document, of which at most `LARGEST_DOCUMENT` bytes are read.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar, get_args

import msgspec
from pydantic import BaseModel

from inspector.sources.prefix import read_prefix
from inspector.sources.problem import Problem

LARGEST_DOCUMENT = 256 << 20
"""Bytes of a document that are read; the rest of a larger one counts as cut off."""

Keys = TypeVar("Keys", bound=msgspec.Struct)
Model = TypeVar("Model", bound=BaseModel)


class Document(NamedTuple, Generic[Keys]):
    """What was read of a document."""

    keys: Keys
    torn: bool
    """It is damaged, or breaks off."""
    problems: list[Problem]


def read_document(path: str, keys: type[Keys], what: str) -> Document[Keys]:
    """Read some keys of a document.

    Args:
        path: The file.
        keys: A struct with a default for each key.
        what: What the file is, for the problem that names its damage.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open(path, "rb") as file:
        raw = file.read(LARGEST_DOCUMENT).removeprefix(codecs.BOM_UTF8)
    try:
        return Document(_decoder(keys).decode(raw), False, [])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        whole, known = _read_leniently(raw)
    problems: list[Problem] = []
    if not whole:
        reason = f"is a damaged {what}; what precedes the damage is used"
        problems.append(Problem(path, damage_offset(raw) or 0, None, reason))
    return Document(fitting(keys, known), not whole, problems)


def read_model(path: str, model: type[Model]) -> Model | None:
    """Read a whole document for a person to look at; None where it is damaged.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open(path, "rb") as file:
        raw = file.read(LARGEST_DOCUMENT).removeprefix(codecs.BOM_UTF8)
    try:
        return model.model_validate(json.loads(raw.decode(errors="replace"), strict=False))
    except (ValueError, RecursionError):
        return None


def fitting(keys: type[Keys], known: Mapping[str, Any]) -> Keys:
    """Return a struct with the values that have the expected form, inside nested structs too.

    A nested struct that lacks a key without a default is left out.

    Raises:
        TypeError: `known` lacks a key without a default.
    """
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(keys):
        if field.name not in known:
            continue
        value = known[field.name]
        try:
            found[field.name] = msgspec.convert(value, field.type)
        except (msgspec.ValidationError, RecursionError):
            nested = _struct_in(field.type)
            if nested is not None and isinstance(value, Mapping):
                with suppress(TypeError):
                    found[field.name] = fitting(nested, value)
    return keys(**found)


def _struct_in(kind: Any) -> type[msgspec.Struct] | None:
    """Return the struct that a field may hold, also where it may be None."""
    kinds = [kind, *get_args(kind)]
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, msgspec.Struct)), None)


def damage_offset(raw: bytes) -> int | None:
    """Return the byte offset at which a document stops being JSON; None where it does not."""
    text = raw.decode("utf-8-sig", errors="surrogateescape")
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return len(raw) - len(text[error.pos :].encode(errors="surrogateescape"))
    except RecursionError:
        return 0
    return None


@cache
def _decoder(keys: type[Keys]) -> msgspec.json.Decoder[Keys]:
    return msgspec.json.Decoder(keys)


def _read_leniently(raw: bytes) -> tuple[bool, dict[str, Any]]:
    text = raw.decode(errors="replace")
    try:
        known, whole = json.loads(text, strict=False), True
    except (ValueError, RecursionError):
        known, whole = read_prefix(text), False
    return whole, known if isinstance(known, dict) else {}
