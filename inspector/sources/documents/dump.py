"""The head of a compression dump, and the whole of it on demand.

A dump is one JSON document that the engine writes after it has replaced the context, so even a
cut-off dump says that a compression succeeded. It is joined to its attempt by its own time (last
key, or the milliseconds in its name).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import PurePath

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.debug.records import CompressionDump
from inspector.sources.counts import SpanSizes, sound_count
from inspector.sources.document import Part, read_document, read_model
from inspector.sources.message_keys import ShownMessage, result_keys
from inspector.sources.problem import Problem
from inspector.sources.recall_calls import RecallCall, recalls_in

_NAME_TIME = re.compile(r"(?<!\d)(\d{13})_")


class _Trigger(msgspec.Struct):
    context_max: int | None = None
    total_tokens_before: int | None = None
    target_tokens: int | None = None


class _Span(msgspec.Struct):
    preserved_prefix_count: int
    messages_to_compress_count: int
    protected_tail_count: int


class _Request(msgspec.Struct):
    messages_sent_to_model: list[ShownMessage] = []


class _After(msgspec.Struct):
    total_tokens_after: int | None = None
    messages: list[ShownMessage] = []


class _Benefit(msgspec.Struct):
    tokens_before: int | None = None
    tokens_after: int | None = None


class _Document(msgspec.Struct):
    processor_type: str = ""
    session_id: str | None = None
    context_id: str | None = None
    trigger: _Trigger | None = None
    span: _Span | None = None
    compression_request: _Request | None = None
    context_after: _After | None = None
    benefit: _Benefit | None = None
    timestamp: float | None = None


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
    shown: NDArray[np.int64] = field(compare=False, repr=False)
    """Numbers of the tool results that it holds (`message_keys`)."""
    recalls: tuple[RecallCall, ...] = ()
    """The recalls that it holds."""
    torn: bool = False
    offset: int = 0
    """Where it begins in its file, in bytes."""


def read_dump_head(part: Part) -> tuple[DumpHead | None, list[Problem]]:
    """Read the head of a dump, or what a damaged one still tells.

    The head is None where the file does not even name its processor.
    """
    document = read_document(part, _Document, "compression dump")
    if not document.keys.processor_type:
        return None, document.problems
    return _head(part, document.keys, document.torn), document.problems


def read_dump(path: str, offset: int = 0) -> CompressionDump | None:
    """Read a whole dump; None where it is damaged.

    Raises:
        OSError: the file cannot be opened or read.
    """
    return read_model(path, CompressionDump, offset)


def _head(part: Part, document: _Document, torn: bool) -> DumpHead:
    trigger, benefit = document.trigger or _Trigger(), document.benefit or _Benefit()
    after, request = document.context_after or _After(), document.compression_request or _Request()
    shown = [*request.messages_sent_to_model, *after.messages]
    name_time = None if part.offset else _NAME_TIME.search(PurePath(part.path).name)
    time = document.timestamp
    if time is None or not math.isfinite(time):
        time = int(name_time[1]) / 1000 if name_time else math.nan
    return DumpHead(
        path=part.path,
        offset=part.offset,
        time=time,
        processor=document.processor_type,
        session_id=document.session_id,
        context_id=document.context_id,
        capacity=sound_count(trigger.context_max),
        before=_first(trigger.total_tokens_before, benefit.tokens_before),
        after=_first(after.total_tokens_after, benefit.tokens_after),
        target=sound_count(trigger.target_tokens),
        span=None if document.span is None else _sizes(document.span),
        shown=np.array([*result_keys(shown, document.session_id, document.context_id)], np.int64),
        recalls=tuple(recalls_in(shown)),
        torn=torn,
    )


def _sizes(span: _Span) -> SpanSizes | None:
    counts = (
        span.preserved_prefix_count,
        span.messages_to_compress_count,
        span.protected_tail_count,
    )
    return SpanSizes(*counts) if None not in map(sound_count, counts) else None


def _first(*values: int | None) -> int | None:
    return next((value for value in values if sound_count(value) is not None), None)
