"""A tree of debug files that is written step by step, with everything that happens to logs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from hypothesis import strategies as st

from inspector.sources.lines.header import HeadPool
from inspector.sources.scan import scan, settle
from inspector.trace.opened import Opened, read_traces
from tests.debug_files import Record, check, dump, hit, line, listed, record, retry, span

PROCESSORS = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
Step = tuple[str, int, int]
"""What is done, to which file, and how much of it."""

steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 4), st.integers(1, 2_500)),
        st.tuples(st.just("write"), st.integers(0, 4), st.integers(1, 300)),
        st.tuples(st.just("look"), st.integers(0, 4), st.integers(0, 1)),
        st.tuples(
            st.sampled_from(["quiet", "truncate", "rotate", "copy", "replace", "recreate"]),
            st.integers(0, 4),
            st.integers(0, 3_000),
        ),
    ),
    min_size=5,
    max_size=60,
)


def records_of(session: str, processor: str, count: int) -> Iterable[Record]:
    """Yield the records of one compressor: declines, and attempts that end in every way.

    In one session some of them state how they ended.
    """
    for at in range(count):
        time, ids = at * 10.0 + PROCESSORS.index(processor), {"session_id": session}
        kind = at % 5
        if kind < 2:
            yield check(processor, time, 1_000 + at, **ids)
            continue
        yield hit(processor, time, 9_000 + at) | ids
        built = span(processor, time + 0.1, compress=[listed("tool", f"result {at} 中文")])
        yield built | ids
        if kind == 2 and session == "one":
            ended = {"phase": "get_context_window", "outcome": "gave_up", "reason": "empty_answer"}
            yield record("outcome", processor, time + 0.2, **ended, **ids)
        if kind == 3:
            yield retry(processor, time + 0.2, 1, "transient_backoff", delay_seconds=1.0, **ids)
        if kind == 4:
            yield retry(processor, time + 0.3, 1, "no_smaller_span", **ids)


class GrowingTree:
    """Five files: three with records of several contexts each, two dumps."""

    def __init__(self, root: Path) -> None:
        folder = root / "context" / "s_context" / "context_debug"
        dumps = root / "context" / "s_context" / "compression_logs"
        folder.mkdir(parents=True)
        dumps.mkdir()
        self.root = root
        self.paths = [folder / f"{name}.jsonl" for name in PROCESSORS]
        self._left: list[bytes] = []
        for name in PROCESSORS:
            mixed = zip(records_of("one", name, 15), records_of("two", name, 15), strict=False)
            self._left.append(b"".join(line(record) for pair in mixed for record in pair))
        for at in (2, 7):
            document = dump(PROCESSORS[0], at * 10.0 + 0.5, 9_000, 5_000, (1, 1, 1))
            document["session_id"] = "one"
            self.paths.append(dumps / f"{int(document['timestamp'] * 1000)}_{at}.json")
            self._left.append(json.dumps(document, indent=1).encode())
        self._rotated = 0

    def do(self, step: Step) -> None:
        """Change one file as a step says; other steps change nothing."""
        name, at, amount = step
        path = self.paths[at]
        if name == "write":
            self._write(at, amount)
        elif path.exists() and at < len(PROCESSORS):
            self._happen(name, path, amount)

    def finish(self) -> None:
        """Write what is left."""
        for at in range(len(self.paths)):
            self._write(at, 1 << 30)

    def at_rest(self) -> Opened:
        """Read the tree as it is."""
        pool = HeadPool()
        sources = list(scan([str(self.root)], pool))
        settle(sources)
        return Opened(tuple(sources), tuple(read_traces(sources, pool, tailing=True)))

    def _write(self, at: int, amount: int) -> None:
        chunk, self._left[at] = self._left[at][:amount], self._left[at][amount:]
        if chunk:
            with open(self.paths[at], "ab") as file:
                file.write(chunk)

    def _happen(self, name: str, path: Path, amount: int) -> None:
        self._rotated += 1
        aside = path.with_name(f"{path.name}.{self._rotated}")
        if name == "truncate":
            os.truncate(path, min(amount, path.stat().st_size))
        elif name == "rotate":
            path.rename(aside)
        elif name == "copy":
            shutil.copyfile(path, aside)
            os.truncate(path, 0)
        elif name == "replace":
            aside.write_bytes(path.read_bytes()[amount:])
            aside.replace(path)
        elif name == "recreate":
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content[:amount])


def told(opened: Opened) -> dict[str, list[str]]:
    """Return every decision of every context as JSON, to compare with."""
    return {
        f"{trace.session_id}/{trace.context_id}": [
            json.dumps(trace.decision(row).to_json()) for row in range(len(trace.decisions))
        ]
        for trace in opened.traces
    }


def described(opened: Opened) -> dict[str, tuple[object, ...]]:
    """Return what is known of every file, to compare with."""
    return {
        source.path: (source.kind, source.bytes, source.records, source.writer, source.problems)
        for source in opened.sources
    }
