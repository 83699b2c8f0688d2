"""Who runs the jobs of a sweep on this machine: a process for each core.

Processes are forked from a server that has imported what a job needs, or spawned where there is no
such server; either way they inherit no threads, no window and no event loop. Cases go to each of
them once. One that dies takes the pool with it; the next job gets a new pool, and the sweep decides
what becomes of the jobs that were out. What they write goes below one temporary folder, so that
nothing is left of those that died.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import Final, Protocol, Self

from inspector.replay.sweeps.grid import Combination
from inspector.replay.sweeps.job import Answer, SweptCase, run_job

_LONGEST_FOLDER: Final = 70
"""Bytes of the temporary folder's path up to which a fork server's socket has room in it."""

_NEW: Final = 1
"""The generation up to which objects are what a row has left."""


class Workers(Protocol):
    """Runs jobs somewhere else."""

    @property
    def slots(self) -> int:
        """How many jobs to have out at once, so that nobody waits."""
        ...

    def submit(self, case: int, edits: Combination) -> Future[Answer]:
        """Start a job: the position of its case, and its settings.

        The future raises `BrokenExecutor` when the worker died and the job may be tried again.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_failure: object) -> None: ...


class LocalWorkers:
    """Processes on this machine."""

    def __init__(self, cases: Sequence[SweptCase], jobs: int | None = None) -> None:
        """Take the cases; processes start with the first jobs.

        Args:
            cases: what is swept.
            jobs: processes; as many as this process may use cores when None.
        """
        self._cases = tuple(cases)
        self._jobs = jobs or _cores()
        self._scratch = tempfile.TemporaryDirectory(prefix="sweep-")
        self._context = _context()
        self._stop = self._context.Event()
        self._pool = self._new_pool()

    @property
    def slots(self) -> int:
        """A job for each process, and one that waits."""
        return 2 * self._jobs

    def submit(self, case: int, edits: Combination) -> Future[Answer]:
        """Start a job, in a new pool if the old one is broken."""
        try:
            return self._pool.submit(_run, case, edits)
        except BrokenProcessPool:
            self._pool.shutdown(wait=True)
            self._pool = self._new_pool()
            return self._pool.submit(_run, case, edits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        """End the processes; jobs that are running stop at their next step."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._scratch.cleanup()

    def _new_pool(self) -> ProcessPoolExecutor:
        given = (self._cases, self._stop.is_set, self._scratch.name)
        return ProcessPoolExecutor(self._jobs, self._context, initializer=_begin, initargs=given)


def _context() -> BaseContext:
    short = len(os.fsencode(tempfile.gettempdir())) <= _LONGEST_FOLDER
    if not short or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([run_job.__module__])
    return context


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Process:
    """What a worker process was started with."""

    cases: Sequence[SweptCase] = ()
    cancelled: Callable[[], bool] = staticmethod(lambda: False)
    busy = threading.Lock()
    """Held while a job runs."""


def _begin(cases: Sequence[SweptCase], cancelled: Callable[[], bool], scratch: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers in order
    orphaned = threading.Event()
    threading.Thread(target=_end_with_parent, args=(orphaned, scratch), daemon=True).start()
    tempfile.tempdir = scratch
    gc.disable()  # it would look through what all rows share, again and again
    _Process.cases = cases
    _Process.cancelled = staticmethod(lambda: orphaned.is_set() or cancelled())


def _end_with_parent(orphaned: threading.Event, scratch: str) -> None:
    """Wait until the parent is gone, stop the job, and leave nothing behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        orphaned.set()
        with _Process.busy:  # a job would go on writing there
            shutil.rmtree(scratch, ignore_errors=True)
            os._exit(1)


def _run(case: int, edits: Combination) -> Answer:
    with _Process.busy:
        answer = run_job(_Process.cases[case], edits, _Process.cancelled)
    gc.collect(_NEW)
    return answer
