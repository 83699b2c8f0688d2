"""The sections of a snapshot: what a compressor asks of a summary. A format, not wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

BlockKind = Literal["dialogue", "current", "round"]
"""Which compressor a memory block comes from."""

SNAPSHOT_SECTIONS: Final[Mapping[BlockKind, tuple[str, ...]]] = {
    "dialogue": (
        "Historical User Requests and Outcomes",
        "Learned User Requirements, Preferences, and Acceptance Criteria",
        "Historical Work Performed",
        "Key Technical Concepts and Codebase Understanding",
        "Files, Code Areas, and Artifacts",
        "Decisions, Constraints, Corrections, and Findings",
        "Evidence, Errors, Fixes, and Invalid Attempts",
        "Critical Context",
        "Relevant Files",
        "Historical Pending Notes",
    ),
    "current": (
        "Active Task",
        "Constraints and Preferences",
        "Completed Work in This Active Segment",
        "Current Work and Active State",
        "Immediate Resume Point",
        "Pending Tasks and Next Useful Step",
        "Key Facts, Decisions, Evidence, and Fixes",
        "Files, Code Areas, Artifacts, and Codebase Understanding",
        "Blockers, Risks, and Verification",
        "Critical Context",
        "Relevant Files & Structure",
    ),
    "round": (
        "Active Task and Success Criteria",
        "Current Execution State",
        "Immediate Resume Point and Next Useful Step",
        "Current Task Facts, Decisions, Evidence, and Fixes",
        "Current Files, Code Areas, and Artifacts",
        "Repository and Codebase Understanding",
        "Historical User Requests and Outcomes",
        "Learned User Requirements, Preferences, and Acceptance Criteria",
        "Historical Work Performed",
        "Durable Historical Information",
        "Cross-Cutting Files, Code Areas, and Artifacts",
        "Open Work, Blockers, Risks, and Verification",
        "Critical Context",
        "Relevant Files",
    ),
}
"""Titles of the sections, in the order in which the prompts ask for them."""
