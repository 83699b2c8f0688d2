"""What the timeline draws of a trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inspector.sources.recall_calls import RecallCall
from inspector.trace.context_trace import NO_NUMBER, StepColumns
from inspector.trace.evidence.recalls import Recall
from inspector.ui.charts.timeline_data import sawtooth, timeline_data, told_limits
from inspector.ui.models.marks import RECALL_MARK
from tests.ui.fake_trace import THRESHOLD, FakeTrace


def test_the_line_falls_to_what_was_sent() -> None:
    columns = StepColumns(
        np.array([1, 2, 3, 4]),
        np.zeros(4),
        np.array([100, 200, NO_NUMBER, 50]),
        np.array([100, 80, NO_NUMBER, NO_NUMBER]),
    )
    steps, tokens = sawtooth(columns)
    assert steps.tolist() == [1, 2, 2, 3, 4]
    np.testing.assert_array_equal(tokens, [100, 200, 80, np.nan, 50])


def test_processors_with_one_threshold_share_a_line() -> None:
    limits = told_limits(
        {"DialogueCompressor": 800, "RoundLevelCompressor": 600, "Own": 800}, 1_000
    )
    assert limits == (("Dialogue, Own 0.8", 800), ("RoundLevel 0.6", 600))


def test_no_ratio_without_a_capacity() -> None:
    assert told_limits({"DialogueCompressor": 800}, None) == (("Dialogue", 800),)


def test_every_placed_decision_is_in_one_group() -> None:
    trace = FakeTrace(3_000)
    trace.decisions.step[:4] = 0
    data = timeline_data(trace)
    assert sum(len(group.steps) for group in data.groups) == 2_996
    assert all((np.diff(group.steps) >= 0).all() for group in data.groups)


def test_declines_below_the_limit_are_told_from_the_others() -> None:
    trace = FakeTrace(90)
    trace.decisions.reason[3:6] = 1
    groups = {(g.mark.told, g.near_limit): len(g.steps) for g in timeline_data(trace).groups}
    assert groups == {("declined", False): 84, ("declined", True): 3, ("compressed", True): 3}


def test_recalls_are_marked_at_their_step_once() -> None:
    trace = FakeTrace(90)
    recalls = [Recall(RecallCall(f"call_{at}"), step) for at, step in enumerate((4, 9, 9, None))]
    trace = replace(trace, recalls=tuple(recalls))
    *_, group = timeline_data(trace, recalls=True).groups
    assert group.mark not in [other.mark for other in timeline_data(trace).groups]
    assert group.mark == RECALL_MARK
    assert group.steps.tolist() == [4, 9]
    assert group.levels[[4, 9]].tolist() == trace.steps.total[[3, 8]].tolist()


def test_the_top_holds_curve_and_limits() -> None:
    trace = FakeTrace(90, capacity=None)
    assert timeline_data(trace).top == max(THRESHOLD, trace.steps.total.max())


def test_an_empty_context_can_be_drawn() -> None:
    data = timeline_data(FakeTrace(0))
    assert len(data.steps) == 0
    assert data.groups == ()
