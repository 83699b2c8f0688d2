"""Everything there is to see about what an offloader did to one tool result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.debug.offload_records import RuleDump
from engine.processors.offloaders.marker import cut
from engine.wording import Wording
from inspector.sources.documents.offload_file import OffloadFileHead, read_offload
from inspector.sources.documents.rule_dump import read_rule_dump
from inspector.trace.detail import (
    Detail,
    Evidence,
    RuleView,
    StoredView,
    TraceMessage,
    WindowDiff,
    WindowRow,
)
from inspector.trace.evidence.markers import Marker, Payloads
from inspector.trace.evidence.raw_records import RawRecord, raw_record
from inspector.trace.evidence.records import (
    ContextRecords,
    OffloadRecords,
    objects,
    read_at,
    record_offset,
)
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.windows.stored import originals_of
from inspector.trace.windows.window import trace_messages


def check_detail(records: OffloadRecords, at: int) -> Detail:
    """Return the detail of a result that was small enough: its line.

    Raises:
        OSError: the log cannot be read any more.
    """
    path, offset, length = record_offset(records, at)
    note = "The log holds no text of a result that is small enough."
    return Detail(records=(raw_record(path, offset, length, "threshold_check"),), notes=(note,))


def pass_detail(
    told: OffloadPass,
    records: OffloadRecords | None,
    dated: ContextRecords | None,
    payloads: Payloads,
) -> Detail:
    """Return the detail of a pass over a large result.

    Args:
        told: The pass.
        records: The offloader's log, where there is one.
        dated: The records in which its end may be stated.
        payloads: Where originals are.

    Raises:
        OSError: one of its files cannot be read any more.
    """
    texts = _texts(told, records, dated)
    stored = _stored(told, payloads)
    return Detail(
        windows=_change(told, texts),
        rule=_rule(told, texts),
        stored=stored,
        records=tuple(_raw(told, records, dated)),
        notes=tuple(_notes(told, texts, stored)),
    )


@dataclass(frozen=True)
class _Texts:
    """What the files hold of the result's text; None: they do not."""

    original: str | None
    ruled: str | None
    """What a rule made of it."""
    stand_in: str | None
    """What took its place."""
    evidence: Evidence
    details: Mapping[str, Any]


def _texts(
    told: OffloadPass, records: OffloadRecords | None, dated: ContextRecords | None
) -> _Texts:
    lines = [] if records is None else [read_at(records, at) for at in told.positions]
    dump = read_rule_dump(told.rule_dump.path, told.rule_dump.offset) if told.rule_dump else None
    original = _said("original_content", lines)
    if original is None and dump is not None:
        original = dump.original_content
    if original is None and told.file is not None and not told.file.empty:
        original = _original_in(told.file)
    ruled = _said("compressed_content", lines)
    if ruled is None and dump is not None:
        ruled = dump.compressed_content
    stated = _stated(told, dated)
    if stated is not None:
        return _Texts(original, ruled, stated, "recorded", _details(lines, dump))
    stand_in, evidence = _stand_in(told, original, _said("offloaded_content", lines))
    return _Texts(original, ruled, stand_in, evidence, _details(lines, dump))


def _stated(told: OffloadPass, dated: ContextRecords | None) -> str | None:
    """Return what took the result's place by its writer's statement, where that holds it."""
    if told.stated is None or told.stated.handle is None or dated is None:
        return None
    return _said("content", objects(read_at(dated, told.stated.at).get("replacement")))


def _said(name: str, lines: list[dict[str, Any]]) -> str | None:
    texts = (line.get(name) for line in lines)
    return next((text for text in texts if isinstance(text, str)), None)


def _original_in(head: OffloadFileHead) -> str | None:
    file = read_offload(head.path, head.offset)
    content = file.messages[0].get("content") if file and file.messages else None
    return content if isinstance(content, str) else None


def _stand_in(
    told: OffloadPass, original: str | None, offloaded: str | None
) -> tuple[str | None, Evidence]:
    """Return what took the result's place; the engine cuts it after its last line in the log."""
    most = told.told("max_chars")
    if told.verdict.outcome == "cut":
        return (
            (None, "missing")
            if original is None or most is None
            else (original[:most], "reconstructed")
        )
    if offloaded is None:
        return None, "missing"
    keeps = any(entry.keeps_diff for entry in told.entries)
    if told.ruled and not keeps and most is not None and len(offloaded) > most:
        return cut(offloaded, most, Wording.default().offload), "reconstructed"
    return offloaded, "recorded"


def _details(lines: list[dict[str, Any]], dump: RuleDump | None) -> Mapping[str, Any]:
    if dump is not None:
        return dump.details
    metadata = (line.get("message_metadata") for line in lines)
    found = (m.get("rule_compression_details") for m in metadata if isinstance(m, dict))
    return next((details for details in found if isinstance(details, dict)), {})


def _change(told: OffloadPass, texts: _Texts) -> WindowDiff | None:
    before, after = _message(told, texts.original), _message(told, texts.stand_in)
    if before is None:
        return None
    worked = told.verdict.outcome in ("offloaded", "cut")
    if not worked:
        row = WindowRow(before, before, "kept")
    elif after is None:
        row = WindowRow(before, None, "offloaded")
    else:
        row = WindowRow(before, after, "offloaded", changed=before.content != after.content)
    evidence: Evidence = texts.evidence if worked else "recorded"
    return WindowDiff((row,), told.told("tokens"), None, "recorded", evidence)


def _message(told: OffloadPass, text: str | None) -> TraceMessage | None:
    if text is None:
        return None
    role = told.file.roles[0] if told.file is not None and told.file.roles else "tool"
    chat: dict[str, Any] = {"role": role, "content": text, "tool_call_id": told.call_id or ""}
    if told.told("message_id"):
        chat["metadata"] = {"context_message_id": told.told("message_id")}
    return trace_messages([chat])[0]


def _rule(told: OffloadPass, texts: _Texts) -> RuleView | None:
    if told.rule is None or texts.original is None or texts.ruled is None:
        return None
    most = told.told("max_chars")
    shortened = texts.stand_in is not None and texts.ruled not in texts.stand_in
    return RuleView(
        rule=told.rule,
        original=texts.original,
        result=texts.ruled,
        details=dict(texts.details),
        cut=shortened and most is not None,
    )


def stored_by(told: OffloadPass, payloads: Payloads) -> StoredView | None:
    """Return the original that a pass stored, without its text; None where it stored none."""
    if not told.handle:
        return None
    marker = Marker("offload", 0, 0, told.handle, told.told("stored_as"), told.told("path"))
    return StoredView(payloads.locate(marker), call_id=told.call_id)


def _stored(told: OffloadPass, payloads: Payloads) -> tuple[StoredView, ...]:
    view = stored_by(told, payloads)
    return () if view is None else (replace(view, originals=originals_of(view.payload)),)


def _raw(
    told: OffloadPass, records: OffloadRecords | None, dated: ContextRecords | None
) -> Iterator[RawRecord]:
    for at, entry in zip(told.positions, told.entries, strict=True):
        if records is not None:
            yield raw_record(*record_offset(records, at), entry.event)
    if told.stated is not None and dated is not None:
        yield raw_record(*record_offset(dated, told.stated.at), "outcome")
    if told.rule_dump is not None:
        yield raw_record(told.rule_dump.path, told.rule_dump.offset, None, "rule_dump")
    if told.file is not None:
        yield raw_record(told.file.path, told.file.offset, None, "offload")


def _notes(told: OffloadPass, texts: _Texts, stored: tuple[StoredView, ...]) -> Iterator[str]:
    outcome = told.verdict.outcome
    yield from told.verdict.grounds
    if not told.entries and told.stated is None:
        yield "No line of a log tells of this; its file alone does, which names no context."
    if told.reload_of:
        yield f"The agent had just reloaded this: it is the original {told.reload_of} again."
    if outcome == "cut":
        yield "Only the first characters of the result are left; no file holds the original."
    if texts.evidence == "reconstructed" and outcome == "offloaded":
        yield "What took the result's place is cut here as the engine cuts it; no file holds it."
    if any(view.payload.where == "dangling" for view in stored):
        yield "The file that the marker names is not where it should be: the original is gone."
