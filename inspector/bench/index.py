"""Reading records: the index against a full decode, its memory, and large trees."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from inspector.bench.generators import write_checks, write_long_line, write_records, write_tree
from inspector.bench.goal import MEGA, Bench, Goal, compared, missing, told
from inspector.sources.header import HeadPool
from inspector.sources.jsonl import JsonlIndex
from inspector.trace.opened import open_traces

_MEASURE = """
import resource, sys
from inspector.sources.header import HeadPool
from inspector.sources.jsonl import JsonlIndex
index = JsonlIndex(sys.argv[1], HeadPool())
for _ in index.read():
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, len(index.columns))
"""


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure reading."""
    path = bench.scratch / "large.jsonl"
    write_records(path, bench.size.bytes)
    ours = _seconds(lambda: _index(path))
    decode, peer = _decoder()
    yield compared(
        "header index / full decode", ours, _seconds(lambda: _decode(path, decode)), 0.7, peer
    )
    if shutil.which("wc"):
        counting = _seconds(
            lambda: subprocess.run(["wc", "-l", str(path)], capture_output=True, check=True)
        )
        yield compared("header index / wc -l (measured 9 to 16)", ours, counting, 16, "wc -l")
    if shutil.which("lnav"):
        command = ["lnav", "-n", "-c", ":goto 100", str(path)]
        loading = _seconds(lambda: subprocess.run(command, capture_output=True, check=True))
        yield compared("header index / lnav load", ours, loading, 0.7, "lnav")
    else:
        yield missing("header index / lnav load", 0.7, "lnav is not installed")
    yield _memory(path)
    yield missing(
        "re-open / cold index", 0.1, f"no index is kept on disk; a cold one takes {told(ours)}"
    )
    yield from _shapes(bench)


def _index(path: Path) -> JsonlIndex:
    index = JsonlIndex(path, HeadPool())
    for _ in index.read():
        pass
    return index


def _decoder() -> tuple[Callable[[bytes], Any], str]:
    if importlib.util.find_spec("orjson") is not None:
        return import_module("orjson").loads, "orjson"
    return msgspec.json.decode, "msgspec's full decode (orjson is not installed)"


def _decode(path: Path, decode: Callable[[bytes], Any]) -> None:
    with open(path, "rb") as file:
        for line in file:
            decode(line)


def _memory(path: Path) -> Goal:
    command = [sys.executable, "-c", _MEASURE, str(path)]
    told_by = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    peak, records = int(told_by[0]), int(told_by[1])
    allowed = 80 * MEGA + 40 * records
    detail = f"{peak / MEGA:.0f} MB against {allowed / MEGA:.0f} MB for {records:,} records"
    return Goal("peak memory of the index / 80 MB + 40 B a record", peak / allowed, 1, detail)


def _shapes(bench: Bench) -> Iterator[Goal]:
    """Measure what grows with other things than bytes, against plain records of the same size."""
    tree, long, plain = (bench.scratch / name for name in ("tree", "long.jsonl", "plain.jsonl"))
    write_tree(tree, bench.size.files)
    write_checks(plain, bench.size.files * 20)
    flat = _seconds(lambda: open_traces([plain]))
    yield compared(
        f"{bench.size.files:,} files / one file of as many records",
        _seconds(lambda: open_traces([tree])),
        flat,
        40,
        "one file",
    )
    write_long_line(long, 50 * MEGA)
    reading = _seconds(long.read_bytes)
    yield compared(
        "index of a 50 MB line / reading its bytes",
        _seconds(lambda: _index(long)),
        reading,
        10,
        "read",
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
