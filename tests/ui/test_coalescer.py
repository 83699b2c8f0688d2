"""Items from many threads arrive in few batches, complete and in order."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from inspector.ui.tasks.coalescer import Coalescer


def collected(coalescer: Coalescer) -> list[list[object]]:
    batches: list[list[object]] = []
    coalescer.delivered.connect(batches.append)
    return batches


def test_what_is_posted_at_once_comes_at_once(qtbot: QtBot) -> None:
    coalescer = Coalescer(interval=50)
    batches = collected(coalescer)
    for item in range(1_000):
        coalescer.post(item)
    qtbot.waitUntil(lambda: bool(batches))
    assert batches == [list(range(1_000))]


def test_the_first_item_after_a_pause_does_not_wait(qtbot: QtBot) -> None:
    coalescer = Coalescer(interval=60_000)
    batches = collected(coalescer)
    coalescer.post("now")
    qtbot.waitUntil(lambda: batches == [["now"]])


def test_a_second_item_waits_for_the_interval(qtbot: QtBot) -> None:
    coalescer = Coalescer(interval=600_000)
    batches = collected(coalescer)
    coalescer.post(1)
    qtbot.waitUntil(lambda: len(batches) == 1)
    coalescer.post(2)
    qtbot.wait(50)
    assert batches == [[1]]


def test_what_waited_comes_together(qtbot: QtBot) -> None:
    coalescer = Coalescer(interval=80)
    batches = collected(coalescer)
    coalescer.post(1)
    qtbot.waitUntil(lambda: len(batches) == 1)
    coalescer.post(2)
    coalescer.post(3)
    qtbot.waitUntil(lambda: len(batches) == 2)
    assert batches[1] == [2, 3]


def test_threads_lose_nothing(qtbot: QtBot) -> None:
    coalescer = Coalescer(interval=5)
    batches = collected(coalescer)
    count, threads = 2_000, 4

    def post(name: int) -> None:
        for item in range(count):
            coalescer.post(name * count + item)

    workers = [threading.Thread(target=post, args=(name,)) for name in range(threads)]
    for worker in workers:
        worker.start()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == count * threads)
    items = [int(str(item)) for batch in batches for item in batch]
    for name in range(threads):
        assert [i % count for i in items if i // count == name] == list(range(count))


def test_delivery_is_on_the_thread_that_owns_it(qtbot: QtBot) -> None:
    coalescer = Coalescer()
    seen: list[int] = []
    coalescer.delivered.connect(lambda _: seen.append(threading.get_ident()))
    worker = threading.Thread(target=coalescer.post, args=(1,))
    worker.start()
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [threading.get_ident()]
