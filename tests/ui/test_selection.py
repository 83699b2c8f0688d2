"""One owner of context, filter and decision, with a history."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, SignalInstance

from inspector.ui.models.selection import EVERYTHING, Filter, Selection
from tests.ui.fake_trace import FakeTrace

FIRST_FIRED = 28


@pytest.fixture
def selection() -> Selection:
    made = Selection()
    made.reset(FakeTrace(600))
    return made


class Count(QObject):
    def __init__(self, signal: SignalInstance) -> None:
        super().__init__()
        self.times = 0
        signal.connect(self._add)

    def _add(self) -> None:
        self.times += 1


def test_a_context_is_shown_from_its_first_decision_that_fired(selection: Selection) -> None:
    assert selection.row == FIRST_FIRED
    assert len(selection.rows) == 600


def test_without_one_that_fired_from_its_last(selection: Selection) -> None:
    selection.show_trace(FakeTrace(20))
    assert selection.row == 19


def test_an_empty_context_has_no_decision(selection: Selection) -> None:
    selection.show_trace(FakeTrace(0))
    assert selection.row is None
    assert not selection.move(1)
    selection.select_step(4)
    assert selection.row is None


def test_a_filter_keeps_steps_and_outcomes(selection: Selection) -> None:
    selection.set_filter(Filter((9, 12)))
    assert selection.rows.tolist() == list(range(24, 36))
    selection.set_filter(Filter((1, 50), frozenset({"compressed", "offloaded"})))
    assert selection.rows.tolist() == [28, 58, 88, 148]


def test_a_filter_leaves_the_decision_that_is_looked_at(selection: Selection) -> None:
    changed = Count(selection.row_changed)
    selection.set_filter(Filter((100, 110)))
    assert selection.row == FIRST_FIRED
    assert changed.times == 0


def test_stepping_goes_through_what_is_listed(selection: Selection) -> None:
    selection.set_filter(Filter((9, 10)))
    assert selection.move(1)
    assert selection.row == 29
    assert not selection.move(1)
    assert selection.row == 29
    selection.select(24)
    assert not selection.move(-1)


def test_stepping_starts_beside_a_decision_that_is_not_listed(selection: Selection) -> None:
    selection.set_filter(Filter((100, 110)))
    selection.select(10)
    selection.move(1)
    assert selection.row == 297


def test_stepping_with_shift_stops_at_what_fired(selection: Selection) -> None:
    seen = [selection.row]
    while selection.move(1, fired_only=True):
        seen.append(selection.row)
    assert seen == list(range(28, 600, 30))
    selection.move(-1, fired_only=True)
    assert selection.row == 568


def test_a_click_on_a_step_takes_what_fired_there(selection: Selection) -> None:
    selection.select_step(20)
    assert selection.row == 58
    selection.select_step(21)
    assert selection.row == 60
    selection.set_filter(Filter((30, 31)))
    selection.select_step(1)
    assert selection.row == 88


def test_filters_can_be_taken_back_and_forth(selection: Selection) -> None:
    selection.set_filter(Filter((1, 50)))
    selection.set_filter(Filter((10, 20)))
    selection.go_back()
    assert selection.filter.steps == (1, 50)
    selection.go_back()
    assert selection.filter == EVERYTHING
    assert not selection.can_go_back()
    selection.go_forward()
    selection.go_forward()
    assert selection.filter.steps == (10, 20)
    assert not selection.can_go_forward()


def test_another_context_can_be_taken_back_too(selection: Selection) -> None:
    first, other = selection.trace, FakeTrace(90, context_id="other")
    selection.set_filter(Filter((1, 50)))
    selection.select(5)
    changed = Count(selection.trace_changed)
    selection.show_trace(other)
    assert selection.filter == EVERYTHING
    selection.go_back()
    assert selection.trace is first
    assert selection.row == 5
    assert selection.filter.steps == (1, 50)
    assert changed.times == 2


def test_a_new_input_forgets_the_history(selection: Selection) -> None:
    selection.set_filter(Filter((1, 50)))
    selection.reset(FakeTrace(30))
    assert not selection.can_go_back()


def test_a_million_decisions_are_filtered(selection: Selection) -> None:
    selection.reset(FakeTrace(1_000_000))
    selection.set_filter(Filter((1_000, 200_000), frozenset({"gave_up"})))
    assert len(selection.rows) == 4_976
