"""The head of a compression dump, and the whole of it on demand.

A dump is one JSON document that the engine writes after it has replaced the context, so even a
cut-off dump says that a compression succeeded. It is joined to its attempt by its own time (last
key, or the milliseconds in its name).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import msgspec

from engine.debug.records import CompressionDump
from inspector.sources.jsonl import SpanSizes
from inspector.sources.prefix import read_prefix
from inspector.sources.problem import Problem

LARGEST_DOCUMENT = 256 << 20
"""Bytes of a document that are read; the rest of a larger one counts as cut off."""

_NAME_TIME = re.compile(r"(\d{13})_")


class _Trigger(msgspec.Struct):
    context_max: int | None = None
    total_tokens_before: int | None = None
    target_tokens: int | None = None


class _Span(msgspec.Struct):
    preserved_prefix_count: int
    messages_to_compress_count: int
    protected_tail_count: int


class _After(msgspec.Struct):
    total_tokens_after: int | None = None


class _Benefit(msgspec.Struct):
    tokens_before: int | None = None
    tokens_after: int | None = None


class _Document(msgspec.Struct):
    processor_type: str
    session_id: str | None = None
    context_id: str | None = None
    trigger: _Trigger | None = None
    span: _Span | None = None
    context_after: _After | None = None
    benefit: _Benefit | None = None
    timestamp: float | None = None


_DECODER = msgspec.json.Decoder(_Document)


@dataclass(frozen=True)
class DumpHead:
    """What joining a dump and listing its decision need; None where the file does not say."""

    path: str
    time: float
    """Epoch seconds; NaN where neither the document nor the name tells."""
    processor: str
    session_id: str | None
    context_id: str | None
    capacity: int | None
    before: int | None
    """Tokens of the context messages before, as one list; `after` likewise."""
    after: int | None
    target: int | None
    """Tokens of the final span to compress."""
    span: SpanSizes | None
    """The final span."""
    torn: bool = False


def read_dump_head(path: str) -> tuple[DumpHead | None, list[Problem]]:
    """Read the head of a dump, or what a damaged one still tells.

    The head is None where the file does not even name its processor.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open(path, "rb") as file:
        raw = file.read(LARGEST_DOCUMENT)
    problems: list[Problem] = []
    torn = False
    try:
        document = _DECODER.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        whole, known = _read_leniently(raw)
        torn = not whole
        if torn:
            reason = "is a damaged compression dump; what precedes the damage is used"
            problems.append(Problem(path, damage_offset(raw) or 0, None, reason))
        document = _lenient_document(known)
    if not document.processor_type:
        return None, problems
    return _head(path, document, torn), problems


def read_dump(path: str) -> CompressionDump | None:
    """Read a whole dump; None where it is damaged.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open(path, "rb") as file:
        raw = file.read()
    try:
        return CompressionDump.model_validate(
            json.loads(raw.decode(errors="replace"), strict=False)
        )
    except (ValueError, RecursionError):
        return None


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


def _head(path: str, document: _Document, torn: bool) -> DumpHead:
    trigger, benefit = document.trigger or _Trigger(), document.benefit or _Benefit()
    after = document.context_after or _After()
    span = document.span
    name_time = _NAME_TIME.match(PurePath(path).name)
    time = document.timestamp
    if time is None or not math.isfinite(time):
        time = int(name_time[1]) / 1000 if name_time else math.nan
    return DumpHead(
        path=path,
        time=time,
        processor=document.processor_type,
        session_id=document.session_id,
        context_id=document.context_id,
        capacity=trigger.context_max,
        before=_first(trigger.total_tokens_before, benefit.tokens_before),
        after=_first(after.total_tokens_after, benefit.tokens_after),
        target=trigger.target_tokens,
        span=None
        if span is None
        else SpanSizes(
            span.preserved_prefix_count,
            span.messages_to_compress_count,
            span.protected_tail_count,
        ),
        torn=torn,
    )


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def _read_leniently(raw: bytes) -> tuple[bool, dict[str, Any]]:
    text = raw.decode("utf-8-sig", errors="replace")
    try:
        known, whole = json.loads(text, strict=False), True
    except (ValueError, RecursionError):
        known, whole = read_prefix(text), False
    return whole, known if isinstance(known, dict) else {}


def _lenient_document(known: dict[str, Any]) -> _Document:
    document = _Document(processor_type="")
    for field in msgspec.structs.fields(_Document):
        try:
            setattr(document, field.name, msgspec.convert(known.get(field.name), field.type))
        except msgspec.ValidationError:
            continue
    return document
