"""Time as a parameter."""

import asyncio
import time

from engine.clock import SystemClock, VirtualClock
from tests.scripted import START


def test_a_virtual_clock_moves_by_sleep_and_a_little_by_every_look() -> None:
    clock = VirtualClock(START, tick=0.5)
    assert clock.now() == START + 0.5
    asyncio.run(clock.sleep(3600))
    assert clock.now() == START + 3601


def test_the_machine_s_clock_is_the_machine_s() -> None:
    before = time.time()
    asyncio.run(SystemClock().sleep(0))
    assert before <= SystemClock().now() <= time.time()
