"""How an attempt ended that the files are silent about, and what may have been the cause.

An attempt is decided by one record or file where there is one. Otherwise what followed decides how
it ended: the next compressor of the same request sees an unchanged total after a give-up and
another one after a compression. The cause of a silent give-up stays open; `candidates` lists what
the files do not rule out, likeliest first, with the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.trace.rows import Candidate, Verdict

Dumps = Literal["on", "presumed", "off", "unknown"]
"""Whether a compression would have left a dump: one was found; its place was opened, and is empty;
a compression is known to have left none; the place is not known."""

BLOCK_OVERHEAD = 150
"""Tokens of a memory block around an empty summary, roughly (438 to 502 characters)."""
_NEAR = 1.25
_TRANSIENT_RETRIES = 2
_MOST = 4


@dataclass(frozen=True)
class Silence:
    """What is known about an attempt that no record or dump decides."""

    dumps: Dumps
    span_built: bool
    """The span was recorded, so the model was about to be asked."""
    backoffs: int
    """Transient errors that were followed by another call."""
    target: int | None
    """Tokens of the span to compress."""
    largest_block: int | None
    """Tokens of the largest memory block with recovered context in this session's dumps."""
    changed: bool | None
    """The context was rewritten, as the next total of the request or the next messages show."""
    archived: bool
    """An archive of what it would have replaced is there, and was not rolled back."""
    asked_on: bool | None
    """A later compressor was asked in the same request; None where there is none."""
    request_ended: bool
    """The agent's own model call followed."""
    last: bool
    """Nothing of this context follows."""
    tailing: bool


def judge(silence: Silence) -> Verdict:
    """Conclude how a silent attempt ended."""
    if silence.last and silence.tailing:
        return Verdict("running", None, "inferred")
    if silence.changed is not None:
        return _by_what_followed(silence)
    if silence.archived:
        kept = "the archive of what it replaced is there, and would be gone had it been given up"
        return Verdict("compressed", None, "inferred", because=kept)
    if not silence.span_built:
        why = "the check was passed, and then nothing was recorded"
        return Verdict("undecided", None, "inferred", (Candidate("interrupted", why),))
    if silence.dumps in ("on", "presumed"):
        missing = "a compression would have left a dump, and there is none"
        return Verdict("gave_up", None, "inferred", candidates(silence), missing)
    why = "whether a compression would have left a dump here is not known"
    if silence.dumps == "off":
        why = "compressions leave no dump here"
    possible = (Candidate("compressed", why), *candidates(silence))
    return Verdict("undecided", None, "inferred", possible[:_MOST])


def _by_what_followed(silence: Silence) -> Verdict:
    if silence.changed:
        return Verdict(
            "compressed", None, "inferred", because="what followed shows a rewritten context"
        )
    same = "what followed shows the context unchanged"
    return Verdict("gave_up", None, "inferred", candidates(silence), same)


def candidates(silence: Silence) -> tuple[Candidate, ...]:
    """Return the possible reasons of a silent give-up, likeliest first, at most four."""
    if silence.asked_on is False and not silence.request_ended:
        why = "the compressors after it in the chain were not asked in this request"
        return (Candidate("interrupted", why),)
    found = [_no_benefit(silence)]
    found += [
        Candidate("empty_answer", "an answer without text leaves no record"),
        Candidate("api_request_error", "a refused request is not repeated and leaves no record"),
        Candidate("authentication", "a refused key is not repeated and leaves no record"),
    ]
    if silence.backoffs >= _TRANSIENT_RETRIES:
        why = "two transient errors were recorded; a third one ends the attempt without a record"
        found.insert(0, Candidate("transient_exhausted", why))
    return tuple(found[:_MOST])


def _no_benefit(silence: Silence) -> Candidate:
    target, block = silence.target, silence.largest_block
    why = "the most frequent of the causes that leave no record"
    if target is not None and target <= BLOCK_OVERHEAD:
        why = f"the span held {target} tokens, a memory block alone takes about {BLOCK_OVERHEAD}"
    elif target is not None and block is not None and target <= _NEAR * block:
        why = f"the span held {target} tokens, this session's largest memory block {block}"
    return Candidate("no_benefit", why)
