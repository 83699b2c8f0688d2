"""Coroutines run on the engine's loop, newer ones supersede older ones, and closing leaves none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.jobs import Ticket
from tests.patience import PATIENCE


@pytest.fixture
def host(qtbot: QtBot) -> Iterator[EngineHost]:
    made = EngineHost()
    yield made
    made.close()


def refuse(error: Exception) -> None:
    raise AssertionError(error)


def test_a_coroutine_runs_elsewhere_and_is_told_here(host: EngineHost, qtbot: QtBot) -> None:
    done: list[tuple[int, int]] = []

    async def work(_: Ticket) -> int:
        await asyncio.sleep(0)
        return threading.get_ident()

    host.submit("a", work, lambda there: done.append((there, threading.get_ident())), refuse)
    assert host.busy()
    qtbot.waitUntil(lambda: bool(done))
    assert done[0][0] != done[0][1] == threading.get_ident()
    assert not host.busy()


def test_an_error_is_handed_over(host: EngineHost, qtbot: QtBot) -> None:
    done: list[str] = []
    failed: list[Exception] = []

    async def work(_: Ticket) -> str:
        raise ValueError("no such processor")

    host.submit("a", work, done.append, failed.append)
    qtbot.waitUntil(lambda: bool(failed))
    assert str(failed[0]) == "no such processor"
    assert not done


def test_a_coroutine_that_waits_is_cancelled_by_the_next(host: EngineHost, qtbot: QtBot) -> None:
    waiting, ended = threading.Event(), []
    done: list[str] = []

    async def hang(_: Ticket) -> str:
        try:
            waiting.set()
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        return "old"

    async def quick(_: Ticket) -> str:
        return "new"

    host.submit("a", hang, done.append, refuse)
    assert waiting.wait(PATIENCE)
    host.submit("a", quick, done.append, refuse)
    qtbot.waitUntil(lambda: bool(done))
    assert done == ["new"]
    assert ended == [True]


def test_a_busy_coroutine_is_told_by_its_ticket_and_the_next_waits_for_it(
    host: EngineHost, qtbot: QtBot
) -> None:
    started, order = threading.Event(), []
    done: list[str] = []

    async def slow(ticket: Ticket) -> str:
        started.set()
        while not ticket.cancelled():
            ticket.report("still here")
        order.append("old ended")
        return "old"

    async def quick(_: Ticket) -> str:
        order.append("new began")
        return "new"

    host.submit("a", slow, done.append, refuse)
    assert started.wait(PATIENCE)
    host.submit("a", quick, done.append, refuse)
    qtbot.waitUntil(lambda: bool(done))
    assert order == ["old ended", "new began"]
    assert done == ["new"]


def test_of_many_moves_only_the_last_is_run_to_its_end(host: EngineHost, qtbot: QtBot) -> None:
    gate = threading.Event()
    ran: list[int] = []
    done: list[int] = []

    async def blocked(_: Ticket) -> None:
        gate.wait(PATIENCE)

    def move(number: int) -> None:
        async def work(_: Ticket) -> int:
            ran.append(number)
            return number

        host.submit("a", work, done.append, refuse)

    host.submit("other", blocked, lambda _: None, refuse)
    for number in range(20):
        move(number)
    gate.set()
    qtbot.waitUntil(lambda: bool(done))
    assert ran == done == [19]


def test_the_latest_progress_is_told_before_the_result(host: EngineHost, qtbot: QtBot) -> None:
    told: list[object] = []

    async def work(ticket: Ticket) -> str:
        for step in range(1000):
            ticket.report(step)
        return "done"

    host.submit("a", work, told.append, refuse, told.append)
    qtbot.waitUntil(lambda: "done" in told)
    assert told[-2:] == [999, "done"]
    assert told[:-1] == sorted(told[:-1])  # type: ignore[type-var]


def test_closing_ends_what_waits(qtbot: QtBot) -> None:
    host = EngineHost()
    waiting, ended = threading.Event(), threading.Event()

    async def hang(_: Ticket) -> None:
        try:
            waiting.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    host.submit("a", hang, lambda _: None, refuse)
    assert waiting.wait(PATIENCE)
    host.close()
    host.close()
    assert ended.wait(PATIENCE)
    assert not host.busy()
