"""Traces of files that are being written: in the end they are those of the files at rest."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from watchdog.observers.api import BaseObserver

from inspector.sources import tail as tail_module
from inspector.sources.lines.header import HeadPool
from inspector.sources.tail import Tail
from inspector.trace.live import Growth, LiveTraces, follow, same_decision
from inspector.trace.opened import open_traces
from tests.debug_files import DebugFolder, check, dump, hit, line, span
from tests.growing_tree import PROCESSORS, GrowingTree, Step, described, steps, told
from tests.patience import PATIENCE


class Reader:
    """Keeps up with a tree without threads."""

    def __init__(self, root: Path) -> None:
        pool = HeadPool()
        self.tail = Tail([str(root)], pool)
        self.traces = LiveTraces(self.tail, pool)

    def look(self, only: list[str] | None = None) -> None:
        for _ in self.tail.read(only):
            pass
        self.tail.settle()
        self.traces.update()

    def wait_until_quiet(self) -> None:
        """Let so much time pass that what is unfinished counts."""
        for file in self.tail._files.values():
            file.since -= tail_module.QUIET
        self.tail.settle()
        self.traces.update(settling=True)


@settings(max_examples=60)
@given(steps)
def test_a_growing_tree_ends_in_the_decisions_it_has_at_rest(script: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = GrowingTree(Path(folder))
        reader = Reader(tree.root)
        for step in script:
            tree.do(step)
            name, at, everywhere = step
            if name == "look":
                reader.look(None if everywhere else [str(tree.paths[at])])
            elif name == "quiet":
                reader.look()
                reader.wait_until_quiet()
        tree.finish()
        reader.look()
        reader.wait_until_quiet()
        rest = tree.at_rest()
        assert told(reader.traces.opened()) == told(rest)
        assert described(reader.traces.opened()) == described(rest)


@pytest.mark.parametrize("tree", ["f_message_offloader", "o_legacy_chain"])
def test_files_that_name_no_session_are_told_by_their_folder(shared: Path, tree: str) -> None:
    paths = [str(p) for p in (shared / "dumps" / tree).iterdir() if p.name in ("workspace", "cwd")]
    pool = HeadPool()
    reader = Reader(Path(paths[0]))
    reader.tail = Tail(paths, pool)
    reader.traces = LiveTraces(reader.tail, pool)
    reader.look()
    rest = open_traces(paths)
    live = sum(len(trace.decisions) for trace in reader.traces.opened().traces)
    assert live == sum(len(trace.decisions) for trace in rest.traces) > 1


class Follower:
    """Keeps up with paths on a thread of its own, as the window does."""

    def __init__(self, *paths: Path) -> None:
        self.states: list[Growth] = []
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._paths = [str(path) for path in paths]
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Follower:
        self._thread.start()
        self.until(lambda: bool(self.states) and self.states[-1].complete)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def last(self) -> Growth:
        return self.states[-1]

    def outcomes(self) -> dict[str, list[str]]:
        """Return the outcomes of each session, those that no record shows left out."""
        return {
            trace.session_id: [
                trace.decisions.outcomes[code]
                for code in trace.decisions.outcome[np.isfinite(trace.decisions.time)]
            ]
            for trace in self.last.content.traces
        }

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds."""
        patience = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < patience, "it did not come about"
            if self.failure is not None:
                raise self.failure
            time.sleep(0.005)

    def _run(self) -> None:
        try:
            self.states.extend(follow(self._paths, self._stop.is_set))
        except BaseException as error:
            self.failure = error


def test_what_twenty_files_are_given_while_they_are_read_all_arrives_once(tmp_path: Path) -> None:
    folders = [DebugFolder(tmp_path / f"w{n}") for n in range(4)]
    files = [
        open_log(folder, name) for folder in folders for name in (*PROCESSORS, "Other", "Another")
    ]
    total = 6_000
    with Follower(tmp_path) as follower:

        def more(before: int) -> bool:
            return len(follower.states) > before

        for n in range(total):
            path, processor, session = files[n % len(files)]
            with open(path, "ab") as file:
                file.write(line(check(processor, n * 0.0005, n, session_id=session)))
            if n % 500 == 0:
                follower.until(partial(more, len(follower.states)))
        follower.until(lambda: sum(map(len, follower.outcomes().values())) >= total)
        totals = [
            int(value)
            for trace in follower.last.content.traces
            for value in trace.decisions.total[np.isfinite(trace.decisions.time)]
        ]
        assert sorted(totals) == list(range(total))
        assert follower.last.watched
        seen = [sum(s.records for s in state.content.sources) for state in follower.states]
        assert seen == sorted(seen)


def open_log(folder: DebugFolder, processor: str) -> tuple[Path, str, str]:
    """Make the file of a processor; return it with the names to write into it."""
    logs = folder.session / "context_debug"
    logs.mkdir(parents=True, exist_ok=True)
    path = logs / f"{processor}.jsonl"
    path.touch()
    return path, processor, folder.root.name


def test_an_attempt_runs_until_its_end_is_seen(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([check(PROCESSORS[1], 0, 10), hit(PROCESSORS[1], 1)])
    with Follower(tmp_path) as follower:
        assert follower.outcomes()["sess"] == ["declined", "running"]
        folder.write([span(PROCESSORS[1], 1.1)])
        follower.until(lambda: follower.last.content.sources[0].records == 3)
        assert follower.outcomes()["sess"] == ["declined", "running"]
        folder.write_dump(dump(PROCESSORS[1], 2, 9_000, 5_000, (1, 1, 1)))
        follower.until(lambda: follower.outcomes()["sess"] == ["declined", "compressed"])


def test_a_half_written_dump_is_taken_when_it_parses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "QUIET", 3_600.0)
    folder = DebugFolder(tmp_path)
    folder.write([hit(PROCESSORS[1], 1), span(PROCESSORS[1], 1.1)])
    path = folder.write_dump(dump(PROCESSORS[1], 2, 9_000, 5_000, (1, 1, 1)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with Follower(tmp_path) as follower:
        assert follower.outcomes()["sess"] == ["running"]
        assert not follower.last.content.problems
        with open(path, "ab") as file:
            file.write(whole[len(whole) // 2 :])
        follower.until(lambda: follower.outcomes()["sess"] == ["compressed"])
        assert not follower.last.content.problems


def test_a_dump_that_stays_cut_off_counts_in_the_end(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([hit(PROCESSORS[1], 1), span(PROCESSORS[1], 1.1)])
    path = folder.write_dump(dump(PROCESSORS[1], 2, 9_000, 5_000, (1, 1, 1)))
    path.write_bytes(path.read_bytes()[:400])
    with Follower(tmp_path) as follower:
        follower.until(lambda: follower.outcomes()["sess"] == ["compressed"])
        assert [problem.path for problem in follower.last.content.problems] == [str(path)]


def test_new_folders_are_read(tmp_path: Path) -> None:
    with Follower(tmp_path) as follower:
        assert follower.last.content.traces == ()
        DebugFolder(tmp_path / "a" / "b" / "c").write([check(PROCESSORS[0], 1, 10)])
        follower.until(lambda: follower.outcomes() == {"sess": ["declined"]})


def test_what_is_gone_stays_and_is_marked(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([check(PROCESSORS[0], 1, 10), check(PROCESSORS[1], 2, 10)])
    path = folder.session / "context_debug" / f"{PROCESSORS[0]}.jsonl"
    with Follower(tmp_path) as follower:
        path.unlink()
        follower.until(lambda: any(source.gone for source in follower.last.content.sources))
        assert {s.path for s in follower.last.content.sources if s.gone} == {str(path)}
        assert follower.outcomes() == {"sess": ["declined", "declined"]}
        folder.write([check(PROCESSORS[0], 3, 10)])
        follower.until(lambda: not any(source.gone for source in follower.last.content.sources))
        assert follower.outcomes() == {"sess": ["declined", "declined"]}


def test_a_single_file_is_followed_through_its_replacement(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([check(PROCESSORS[0], 1, 10)])
    path = folder.session / "context_debug" / f"{PROCESSORS[0]}.jsonl"
    with Follower(path) as follower:
        other = tmp_path / "other"
        other.write_bytes(line(check(PROCESSORS[0], 5, 10)) + line(check(PROCESSORS[0], 6, 10)))
        other.replace(path)
        follower.until(lambda: follower.outcomes() == {"sess": ["declined", "declined"]})


def test_other_sessions_keep_their_traces(tmp_path: Path) -> None:
    for session in ("a", "b"):
        DebugFolder(tmp_path / session).write([check(PROCESSORS[0], 1, 10, session_id=session)])
    with Follower(tmp_path) as follower:
        first = {trace.session_id: trace for trace in follower.last.content.traces}
        DebugFolder(tmp_path / "a").write([check(PROCESSORS[0], 2, 10, session_id="a")])
        follower.until(lambda: len(follower.outcomes()["a"]) == 2)
        last = {trace.session_id: trace for trace in follower.last.content.traces}
        assert last["a"] is not first["a"]
        assert last["b"] is first["b"]


def test_stopping_frees_threads_and_watches(tmp_path: Path) -> None:
    DebugFolder(tmp_path).write([check(PROCESSORS[0], 1, 10)])
    threads, watches = set(threading.enumerate()), watched()
    with Follower(tmp_path):
        assert not set(threading.enumerate()) <= threads
        assert watched() > watches
    assert set(threading.enumerate()) <= threads
    assert watched() <= watches


def watched() -> int:
    """Return the inotify instances of this process."""
    links = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    return sum("inotify" in os.readlink(link) for link in links if os.path.islink(link))


def test_changes_are_found_without_any_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no watch left")

    monkeypatch.setattr(BaseObserver, "schedule", refuse)
    folder = DebugFolder(tmp_path)
    folder.write([check(PROCESSORS[0], 1, 10)])
    with Follower(tmp_path) as follower:
        assert not follower.last.watched
        folder.write([check(PROCESSORS[0], 2, 10)])
        follower.until(lambda: follower.outcomes() == {"sess": ["declined", "declined"]})


def test_a_decision_is_found_again_in_a_later_trace(tmp_path: Path) -> None:
    folder = DebugFolder(tmp_path)
    folder.write([check(PROCESSORS[0], at, 10) for at in (1, 2, 3, 3, 5)])
    reader = Reader(tmp_path)
    reader.look()
    before = reader.traces.opened().traces[0].decisions
    folder.write([check(PROCESSORS[1], 2.5, 10), check(PROCESSORS[0], 6, 10)])
    reader.look()
    after = reader.traces.opened().traces[0].decisions
    found = [same_decision(before, row, after) for row in range(len(before))]
    assert found[:5] == [0, 1, 3, 4, 5]
    names = [before.processors[code] for code in before.processor[5:]]
    assert names == [PROCESSORS[1], PROCESSORS[2]]
    assert found[5:] == [None, 7]
