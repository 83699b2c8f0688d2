"""Jobs run off the UI thread; of those that were superseded nothing is heard."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from inspector.ui.tasks.jobs import Ticket
from inspector.ui.tasks.worker import Worker
from tests.patience import PATIENCE


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[Worker]:
    made = Worker("test")
    yield made
    made.close()


def refuse(error: Exception) -> None:
    raise AssertionError(error)


def test_work_is_done_elsewhere_and_told_here(worker: Worker, qtbot: QtBot) -> None:
    done: list[tuple[int, int]] = []
    worker.submit(
        "a",
        lambda _: threading.get_ident(),
        lambda there: done.append((there, threading.get_ident())),
        refuse,
    )
    assert worker.busy()
    qtbot.waitUntil(lambda: bool(done))
    assert done[0][0] != done[0][1] == threading.get_ident()
    assert not worker.busy()


def test_an_error_is_handed_over(worker: Worker, qtbot: QtBot) -> None:
    failed: list[Exception] = []

    def work(_: Ticket) -> int:
        raise OSError("no such disk")

    worker.submit("a", work, lambda _: None, failed.append)
    qtbot.waitUntil(lambda: bool(failed))
    assert str(failed[0]) == "no such disk"


def test_a_queued_job_that_is_superseded_never_runs(worker: Worker, qtbot: QtBot) -> None:
    gate = threading.Event()
    ran: list[int] = []
    done: list[int] = []

    def note(number: int) -> int:
        ran.append(number)
        return number

    worker.submit("other", lambda _: gate.wait(PATIENCE), lambda _: None, refuse)
    for number in range(5):
        worker.submit("a", partial(lambda n, _: note(n), number), done.append, refuse)
    gate.set()
    qtbot.waitUntil(lambda: bool(done))
    assert ran == done == [4]


def test_a_running_job_that_is_superseded_is_told_and_not_heard(
    worker: Worker, qtbot: QtBot
) -> None:
    started, stopped = threading.Event(), threading.Event()
    done: list[str] = []

    def slow(ticket: Ticket) -> str:
        started.set()
        while not ticket.cancelled():
            ticket.report("still here")
        stopped.set()
        return "old"

    worker.submit("a", slow, done.append, refuse)
    assert started.wait(PATIENCE)
    worker.submit("a", lambda _: "new", done.append, refuse)
    qtbot.waitUntil(lambda: bool(done))
    assert stopped.is_set()
    assert done == ["new"]


def test_the_latest_progress_is_told_before_the_result(worker: Worker, qtbot: QtBot) -> None:
    told: list[object] = []

    def work(ticket: Ticket) -> str:
        for number in range(10_000):
            ticket.report(number)
        return "done"

    worker.submit("a", work, told.append, refuse, told.append)
    qtbot.waitUntil(lambda: told[-1:] == ["done"])
    assert told[-2] == 9_999
    assert len(told) < 1_000


def test_a_cancelled_job_says_nothing(worker: Worker, qtbot: QtBot) -> None:
    done: list[object] = []
    worker.submit("a", lambda _: 1, done.append, refuse)
    worker.cancel("a")
    worker.submit("b", lambda _: 2, done.append, refuse)
    qtbot.waitUntil(lambda: bool(done))
    assert done == [2]
