"""Reading records: the index against other ways to read the same files, and its memory."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from inspector.bench.generators import write_checks
from inspector.bench.goal import MEGA, Bench, Goal, compared, missing, rivals, told
from inspector.bench.largest_session import BYTES, write_session
from inspector.sources.lines.header import HeadPool
from inspector.sources.lines.jsonl import BLOCK, JsonlIndex
from inspector.sources.lines.sound_lines import line_ends

_MEASURE = """
import sys
from pathlib import Path
from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan
records = sum(source.records for source in list(scan(sys.argv[1:], HeadPool())))
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) * 1024, records)
"""
"""Counts its own memory only: `ru_maxrss` begins with what the process had that started it."""
_LARGE_RESULTS = (
    "of each line about a large tool result the index keeps ids, handle, path and sizes, some 350 "
    "bytes; next: keep the lines about one result together, and their figures in columns"
)
_LONG_TEXTS = (
    "most bytes are texts of tool results: to read, skip and check them takes half as long as to "
    "decode them, and the objects kept of each line about a large result a third; next: keep the "
    "lines about one result together, then index the files of a folder in two processes"
)
_KEPT_INDEX = (
    "no index is kept on disk: it would have to prove that the file is the same but for its end, "
    "and names tool results by numbers that differ in each process; next: keep the columns and "
    "heads in the user's cache folder, under path, size, time and both ends of the file"
)
_LNAV_FORMAT = {
    "context_debug": {
        "title": "Context debug",
        "json": True,
        "hide-extra": True,
        "timestamp-field": "timestamp",
        "body-field": "event",
        "line-format": [{"field": "__timestamp__"}, " ", {"field": "event"}],
        "value": {name: {"kind": "string"} for name in ("event", "processor", "session_id")},
    }
}


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure reading: a session as it is recorded, then as many short records."""
    folder, short = bench.scratch / "session", bench.scratch / "short.jsonl"
    write_session(folder, bench.size.bytes / BYTES)
    yield from _against_peers(
        "recorded mix", sorted(folder.iterdir()), bench, _LONG_TEXTS, _LARGE_RESULTS
    )
    write_checks(short, bench.size.rows)
    yield from _against_peers("short records", [short], bench)


def _against_peers(
    name: str, paths: Sequence[Path], bench: Bench, slower: str = "", larger: str = ""
) -> Iterator[Goal]:
    """Measure these files.

    Args:
        name: What they hold.
        paths: The files.
        bench: How to measure.
        slower: Why they may take more time than the goal allows.
        larger: Why they may take more memory.
    """
    size = sum(path.stat().st_size for path in paths)
    name = f"{name} of {size / MEGA:.0f} MB"
    yield _offsets(name, paths)
    decode, peer = _decoder()
    ours, theirs = rivals(lambda: read(paths), lambda: _decode(paths, decode))
    yield compared(f"header index / full decode, {name}", ours, theirs, 0.7, peer, slower)
    yield _lnav(name, paths, bench.scratch / "lnav", slower)
    yield _memory(name, paths, larger)
    detail = f"a cold index takes {told(ours)}"
    yield missing(f"re-open from a kept index / cold index, {name}", 0.1, detail, _KEPT_INDEX)


def read(paths: Sequence[str | Path]) -> int:
    """Index files; return how many records they hold."""
    pool, records = HeadPool(), 0
    indexes = [JsonlIndex(path, pool) for path in paths]
    for index in indexes:
        for _ in index.read():
            pass
        records += len(index.columns)
    return records


def _offsets(name: str, paths: Sequence[Path]) -> Goal:
    name = f"offsets of lines / wc -l, {name}"
    if shutil.which("wc") is None:
        return missing(name, 8, "wc is not installed")

    def ours() -> None:
        for path in paths:
            with open(path, "rb") as file:
                while block := file.read(BLOCK):
                    line_ends(block)

    return compared(name, *rivals(ours, lambda: _run(["wc", "-l", *paths])), 8, "wc -l")


def _decoder() -> tuple[Callable[[bytes], Any], str]:
    if importlib.util.find_spec("orjson") is not None:
        return import_module("orjson").loads, "orjson"
    return msgspec.json.decode, "msgspec's full decode (orjson is not installed)"


def _decode(paths: Sequence[Path], decode: Callable[[bytes], Any]) -> None:
    for path in paths:
        with open(path, "rb") as file:
            for line in file:
                decode(line)


def _lnav(name: str, paths: Sequence[Path], settings: Path, reason: str) -> Goal:
    name = f"header index / lnav's load, {name}"
    if shutil.which("lnav") is None:
        return missing(name, 0.7, "lnav is not installed")
    format_ = settings / "formats" / "context_debug" / "format.json"
    format_.parent.mkdir(parents=True, exist_ok=True)
    format_.write_text(json.dumps(_LNAV_FORMAT), encoding="utf-8")
    command = ["lnav", "-I", settings, "-q", "-n", "-c", ":goto 100", *paths]
    ours, theirs = rivals(lambda: read(paths), lambda: _run(command), 2)
    return compared(name, ours, theirs, 0.7, "lnav", reason)


def _memory(name: str, paths: Sequence[Path], reason: str) -> Goal:
    name = f"peak memory of the index / 80 MB + 40 B a record, {name}"
    if not Path("/proc/self/status").exists():
        return missing(name, 1, "only Linux tells a process's own peak")
    told_by = _run([sys.executable, "-c", _MEASURE, *paths]).split()
    peak, records = int(told_by[0]), int(told_by[1])
    allowed = 80 * MEGA + 40 * records
    detail = f"{peak / MEGA:.0f} MB against {allowed / MEGA:.0f} MB for {records:,} records"
    return Goal(name, peak / allowed, 1, detail, reason=reason)


def _run(command: Sequence[object]) -> str:
    """Run a command; return what it says."""
    return subprocess.run([*map(str, command)], capture_output=True, check=True, text=True).stdout
