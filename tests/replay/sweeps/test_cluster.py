"""A sweep on a real Dask cluster: a scheduler and workers in processes of their own."""

import os
import signal
import socket
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
from tests.swept import KEEP, grid, swept

pytest.importorskip("distributed", reason="Dask is not installed (extra: cluster)")

ROOT = Path(__file__).parents[3]
START_SECONDS = 60


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        host = ("--host", "127.0.0.1", "--no-dashboard")
        scheduler = ("distributed.cli.dask_scheduler", "--port", str(port), *host)
        self._processes = [self._start(*scheduler)]
        self.workers = [self._start(*self._worker(at)) for at in range(2)]
        self._processes += self.workers

    def stop(self) -> None:
        """Kill them: a worker that is asked to end may wait for peers that are gone."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def _worker(self, at: int) -> tuple[str, ...]:
        options = ("--no-nanny", "--nthreads", "1", "--name", f"worker-{at}", "--no-dashboard")
        place = ("--local-directory", str(self._folder))
        return ("distributed.cli.dask_worker", self.address, *options, *place)

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
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
    ends = time.monotonic() + START_SECONDS
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


@pytest.mark.timeout(240)
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
