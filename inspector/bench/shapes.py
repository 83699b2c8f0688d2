"""Input that grows with other things than bytes: many files, one long line."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.bench.generators import write_checks, write_long_line, write_tree
from inspector.bench.goal import MEGA, Bench, Goal, compared, rivals
from inspector.bench.index import read
from inspector.trace.opened import open_traces

_RECORDS = 20
_LONG = 50 * MEGA
_SESSION_EACH = (
    "each file is a session of its own, and to correlate one takes about a millisecond however few "
    "its records are; next: correlate small sessions together"
)


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure these shapes against plain records of the same size."""
    tree, long, plain = (bench.scratch / name for name in ("tree", "long.jsonl", "plain.jsonl"))
    write_tree(tree, bench.size.files, _RECORDS)
    write_checks(plain, bench.size.files * _RECORDS)
    name = f"{bench.size.files:,} files / one file of as many records"
    many, one = rivals(lambda: open_traces([tree]), lambda: open_traces([plain]), 1)
    yield compared(name, many, one, 40, "one file", _SESSION_EACH)
    write_long_line(long, _LONG)
    ours, reading = rivals(lambda: read([long]), long.read_bytes)
    yield compared(f"index of a line of {_LONG // MEGA} MB / reading it", ours, reading, 10, "read")
