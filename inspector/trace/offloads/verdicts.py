"""How a pass over one tool result ended, and what that rests on (`engine.md` §7.4, D.6).

The log says of an offload that it happened; of everything else it says less: a line is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.processors.rules.content import ContentKind
from inspector.trace.rows import Candidate, Verdict

SMALL = "message_below_threshold"


@dataclass(frozen=True)
class Ending:
    """What is known of a pass."""

    ttl: bool
    """It is the pass of a window request after a pause."""
    triggered: bool
    """A line says that the result is too large."""
    tried: bool
    """A line says that a rule is about to be tried."""
    ruled: bool
    """A line says that a rule shortened the text, or its dump does."""
    stored: bool
    """A line says that the original was offloaded, or its file does."""
    rule: str | None = None
    keeps_diff: bool = False
    """The rule asks for its result not to be cut."""
    chars: int | None = None
    max_chars: int | None = None
    marked: bool = False
    """The text that came holds a marker."""
    shortened: bool = False
    """The message's metadata say that a rule had shortened it before."""
    lost: bool = False
    """Something unreadable stands where the pass's further lines would."""
    last: bool = False
    """Nothing follows that would have come after the pass."""
    tailing: bool = False


def judge_pass(ending: Ending) -> Verdict:
    """Conclude how a pass ended."""
    if ending.stored:
        reason = f"rule:{ending.rule}" if ending.rule else None
        return Verdict("offloaded", reason, "recorded")
    if ending.last and ending.tailing:
        return Verdict("running", None, "inferred")
    if ending.lost:
        why = "something unreadable stands in the log where its further lines would"
        likely = "write_failed" if ending.tried else "protected_tool"
        return Verdict("undecided", None, "inferred", (Candidate(likely, why),))
    if ending.ruled:
        return _not_stored(ending)
    if ending.tried:
        return _not_shortened(ending)
    return _not_tried(ending)


def _not_stored(ending: Ending) -> Verdict:
    why = "a rule shortened the text, and no line says that the original was offloaded"
    if not ending.triggered and not ending.tried:  # only the rule's dump is left
        possible = (Candidate("offloaded", why), Candidate("cut", why))
        return Verdict("undecided", None, "inferred", possible)
    if ending.rule == ContentKind.GIT_DIFF and ending.keeps_diff:
        return _gave_up(ending, why)
    return Verdict("cut", "write_failed", "inferred", because=why)


def _not_shortened(ending: Ending) -> Verdict:
    why = "a rule was tried, and no line says that the original was offloaded"
    if not ending.ttl:
        return _gave_up(ending, why)
    if ending.chars is None or ending.max_chars is None:
        possible = (Candidate("nothing_to_save", why), Candidate("write_failed", why))
        return Verdict("undecided", None, "inferred", possible)
    if ending.chars <= ending.max_chars:
        short = f"no rule saved anything, and {ending.chars} characters are few enough"
        return Verdict("declined", "nothing_to_save", "inferred", because=short)
    return _gave_up(ending, why)


def _not_tried(ending: Ending) -> Verdict:
    why = "the result is too large, and no line says that it was worked on"
    if not ending.triggered:
        return Verdict("undecided", None, "inferred")
    if ending.shortened and ending.ttl:
        return Verdict("declined", "already_shortened", "inferred", because=why)
    if ending.ttl:
        return Verdict("undecided", None, "inferred", (Candidate("interrupted", why),))
    if ending.marked:
        held = "the result itself holds a marker of an offload"
        return Verdict("declined", "already_offloaded", "inferred", because=held)
    return Verdict("declined", "protected_tool", "inferred", because=why)


def _gave_up(ending: Ending, why: str) -> Verdict:
    possible = [Candidate("write_failed", why)]
    if ending.last:
        possible.append(Candidate("interrupted", "nothing follows it in the log"))
    return Verdict("gave_up", None, "inferred", tuple(possible), why)
