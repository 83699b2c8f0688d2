"""The part of a debug record that the index keeps, and the table of its repeated values.

A record's header splits in two: what differs from record to record (offset, time, totals) becomes
numpy columns, and what repeats (event, processor, ids, limits, reason, …) becomes one `Head` in a
pool, so that a record costs 40 bytes however long its session id is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec


class _Item(msgspec.Struct, gc=False):
    """An element that is counted and not kept."""


class _Statistic(msgspec.Struct, gc=False):
    total_tokens: int | None = None


class _UsageWindow(msgspec.Struct, gc=False):
    input_tokens: int | None = None


class _UsageReport(msgspec.Struct, gc=False):
    context_window: _UsageWindow | None = None


class Header(msgspec.Struct, gc=False):
    """What is decoded of every record; the keys are those of `engine.debug.records`."""

    timestamp: float | None = None
    event: str | None = None
    processor: str | None = None
    session_id: str | None = None
    context_id: str | None = None
    phase: str | None = None
    total_tokens: int | None = None
    context_max: int | None = None
    threshold: int | None = None
    hit: bool | None = None
    reason: str | None = None
    target_tokens: int | None = None
    min_target_tokens: int | None = None
    attempt: int | None = None
    error_type: str | None = None
    budget_ratio: float | None = None
    delay_seconds: float | None = None
    context_window_tokens: int | None = None
    message_count: int | None = None
    preserved_prefix: list[_Item] | None = None
    messages_to_compress: list[_Item] | None = None
    protected_tail: list[_Item] | None = None
    statistic: _Statistic | None = None
    usage_report: _UsageReport | None = None


HEADER = msgspec.json.Decoder(Header)


class Head(NamedTuple):
    """The values of a record that repeat; None where the record has no such key."""

    event: str
    processor: str
    session_id: str | None
    context_id: str | None
    phase: str | None = None
    reason: str | None = None
    hit: bool | None = None
    threshold: int | None = None
    capacity: int | None = None
    min_target: int | None = None
    attempt: int | None = None
    error: str | None = None
    ratio: float | None = None
    delay: float | None = None
    torn: bool = False
    """Only the beginning of the record could be read."""


class HeadPool:
    """Each different `Head` once; a head's code is its position."""

    def __init__(self) -> None:
        self.heads: list[Head] = []
        self._codes: dict[Head, int] = {}

    def code(self, head: Head) -> int:
        """Return the code of `head`, giving it one where it is new."""
        code = self._codes.get(head)
        if code is None:
            code = self._codes[head] = len(self.heads)
            self.heads.append(head)
        return code


def head_of(header: Header, torn: bool = False) -> Head:
    """Return the repeated part of a header."""
    return Head(
        header.event or "",
        header.processor or "",
        header.session_id,
        header.context_id,
        header.phase,
        header.reason,
        header.hit,
        header.threshold,
        header.context_max if header.context_max is not None else header.context_window_tokens,
        header.min_target_tokens,
        header.attempt,
        header.error_type,
        header.budget_ratio,
        header.delay_seconds,
        torn,
    )


def total_of(header: Header) -> int | None:
    """Return the tokens of the window: as checked or, of a model call, as counted then."""
    if header.total_tokens is not None:
        return header.total_tokens
    report, statistic = header.usage_report, header.statistic
    if report and report.context_window and report.context_window.input_tokens is not None:
        return report.context_window.input_tokens
    return statistic.total_tokens if statistic else None


def lenient_header(record: Mapping[str, Any]) -> tuple[Header, list[str]]:
    """Read what fits of an unusual record; also return the keys that did not fit."""
    header, unfit = Header(), []
    for name, kind in _FIELDS.items():
        if name in record:
            try:
                setattr(header, name, msgspec.convert(record[name], kind))
            except (msgspec.ValidationError, RecursionError):
                unfit.append(name)
    if header.timestamp is not None and not math.isfinite(header.timestamp):
        header.timestamp = None
    return header, unfit


_FIELDS: dict[str, Any] = {field.name: field.type for field in msgspec.structs.fields(Header)}
