"""What the index keeps of the offloader's log (`message_offloader_debug.jsonl`).

Its lines have neither time nor processor, and most of each line is the text of a tool result. A
plain check costs 12 bytes beyond the columns that every record has; of the few lines about large
results an `OffloadEntry` is kept, with lengths in place of texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
import numpy as np

from engine.debug.offload_records import OFFLOAD_RECORDS
from engine.processors.offloaders.marker import cut
from engine.wording import OffloadWording, Wording
from inspector.sources.columns import GrowingArray, sound_count
from inspector.sources.document import fitting
from inspector.sources.message_keys import message_key

OFFLOADER = "MessageSummaryOffloader"
"""The processor that writes this log."""
CHECK, ADD, TTL, RULE, RULED, OFFLOADED = OFFLOAD_RECORDS
"""The events of the log."""

_MARKER = "[[OFFLOAD:"
_MARKER_CHARS = 4096
"""Characters at the end of a text in which its marker stands."""


class OffloadEntry(NamedTuple):
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

    def take(
        self, row: int, event: str, line: LogLine, session_id: str | None, context_id: str | None
    ) -> OffloadEntry:
        """Take in the line of a row, which follows those before."""
        metadata = line.message_metadata or Metadata()
        message_id, call_id = metadata.context_message_id, line.tool_call_id
        key = message_key(message_id, call_id, session_id, context_id) or 0
        self.row.extend([row])
        self.key.extend([key])
        entry = _entry(event, line, self._ruled.pop(key, None))
        if event == RULED:
            self._ruled[key] = entry
        if event != CHECK:
            self.entries[row] = entry
        return entry

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


class LogLine(msgspec.Struct, gc=False):
    """The keys of a line that are wanted; texts stand in those of one kind of line each."""

    tool_call_id: str | None = None
    message_metadata: Metadata | None = None
    pass_name: str | None = None
    message_index: int | None = None
    threshold_tokens: int | None = None
    content_tokens: int | None = None
    content_chars: int | None = None
    max_chars: int | None = None
    offload_handle: str | None = None
    offload_type: str | None = None
    offload_path: str | None = None


class _AddLine(LogLine, gc=False):
    original_content: str | None = None


class _RuledLine(LogLine, gc=False):
    compressed_content: str | None = None


class _OffloadedLine(LogLine, gc=False):
    offloaded_content: str | None = None


_LINES: Mapping[str, type[LogLine]] = {
    ADD: _AddLine,
    RULED: _RuledLine,
    OFFLOADED: _OffloadedLine,
}
_DECODERS = {kind: msgspec.json.Decoder(kind) for kind in (LogLine, *_LINES.values())}


def read_line(event: str, raw: bytes | memoryview) -> LogLine | None:
    """Read a sound line; None where something in it is unusual."""
    try:
        line: LogLine = _DECODERS[_LINES.get(event, LogLine)].decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return line


def lenient_line(event: str, known: Mapping[str, Any]) -> LogLine:
    """Read what fits of an unusual or torn line."""
    return fitting(_LINES.get(event, LogLine), known)[0]


def _entry(event: str, line: LogLine, ruled: OffloadEntry | None) -> OffloadEntry:
    """Return what is kept of a line; `ruled` is the line about the rule that went before."""
    metadata = line.message_metadata or Metadata()
    details = metadata.rule_compression_details or _Details()
    came = line.original_content if isinstance(line, _AddLine) else None
    return OffloadEntry(
        event=event,
        call_id=line.tool_call_id,
        message_id=metadata.context_message_id,
        pass_name=line.pass_name
        or (metadata.rule_compression_pass if event == OFFLOADED else None),
        place=sound_count(line.message_index),
        threshold=sound_count(line.threshold_tokens),
        tokens=sound_count(line.content_tokens),
        chars=sound_count(line.content_chars),
        max_chars=sound_count(line.max_chars),
        rule=metadata.rule_compression_type,
        ruled_at=metadata.rule_compressed_at,
        rule_dump=metadata.rule_compression_dump_path,
        keeps_diff=bool(details.should_offload_original),
        result_chars=_result_chars(line, ruled),
        handle=line.offload_handle,
        stored_as=line.offload_type,
        path=line.offload_path,
        marked=came is not None and _MARKER in came[-_MARKER_CHARS:],
    )


@cache
def _wording() -> OffloadWording:
    return Wording.default().offload


def _result_chars(line: LogLine, ruled: OffloadEntry | None) -> int | None:
    if isinstance(line, _RuledLine):
        return None if line.compressed_content is None else len(line.compressed_content)
    text = line.offloaded_content if isinstance(line, _OffloadedLine) else None
    if text is None:
        return None
    most = ruled.max_chars if ruled is not None and not ruled.keeps_diff else None
    # the engine cuts what a rule left too long after it has written the line
    return len(cut(text, most, _wording()) if most and len(text) > most else text)
