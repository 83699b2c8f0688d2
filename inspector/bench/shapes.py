"""Input that grows with other things than bytes: many files, one long line."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.bench.generators import write_long_line, write_tree
from inspector.bench.goal import MEGA, Bench, Goal, compared, rivals, told
from inspector.bench.index import read
from inspector.trace.opened import open_traces

_SHARE = 10
_LONG = 50 * MEGA


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure how reading grows with the files, and with a line."""
    many, few = bench.size.files, bench.size.files // _SHARE
    trees = [bench.scratch / f"{files}" for files in (many, few)]
    for tree, files in zip(trees, (many, few), strict=True):
        write_tree(tree, files)
    large, small = rivals(lambda: open_traces([trees[0]]), lambda: open_traces([trees[1]]), 2)
    detail = f"{told(large)} for {many:,} files, a session each, {told(small)} for {few:,}"
    yield Goal(f"{few:,} to {many:,} files / linear", large / small / _SHARE, 1.3, detail)
    long = bench.scratch / "long.jsonl"
    write_long_line(long, _LONG)
    ours, reading = rivals(lambda: read([long]), long.read_bytes)
    yield compared(f"index of a line of {_LONG // MEGA} MB / reading it", ours, reading, 10, "read")
