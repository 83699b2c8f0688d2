"""Whether compressions were archived, and in pieces of which length.

A memory block names its archive, so that tells the switch; the archive's pieces tell the lengths,
where a turn was long enough to be cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from engine.config import CompressionRecallConfig
from engine.recall.archive import BYTES_PER_TOKEN
from inspector.replay.recovery.recorded import RecordedStep, is_engine_block, windows_of
from inspector.trace.evidence.archives import RecallView, TurnView
from inspector.trace.evidence.markers import find_markers
from inspector.trace.recording import Recording

_HEAD_END = "\n---\n\n"


class RecoveredRecall(NamedTuple):
    """The settings of archives; None: there were none."""

    config: CompressionRecallConfig | None
    assumed: dict[str, Any]


def recovered_recall(trace: Recording, steps: Iterable[RecordedStep]) -> RecoveredRecall:
    """Return the settings of a context's archives; reads files where there are any."""
    if not any(_names_archive(step) for step in steps):
        return RecoveredRecall(None, {})
    usual = CompressionRecallConfig(enabled=True)
    turns = [turn for view in _archives(trace) for turn in view.turns]
    cut = [pieces for turn in turns if len(pieces := list(_pieces(turn))) > 1]
    longest = max((_tokens(piece) for pieces in cut for piece in pieces[:-1]), default=0)
    repeated = [_repeated(a, b) for pieces in cut for a, b in pairwise(pieces)]
    size = longest or usual.chunk_size_tokens
    overlap = min(repeated, default=usual.chunk_overlap_tokens)
    config = CompressionRecallConfig(
        enabled=True, chunk_size_tokens=size, chunk_overlap_tokens=max(min(overlap, size - 1), 1)
    )
    lengths = {"chunk_size_tokens": size, "chunk_overlap_tokens": config.chunk_overlap_tokens}
    return RecoveredRecall(config, {f"recall.{name}": n for name, n in lengths.items()})


def _names_archive(step: RecordedStep) -> bool:
    blocks = (chat for window in windows_of(step) for chat in window if is_engine_block(chat))
    return any(
        marker.kind == "recall" for chat in blocks for marker in find_markers(chat["content"])
    )


def _archives(trace: Recording) -> Iterator[RecallView]:
    decisions = trace.decisions
    acted = [
        at for at, name in enumerate(decisions.outcomes) if name in ("compressed", "materialised")
    ]
    for row in range(len(decisions)):
        if decisions.outcome[row] in acted:
            recall = trace.detail(row).recall
            if recall is not None:
                yield recall


def _pieces(turn: TurnView) -> Iterator[str]:
    """Yield the pieces of a turn without what stands in front of each."""
    for chunk in turn.chunks:
        _head, _end, piece = chunk.text.partition(_HEAD_END)
        yield piece.removesuffix("\n")


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _repeated(piece: str, following: str) -> int:
    """Return the tokens of a piece's end that the next one repeats."""
    longest = min(len(piece), len(following) - 1)
    chars = (n for n in range(longest, 0, -1) if piece.endswith(following[:n]))
    return _tokens(following[: next(chars, 0)])
