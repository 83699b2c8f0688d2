"""The part of a debug record that the index keeps, and the table of its repeated values.

A record's header splits in two: what differs from record to record (offset, time, totals) becomes
numpy columns, and what repeats (event, processor, ids, limits, reason, …) becomes one `Head` in a
pool, so that a record costs 40 bytes however long its session id is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from inspector.sources.counts import sound_count
from inspector.sources.document import fitting
from inspector.sources.lines.columns import NO_NUMBER
from inspector.sources.message_keys import ShownMessage


class _Item(msgspec.Struct, gc=False):
    """An element that is counted and not kept."""


class _Statistic(msgspec.Struct, gc=False):
    total_tokens: int | None = None


class _UsageWindow(msgspec.Struct, gc=False):
    input_tokens: int | None = None


class _UsageReport(msgspec.Struct, gc=False):
    context_window: _UsageWindow | None = None


class Header(msgspec.Struct, gc=False):
    """What is decoded of every record; the keys are those of `engine.debug.records`.

    What repeats from record to record comes last, in the order of `Head`.
    """

    timestamp: float | None = None
    total_tokens: int | None = NO_NUMBER
    target_tokens: int | None = NO_NUMBER
    message_count: int | None = NO_NUMBER
    statistic: _Statistic | None = None
    usage_report: _UsageReport | None = None
    preserved_prefix: list[_Item] | None = None
    messages_to_compress: list[_Item] | None = None
    protected_tail: list[_Item] | None = None
    messages: list[ShownMessage] | None = None
    event: str | None = None
    processor: str | None = None
    session_id: str | None = None
    context_id: str | None = None
    phase: str | None = None
    reason: str | None = None
    hit: bool | None = None
    threshold: int | None = None
    context_max: int | None = None
    context_window_tokens: int | None = None
    min_target_tokens: int | None = None
    attempt: int | None = None
    error_type: str | None = None
    budget_ratio: float | None = None
    delay_seconds: float | None = None


HEADER = msgspec.json.Decoder(Header)
FIRST_REPEATED = Header.__struct_fields__.index("event")
"""Position of the first field that repeats."""


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
        """Begin without any head."""
        self.heads: list[Head] = []
        self._codes: dict[tuple[Any, ...], int] = {}

    def codes(self, repeated: Iterable[tuple[Any, ...]]) -> list[int]:
        """Return the code of each tuple of repeated values, in the order of `Header`'s fields."""
        codes, add = self._codes, self._add
        return [codes[values] if values in codes else add(values) for values in repeated]

    def _add(self, values: tuple[Any, ...]) -> int:
        """Give values a code; a last one beyond the fields says that the record is torn."""
        fields = Header.__struct_fields__[FIRST_REPEATED:]
        known = dict(zip(fields, values, strict=False))
        capacity = known["context_max"]
        code = self._codes[values] = len(self.heads)
        self.heads.append(
            Head(
                event=known["event"] or "",
                processor=known["processor"] or "",
                session_id=known["session_id"],
                context_id=known["context_id"],
                phase=known["phase"],
                reason=known["reason"],
                hit=known["hit"],
                threshold=sound_count(known["threshold"]),
                capacity=sound_count(
                    known["context_window_tokens"] if capacity is None else capacity
                ),
                min_target=sound_count(known["min_target_tokens"]),
                attempt=sound_count(known["attempt"]),
                error=known["error_type"],
                ratio=known["budget_ratio"],
                delay=known["delay_seconds"],
                torn=len(values) > len(fields),
            )
        )
        return code


def counted_tokens(statistic: _Statistic | None, report: _UsageReport | None) -> int | None:
    """Return the tokens of a model call's window, by its usage report or else its statistic."""
    if report and report.context_window and report.context_window.input_tokens is not None:
        return report.context_window.input_tokens
    return statistic.total_tokens if statistic else None


def lenient_header(record: Mapping[str, Any]) -> tuple[Header, list[str]]:
    """Read what fits of an unusual record; also return the keys that did not fit."""
    header, unfit = fitting(Header, record)
    for name in ("timestamp", "budget_ratio", "delay_seconds"):
        number = getattr(header, name)
        if number is not None and not math.isfinite(number):
            setattr(header, name, None)
    return header, unfit
