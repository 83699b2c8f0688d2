"""The head of a JSON document: of a sound one its keys, of a damaged one what precedes the damage.

Each kind of document has a module beside this one with a struct of the keys that are wanted. A key
whose value has another form than expected is left out, and the rest is still used. The time is
linear in the document, of which at most `LARGEST_DOCUMENT` bytes are read.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from types import UnionType
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from pydantic import BaseModel

from inspector.sources.prefix import read_prefix
from inspector.sources.problem import Problem
from inspector.sources.regular_file import open_regular

LARGEST_DOCUMENT = 256 << 20
"""Bytes of a document that are read; the rest of a larger one counts as cut off."""

_WHOLE = json.JSONDecoder(strict=False)
_START = re.compile(
    rb'\{\s{0,8}"(?:processor_type|offload_handle)" ?: ?"'
    rb'|\{\s{0,8}"schema_version" ?: ?\d+,\s{0,8}"memory_id"'
    rb'|\{\s{0,8}"timestamp" ?: ?[-+0-9.eE]+,\s{0,8}"session_id"'
    rb'|\{\s{0,8}"timestamp" ?: ?"[^"\\]{0,40}",\s{0,8}"request"'
)
"""Where a document of the engine begins, also behind something else: dump, offload file, manifest,
rule dump, log of a notes update."""

Keys = TypeVar("Keys", bound=msgspec.Struct)
Model = TypeVar("Model", bound=BaseModel)


class Part(NamedTuple):
    """A document, or what of a file may be one."""

    path: str
    offset: int
    """Where it begins in its file, in bytes."""
    raw: bytes


class Document(NamedTuple, Generic[Keys]):
    """What was read of a document."""

    keys: Keys
    torn: bool
    """It is damaged, or breaks off."""
    problems: list[Problem]


def whole_file(path: str) -> Part:
    """Read a file as one document, `LARGEST_DOCUMENT` bytes at most.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(path) as file:
        return Part(path, 0, file.read(LARGEST_DOCUMENT))


def read_document(part: Part, keys: type[Keys], what: str) -> Document[Keys]:
    """Read some keys of a document.

    Args:
        part: Where it is.
        keys: A struct with a default for each key.
        what: What the document is, for the problem that names its damage.
    """
    raw = part.raw.removeprefix(codecs.BOM_UTF8)
    try:
        return Document(_decoder(keys).decode(raw), False, [])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        value, end = read_value(raw)
    found, _unfit = fitting(keys, value if isinstance(value, dict) else {})
    if end is None:
        reason = f"is a damaged {what}; what precedes the damage is used"
        problems = [Problem(part.path, part.offset + damage_offset(part.raw), None, reason)]
        return Document(found, True, problems)
    problems = _trailing(part, len(part.raw) - len(raw) + end, what)
    return Document(found, False, problems)


def read_value(raw: bytes) -> tuple[Any, int | None]:
    """Read the JSON value at the beginning, and where it ends.

    The end is None where it breaks off or is damaged; the value is then what precedes that.
    """
    text = raw.decode(errors="surrogateescape")
    try:
        value, end = _WHOLE.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return read_prefix(raw.decode(errors="replace")), None
    end = len(text[: end + len(text) - len(text.lstrip())].encode(errors="surrogateescape"))
    readable = raw[:end].decode(errors="replace")
    return (_WHOLE.decode(readable) if "\ufffd" in readable else value), end


def read_model(path: str, model: type[Model], offset: int = 0) -> Model | None:
    """Read a whole document for a person to look at; None where it is damaged.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(path) as file:
        file.seek(offset)
        raw = file.read(LARGEST_DOCUMENT).removeprefix(codecs.BOM_UTF8)
    text = raw.decode(errors="replace").lstrip()
    try:
        return model.model_validate(_WHOLE.raw_decode(text)[0])
    except (ValueError, RecursionError):
        return None


def document_starts(raw: bytes) -> list[int]:
    """Return where documents of the engine begin in a piece of a file."""
    return [match.start() for match in _START.finditer(raw)]


def _trailing(part: Part, end: int, what: str) -> list[Problem]:
    """Return the problem of something that stands behind a document."""
    if not part.raw[end:].strip():
        return []
    reason = f"is something that stands behind a {what}"
    return [Problem(part.path, part.offset + end, None, reason)]


def fitting(keys: type[Keys], known: Mapping[str, Any]) -> tuple[Keys, list[str]]:
    """Return a struct with the values that have the expected form, inside nested structs too.

    Also return the keys of the others. A nested struct without a key that it needs is left out.

    Raises:
        TypeError: `known` lacks a key without a default.
    """
    found: dict[str, Any] = {}
    unfit = []
    for name, kind in _kinds(keys).items():
        if name not in known:
            continue
        value = known[name]
        try:
            found[name] = _converted(value, kind)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            unfit.append(name)
            nested = _struct_in(kind)
            if nested is not None and isinstance(value, Mapping):
                with suppress(TypeError):
                    found[name], _unfit = fitting(nested, value)
    return keys(**found), unfit


def _converted(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:  # perhaps a part is wanted as it was written
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return msgspec.json.decode(text.encode(errors="replace"), type=kind)


def _struct_in(kind: Any) -> type[msgspec.Struct] | None:
    """Return the struct that a field may hold, also where it may be None."""
    kinds = get_args(kind) if get_origin(kind) is UnionType else (kind,)
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, msgspec.Struct)), None)


def damage_offset(raw: bytes) -> int:
    """Return the byte offset at which a document stops being JSON; 0 where that is not clear."""
    text = raw.decode("utf-8-sig", errors="surrogateescape")
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return len(raw) - len(text[error.pos :].encode(errors="surrogateescape"))
    except RecursionError:
        pass
    return 0


@cache
def _kinds(keys: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: field.type for field in msgspec.structs.fields(keys)}


@cache
def _decoder(keys: type[Keys]) -> msgspec.json.Decoder[Keys]:
    return msgspec.json.Decoder(keys)
