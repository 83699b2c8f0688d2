"""How a session's notes were kept and used, as a replay can repeat it.

The updater's checks say when an update began, and the next one that it had ended. The notes' text
is known where it took the messages' place: the memory block holds it, and names the last message
that it covers, which tells the update that wrote it. The text of the last update is in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from engine.messages import MESSAGE_ID, read_messages
from engine.messages.rounds import completed_api_rounds
from engine.processors.compressors.session_memory import SessionMemoryCompressor
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.notes import NOTES_NAME
from engine.session_memory.updater import PROCESSOR
from inspector.replay.cases.actions import Action, NotesAction
from inspector.replay.cases.case import Gap
from inspector.replay.cases.notes_reply import NotesReply
from inspector.replay.recovery.ratios import RecoveredSettings, thresholds
from inspector.replay.recovery.recorded import Chat, RecordedStep, windows_of
from inspector.sources.regular_file import read_regular
from inspector.trace.decision import Decision

COMPRESSOR, UPDATER = SessionMemoryCompressor.processor_type(), PROCESSOR
_RATIO, _UPDATE_RATIO = "trigger_context_ratio", "update_trigger_context_ratio"
_BLOCK = re.compile(
    r"<memory_block_session>.*?notes_upto_message_id=(?P<anchor>[^;\s]+);"
    r".*?<summary>\n(?P<notes>.*)\n</summary>",
    re.DOTALL,
)


class RecoveredNotes(NamedTuple):
    """What each update came to, in order, and what had to be made up."""

    replies: list[NotesReply] | None
    """None: no notes were kept."""
    gaps: list[Gap]


def notes_settings(
    uses: Sequence[Decision], updates: Sequence[Decision], settings: RecoveredSettings
) -> None:
    """Add the compressor that uses notes to a chain, with the settings of their updates."""
    values: dict[str, Any] = {"enabled": True}
    values |= settings.ratio(COMPRESSOR, _RATIO, thresholds(uses))
    memory = settings.ratio(
        COMPRESSOR,
        f"memory.{_UPDATE_RATIO}",
        thresholds(updates),
        default=SessionMemoryConfig().update_trigger_context_ratio,
    )
    if memory:
        values["memory"] = {_UPDATE_RATIO: memory[f"memory.{_UPDATE_RATIO}"]}
    settings.add(COMPRESSOR, values, (_RATIO, "max_notes_chars"))


def recovered_notes(
    steps: Sequence[RecordedStep], decisions: Mapping[str, Sequence[Decision]]
) -> RecoveredNotes:
    """Return what the updates of the notes came to.

    Args:
        steps: the window requests.
        decisions: those of session memory, by processor.
    """
    uses, checks = decisions.get(COMPRESSOR, ()), decisions.get(UPDATER, ())
    if not checks:
        return RecoveredNotes(None, [])
    begun = [d.step for d in checks if d.outcome == "update_started"]
    ends = [d for d in checks if d.outcome in ("notes_updated", "notes_unchanged", "undecided")]
    told = sorted(d.step for d in checks if d.step is not None and d.tokens is not None)
    updates = [_Update(step, _late(step, told)) for step in begun]
    for update, end in zip(updates, ends, strict=False):
        update.failed = end.outcome == "notes_unchanged"
    windows = {step.number: [*_left(step), *windows_of(step)] for step in steps}
    for use in uses:
        if use.outcome == "materialised" and use.step is not None:
            _take_use(use.step, updates, windows)
    if updates and ends and updates[-1].text is None:
        updates[-1].text = _file_text(ends[-1])
    return _replies(updates)


def notes_as_written(
    steps: Sequence[RecordedStep], decisions: Mapping[str, Sequence[Decision]]
) -> dict[int, list[Action]]:
    """Return, by window request, the notes that were used there, where no record of updates is."""
    if decisions.get(UPDATER):
        return {}
    windows = {step.number: list(windows_of(step)) for step in steps}
    used = (d.step for d in decisions.get(COMPRESSOR, ()) if d.outcome == "materialised")
    found: dict[int, list[Action]] = {}
    for step in used:
        for window in windows.get(step or 0, ())[:1]:
            block = _block_of(window)
            if block is not None and step is not None:
                notes = NotesAction(do="notes", text=block["notes"], upto_index=-len(window))
                found[step] = [notes]
    return found


class _Update:
    """One update of the notes."""

    def __init__(self, step: int | None, late: int) -> None:
        self.step = step or 0
        self.late = late
        self.text: str | None = None
        self.failed = False


def _late(step: int | None, told: Sequence[int]) -> int:
    """Return how many windows were built until the updater was heard of again."""
    following = told[bisect_right(told, step or 0) :]
    return following[0] - (step or 0) - 1 if following else 0


def _take_use(
    step: int, updates: Sequence[_Update], windows: Mapping[int, Sequence[Sequence[Chat]]]
) -> None:
    """Tell from the notes that were used at a step which update had written them.

    Where no window shows which one covered just as much, the latest is taken.
    """
    block = _block_from(step, windows)
    before = [update for update in updates if update.step < step]
    if block is None or not before:
        return
    covering = (u for u in reversed(before) if _covered(windows.get(u.step, ())) == block["anchor"])
    writer = next(covering, before[-1])
    writer.text = block["notes"]
    for later in before[before.index(writer) + 1 :]:
        later.late = max(later.late, step - later.step)


def _left(step: RecordedStep) -> Iterator[Sequence[Chat]]:
    """Yield what records state to have come in place of messages at a step."""
    return (change.left for change in step.changes if not change.adding)


def _block_from(step: int, windows: Mapping[int, Sequence[Sequence[Chat]]]) -> re.Match[str] | None:
    """Return the notes that took the messages' place, from the first window since that is known."""
    since = (window for number in sorted(windows) if number >= step for window in windows[number])
    return next((_block_of(window) for window in since), None)


def _block_of(window: Sequence[Chat]) -> re.Match[str] | None:
    content = window[0].get("content") if window else None
    return _BLOCK.match(content) if isinstance(content, str) else None


def _covered(windows: Sequence[Sequence[Chat]]) -> str | None:
    """Return the id of the last message of a window's last completed round."""
    window = windows[-1] if windows else ()
    rounds = completed_api_rounds(read_messages(window))
    if not rounds:
        return None
    given: str | None = (window[rounds[-1].stop - 1].get("metadata") or {}).get(MESSAGE_ID)
    return given


def _file_text(end: Decision) -> str | None:
    """Return the notes as they are now."""
    paths = [ref.path for ref in end.records if PurePath(ref.path).name == NOTES_NAME]
    try:
        return read_regular(paths[0]).decode(errors="replace").strip()
    except (OSError, IndexError):
        return None


def _replies(updates: Sequence[_Update]) -> RecoveredNotes:
    """Return the replies; the next text that is known stands for one that is not."""
    replies: list[NotesReply] = []
    known = ""
    for number, update in reversed(list(enumerate(updates, 1))):
        known = update.text or known
        missing = f"\n\n(What update {number} wrote is in no file.)"
        text = update.text or known + missing
        replies.insert(0, NotesReply(content=None if update.failed else text, late=update.late))
    unknown = [update for update in updates if update.text is None and not update.failed]
    gaps = []
    if unknown:
        what = (
            f"what {len(unknown)} of {len(updates)} updates of the notes wrote is in no file; "
            "the notes of the next update that is known stand for it"
        )
        gaps.append(Gap(step=unknown[0].step, what=what))
    return RecoveredNotes(replies, gaps)
