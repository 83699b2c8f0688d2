"""The head of a rule's dump: which rule shortened which tool result, by how much and when.

The engine writes it after the rule has done its work and before the original is stored, so it tells
of the rule only. Its name repeats time, pass, rule and tool call, each made safe for a file name.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import PurePath

import msgspec

from engine.debug.offload_records import RuleDump
from inspector.sources.counts import sound_count
from inspector.sources.document import Part, read_document, read_model
from inspector.sources.problem import Problem

_NAME = re.compile(r"(?<!\d)(?P<time>\d{13})_(?P<pass_name>add|ttl)_(?P<rule>[A-Z]+(?:_[A-Z]+)*)_")


class _Keys(msgspec.Struct):
    timestamp: float | None = None
    session_id: str | None = None
    context_id: str | None = None
    tool_call_id: str | None = None
    rule_compression_type: str | None = None
    rule_compression_pass: str | None = None
    original_chars: int | None = None
    compressed_chars: int | None = None


@dataclass(frozen=True)
class RuleDumpHead:
    """What joining a rule's dump to its tool result needs; None where the file does not say."""

    path: str
    time: float
    """Epoch seconds; NaN where neither the document nor the name tells."""
    session_id: str | None
    context_id: str | None
    call_id: str | None
    pass_name: str | None
    rule: str | None
    original_chars: int | None
    result_chars: int | None
    torn: bool = False
    offset: int = 0
    """Where it begins in its file, in bytes."""


def read_rule_dump_head(part: Part) -> tuple[RuleDumpHead, list[Problem]]:
    """Read the head of a rule's dump, or what a damaged one still tells."""
    keys, torn, problems = read_document(part, _Keys, "rule dump")
    name = None if part.offset else _NAME.search(PurePath(part.path).name)
    time = keys.timestamp
    if time is None or not math.isfinite(time):
        time = int(name["time"]) / 1000 if name else math.nan
    head = RuleDumpHead(
        path=part.path,
        offset=part.offset,
        time=time,
        session_id=keys.session_id,
        context_id=keys.context_id,
        call_id=keys.tool_call_id,
        pass_name=keys.rule_compression_pass or (name["pass_name"] if name else None),
        rule=keys.rule_compression_type or (name["rule"] if name else None),
        original_chars=sound_count(keys.original_chars),
        result_chars=sound_count(keys.compressed_chars),
        torn=torn,
    )
    return head, problems


def read_rule_dump(path: str, offset: int = 0) -> RuleDump | None:
    """Read a whole rule's dump; None where it is damaged.

    Raises:
        OSError: the file cannot be opened or read.
    """
    return read_model(path, RuleDump, offset)
