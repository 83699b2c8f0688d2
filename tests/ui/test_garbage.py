"""Nothing is collected while jobs run; cycles that the window made go when it is idle."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from inspector.ui.tasks import garbage
from inspector.ui.tasks.garbage import GarbageCollector


class Node:
    """Something that can refer to itself."""

    def __init__(self) -> None:
        self.other: Node | None = None


@pytest.fixture
def busy() -> list[bool]:
    return [False]


@pytest.fixture
def collector(qtbot: QtBot, busy: list[bool]) -> Iterator[GarbageCollector]:
    made = GarbageCollector(lambda: busy[0])
    yield made
    made.close()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def cycle() -> weakref.ref[Node]:
    node = Node()
    node.other = node
    return weakref.ref(node)


def test_cycles_go_only_while_nothing_runs(
    collector: GarbageCollector, busy: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "_FEW", 0)
    assert not gc.isenabled()
    gone = cycle()
    busy[0] = True
    collector.look()
    assert gone() is not None
    busy[0] = False
    collector.look()
    assert gone() is None


def test_what_a_job_leaves_is_not_looked_through(
    collector: GarbageCollector,
) -> None:
    set_aside = gc.get_freeze_count()
    left = [[each] for each in range(110_000)]
    collector.look()
    assert gc.get_freeze_count() >= set_aside + len(left)


def test_what_is_not_worth_a_pass_is_left(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "_FEW", 1_000_000)
    gone = cycle()
    collector.look()
    assert gone() is not None


def test_what_survived_a_look_goes_when_it_has_been_quiet_for_a_minute(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node()
    node.other = node
    gc.collect(1)
    gone = weakref.ref(node)
    del node
    monkeypatch.setattr(garbage, "_FEW", 1_000_000)
    for _ in range(29):
        collector.look()
    assert gone() is not None
    collector.look()
    assert gone() is None
