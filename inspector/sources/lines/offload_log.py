"""What the index keeps of the offloader's log (`message_offloader_debug.jsonl`).

Its lines have neither time nor processor, and most of each line is the text of a tool result. A
plain check costs 12 bytes beyond the columns that every record has; of the few lines about large
results an `OffloadEntry` is kept, with lengths in place of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from sys import intern
from typing import Any

import msgspec
import numpy as np

from engine.debug.offload_records import OFFLOAD_RECORDS
from engine.processors.offloaders.marker import MARKER_START, cut
from engine.wording import OffloadWording, Wording
from inspector.sources.counts import sound_count
from inspector.sources.document import fitting
from inspector.sources.lines.columns import GrowingArray
from inspector.sources.lines.header import FIRST_REPEATED, Header
from inspector.sources.message_keys import message_key
from inspector.sources.prefix import read_object

OFFLOADER = "MessageSummaryOffloader"
"""The processor that writes this log."""
CHECK, ADD, TTL, RULE, RULED, OFFLOADED = OFFLOAD_RECORDS
"""The events of the log."""

_MARKER = MARKER_START.encode()
_MARKER_BYTES = 4096
"""Bytes at the end of a text in which its marker stands."""


class OffloadEntry(msgspec.Struct, frozen=True, gc=False):
    """One line about a tool result; None where the line does not say."""

    event: str
    call_id: str | None
    message_id: str | None
    pass_name: str | None
    place: int | None
    """Position of the result in the batch that was added."""
    threshold: int | None
    """Tokens above which a result is large."""
    tokens: int | None
    """Tokens of the result as it came."""
    chars: int | None
    """Its characters."""
    max_chars: int | None
    """Characters that a shortened text may have."""
    rule: str | None
    """Kind of content whose rule shortened the result."""
    ruled_at: float | None
    """Epoch seconds at which it did."""
    rule_dump: str | None
    """Declared path of the rule's dump."""
    keeps_diff: bool
    """The rule asks for its result not to be cut."""
    result_chars: int | None
    """Characters of what the rule made of the text or, after an offload, of what took its place."""
    handle: str | None
    stored_as: str | None
    """`filesystem` or `in_memory`."""
    path: str | None
    """Declared path of the offload file."""
    marked: bool
    """The text that came holds a marker: it was offloaded before."""


class OffloadRows:
    """The lines of the offloader's log in one file.

    Attributes:
        row: Rows of the file's index that are such lines.
        key: Number of the tool result of each (`message_keys`); 0 where nothing names it.
        entries: By row, the lines that are no plain checks.
    """

    def __init__(self) -> None:
        self.row: GrowingArray[np.int32] = GrowingArray(np.int32)
        self.key: GrowingArray[np.int64] = GrowingArray(np.int64)
        self.entries: dict[int, OffloadEntry] = {}
        self._ruled: dict[int, OffloadEntry] = {}

    def take(self, rows: Sequence[int], lines: Sequence[LogHeader]) -> None:
        """Take in the lines of some rows, which follow those before.

        A line about an offload gets the pass that its message's metadata name.
        """
        keys = []
        for row, line in zip(rows, lines, strict=True):
            metadata = line.message_metadata or _NO_METADATA
            message_id, call_id = metadata.context_message_id, line.tool_call_id
            key = message_key(message_id, call_id, line.session_id, line.context_id) or 0
            keys.append(key)
            if line.event != CHECK:
                if line.event == OFFLOADED:
                    line.pass_name = line.pass_name or metadata.rule_compression_pass
                entry = _entry(line, metadata, self._ruled.pop(key, None))
                self.entries[row] = entry
                if line.event == RULED:
                    self._ruled[key] = entry
        self.row.extend(rows)
        self.key.extend(keys)

    def truncate(self, length: int) -> None:
        """Forget the rows of the index after the first `length`."""
        kept = int(np.searchsorted(self.row.view, length))
        self.row.truncate(kept)
        self.key.truncate(kept)
        self.entries = {row: entry for row, entry in self.entries.items() if row < length}


class _Details(msgspec.Struct, gc=False):
    should_offload_original: bool | None = None


class Metadata(msgspec.Struct, gc=False):
    """What a message's metadata say of it."""

    context_message_id: str | None = None
    rule_compressed_at: float | None = None
    rule_compression_type: str | None = None
    rule_compression_pass: str | None = None
    rule_compression_dump_path: str | None = None
    rule_compression_details: _Details | None = None


class LogHeader(msgspec.Struct, gc=False):
    """What is decoded of a line."""

    event: str | None = None
    timestamp: float | None = None
    """Of another kind of record, as `processor` is."""
    processor: str | None = None
    session_id: str | None = None
    context_id: str | None = None
    tool_call_id: str | None = None
    message_metadata: Metadata | None = None
    pass_name: str | None = None
    message_index: int | None = None
    threshold_tokens: int | None = None
    max_chars: int | None = None
    content_tokens: int | None = None
    content_chars: int | None = None
    hit: bool | None = None
    reason: str | None = None
    original_content: msgspec.Raw = msgspec.Raw()
    compressed_content: str | None = None
    offload_handle: str | None = None
    offload_type: str | None = None
    offload_path: str | None = None
    offloaded_content: str | None = None


_NOT_LOGGED = (None,) * (len(Header.__struct_fields__) - FIRST_REPEATED - 8)
LOG_HEADER = msgspec.json.Decoder(LogHeader)
_NO_METADATA = Metadata()


def is_logged(record: Header | LogHeader) -> bool:
    """Tell whether a record belongs to the log: it has no time, and no other processor."""
    return record.timestamp is None and record.processor in (None, OFFLOADER)


def repeated_values(line: LogHeader) -> tuple[Any, ...]:
    """Return what repeats from line to line, in the order of `Header`'s fields from `event` on."""
    names = line.session_id, line.context_id, line.pass_name, line.reason
    return line.event, None, *names, line.hit, line.threshold_tokens, *_NOT_LOGGED


def read_log_header(raw: bytes | memoryview) -> LogHeader:
    """Read a line, or what fits of an unusual or torn one."""
    try:
        return LOG_HEADER.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return fitting(LogHeader, read_object(bytes(raw).decode(errors="replace")))[0]


def _entry(line: LogHeader, metadata: Metadata, ruled: OffloadEntry | None) -> OffloadEntry:
    """Return what is kept of a line; `ruled` is the line about the rule that went before."""
    details = metadata.rule_compression_details
    return OffloadEntry(
        event=intern(line.event or ""),
        call_id=_one(line.tool_call_id),
        message_id=_one(metadata.context_message_id),
        pass_name=_one(line.pass_name),
        place=sound_count(line.message_index),
        threshold=sound_count(line.threshold_tokens),
        tokens=sound_count(line.content_tokens),
        chars=sound_count(line.content_chars),
        max_chars=sound_count(line.max_chars),
        rule=_one(metadata.rule_compression_type),
        ruled_at=metadata.rule_compressed_at,
        rule_dump=metadata.rule_compression_dump_path,
        keeps_diff=bool(details and details.should_offload_original),
        result_chars=_result_chars(line, ruled),
        handle=line.offload_handle,
        stored_as=_one(line.offload_type),
        path=line.offload_path,
        marked=line.event == ADD and _is_marked(line.original_content),
    )


def _is_marked(text: msgspec.Raw) -> bool:
    return bytes(memoryview(text)[-_MARKER_BYTES:]).rfind(_MARKER) >= 0


def _one(text: str | None) -> str | None:
    """Return one text for all equal ones; the lines about a result repeat each other."""
    return None if text is None else intern(text)


@cache
def _wording() -> OffloadWording:
    return Wording.default().offload


def _result_chars(line: LogHeader, ruled: OffloadEntry | None) -> int | None:
    if line.event == RULED:
        return None if line.compressed_content is None else len(line.compressed_content)
    text = line.offloaded_content
    if line.event != OFFLOADED or text is None:
        return None
    most = ruled.max_chars if ruled is not None and not ruled.keeps_diff else None
    # the engine cuts what a rule left too long after it has written the line
    return len(cut(text, most, _wording()) if most and len(text) > most else text)
