"""The kinds of line that a summary is made of, and the sections of a snapshot that hold them.

To keep a new kind of line, add it here with its sections, a cue in `engine.summarizers.cues`, and a
share of the room in `engine.summarizers.extractive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from engine.wording import SNAPSHOT_SECTIONS, BlockKind

LineKind = Literal[
    "constraint",
    "task",
    "request",
    "todo",
    "error",
    "number",
    "decision",
    "command",
    "work",
    "state",
    "understanding",
    "oddity",
    "path",
]
"""What a line tells: `task` is the newest request, `request` an older one, `state` the last words
of the assistant, `understanding` whatever an earlier memory block says of the system, `oddity`
any line whose words are rare in the span."""

Source = Literal["user", "assistant", "call", "tool", "memory"]
"""Whose words a line is; `call` is the arguments of a tool call."""

_HOLDS: Final[Mapping[str, tuple[LineKind, ...]]] = {
    "Active Task": ("task", "request"),
    "Active Task and Success Criteria": ("task",),
    "Blockers, Risks, and Verification": ("error",),
    "Completed Work in This Active Segment": ("work", "command"),
    "Constraints and Preferences": ("constraint",),
    "Critical Context": ("number", "oddity"),
    "Cross-Cutting Files, Code Areas, and Artifacts": ("path",),
    "Current Execution State": ("work", "command"),
    "Current Files, Code Areas, and Artifacts": ("path",),
    "Current Task Facts, Decisions, Evidence, and Fixes": ("decision", "error"),
    "Current Work and Active State": ("state",),
    "Decisions, Constraints, Corrections, and Findings": ("decision",),
    "Durable Historical Information": ("number", "oddity"),
    "Evidence, Errors, Fixes, and Invalid Attempts": ("error",),
    "Files, Code Areas, Artifacts, and Codebase Understanding": ("understanding",),
    "Files, Code Areas, and Artifacts": ("path",),
    "Historical Pending Notes": ("todo", "state"),
    "Historical User Requests and Outcomes": ("request", "task"),
    "Historical Work Performed": ("work", "command"),
    "Immediate Resume Point": ("state",),
    "Immediate Resume Point and Next Useful Step": ("state",),
    "Key Facts, Decisions, Evidence, and Fixes": ("decision",),
    "Key Technical Concepts and Codebase Understanding": ("understanding",),
    "Learned User Requirements, Preferences, and Acceptance Criteria": ("constraint",),
    "Open Work, Blockers, Risks, and Verification": ("todo",),
    "Pending Tasks and Next Useful Step": ("todo",),
    "Relevant Files": ("path",),
    "Relevant Files & Structure": ("path",),
    "Repository and Codebase Understanding": ("understanding",),
}


@cache
def section_of(kind: LineKind, block: BlockKind) -> str:
    """Return the title under which a block keeps lines of a kind."""
    return next(title for title in SNAPSHOT_SECTIONS[block] if kind in _HOLDS[title])


def kind_under(title: str) -> LineKind | None:
    """Return the kind of line that stands under a section's title; None for no such title."""
    kinds = _HOLDS.get(title)
    return kinds[0] if kinds else None
