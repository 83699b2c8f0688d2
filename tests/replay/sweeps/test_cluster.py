"""A sweep on a real Dask cluster: a scheduler and workers in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.replay.cases.case import CaseError
from inspector.replay.sweeps.cluster import ClusterWorkers
from inspector.replay.sweeps.sweep import Sweep, SweepResult
from inspector.replay.sweeps.workers import LocalWorkers, Workers
from tests.patience import PATIENCE
from tests.swept import KEEP, grid, swept

pytest.importorskip("distributed", reason="Dask is not installed (extra: cluster)")

ROOT = Path(__file__).parents[3]


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._meeting = folder / "scheduler.json"
        scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.workers = [self._start("worker", "--no-nanny", "--nthreads", "1") for _ in range(2)]
        self._processes = [scheduler, *self.workers]

    @property
    def address(self) -> str:
        """Where the scheduler listens, once it does."""
        try:
            return str(json.loads(self._meeting.read_bytes())["address"])
        except (OSError, ValueError):
            raise CaseError("no scheduler yet") from None

    def stop(self) -> None:
        """Kill them: a worker that is asked to end may wait for peers that are gone."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def _start(self, part: str, *options: str) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-m", f"distributed.cli.dask_{part}", "--no-dashboard")
        return subprocess.Popen(
            [*command, "--scheduler-file", str(self._meeting), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self._folder)},
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    try:
        yield made
    finally:
        made.stop()


def connected(sweep: Sweep, cluster: Cluster) -> ClusterWorkers:
    """Return the cluster's workers once both are there."""
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            workers = ClusterWorkers(sweep.cases, cluster.address)
        except CaseError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)
            continue
        if workers.slots >= 8:
            return workers
        workers.__exit__(None, None, None)


def finished(sweep: Sweep, workers: Workers) -> SweepResult:
    with workers:
        for _ in sweep.run(workers):
            pass
    return sweep.result()


def test_a_lost_worker_costs_no_row(cluster: Cluster) -> None:
    cases = [swept("a", replies=[{"content": "recorded"}]), swept("b")]
    axes = grid(f"{KEEP}=0:19:1")
    sweep = Sweep(cases, axes)
    lost = False
    with connected(sweep, cluster) as workers:
        for progress in sweep.run(workers):
            if progress.done >= 3 and not lost:
                cluster.workers[0].send_signal(signal.SIGKILL)
                lost = True
    assert lost
    local = Sweep(cases, axes)
    timed = {"seconds", "rows_per_second"}
    expected = finished(local, LocalWorkers(local.cases, jobs=1)).model_dump(exclude=timed)
    assert sweep.result().model_dump(exclude=timed) == expected
    assert len(expected["rows"]) == 40


def test_where_nobody_answers_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.replay.sweeps.cluster.CONNECT_SECONDS", 0.5)
    with pytest.raises(CaseError, match=r"tcp://127\.0\.0\.1:9: no Dask scheduler answers"):
        ClusterWorkers([swept()], "tcp://127.0.0.1:9")


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CaseError, match=r"context-inspector\[cluster\]"):
        ClusterWorkers([swept()], "tcp://127.0.0.1:9")
