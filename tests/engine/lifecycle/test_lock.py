"""Who waits for a context's lock, and for how long."""

import asyncio
import logging

import pytest

from engine.lifecycle import lock
from engine.lifecycle.lock import ContextLock
from tests.scripted import cancelled


async def waiting(held: ContextLock, waiter: str, seconds: float) -> None:
    """Wait for the lock, in vain for so many seconds."""

    async def want() -> None:
        async with held.held(waiter):
            pass

    async with held.held("holder"):
        task = asyncio.create_task(want())
        await asyncio.sleep(seconds)
    await task


def test_a_long_wait_is_told_of_again_and_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lock, "REMINDER_SECONDS", 0.01)
    with caplog.at_level(logging.WARNING):
        asyncio.run(waiting(ContextLock(), "add_messages", 0.05))
    told = [record.getMessage() for record in caplog.records]
    assert len(told) >= 2
    assert all("add_messages" in message for message in told)


def test_a_short_wait_is_nobody_s_business(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        asyncio.run(waiting(ContextLock(), "add_messages", 0.01))
    assert not caplog.records


def test_whoever_stops_waiting_leaves_nothing_behind() -> None:
    async def play() -> None:
        held = ContextLock()
        async with held.held("holder"):
            task = asyncio.create_task(waiting(held, "other", 0))
            await asyncio.sleep(0)
            await cancelled(task)
            assert asyncio.all_tasks() == {asyncio.current_task()}
        assert not held.is_taken

    asyncio.run(play())


def test_it_can_be_waited_for_in_one_event_loop_after_the_other() -> None:
    held = ContextLock()
    for _ in range(2):
        asyncio.run(waiting(held, "add_messages", 0))
    assert not held.is_taken
