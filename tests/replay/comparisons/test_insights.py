"""Cost and retention of a run: the same wherever they are asked for."""

import asyncio
from typing import Any

import pytest

from inspector.replay.cases.case import Case
from inspector.replay.comparisons.insights import INSIGHT_METRICS, Insights
from inspector.replay.comparisons.metrics import measure
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.run import Run, Step
from inspector.replay.runs.runner import replay
from tests.swept import small_case


def states(step: Step) -> list[str]:
    return [state.status for state in step.states]


MASKING = ["ObservationMasking", {"soft_ratio": 0.3, "keep_recent": 1}]
SUMMARY = ["BudgetedSummary", {"soft_ratio": 0.3, "keep_recent": 1}]


def run(case: Case, **options: Any) -> Run:
    return asyncio.run(replay(case, **options))


def with_tools(*chain: list[Any]) -> Case:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at /srv/a.py, please."}]
    for at in range(6):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "t", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        result = f"ValueError: row {at} of /data/t{at}.csv is bad\n" + f"line {at}\n" * 90
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": result})
    return Case.model_validate(
        {"messages": messages, "processors": chain, "context_window_tokens": 1000}
    )


def test_figures_of_a_run_without_compression() -> None:
    ran = run(with_tools())
    figures = Insights().measures(ran)
    assert list(figures) == list(INSIGHT_METRICS)
    assert figures["retention"] == 1
    assert figures["summary_tokens"] == 0
    windows = [step.window.tokens for step in ran.steps if step.window]
    assert figures["overflow_steps"] == sum(tokens > 1000 for tokens in windows) > 0
    cost = Insights().cost(ran)
    assert [line.tokens.sent for line in cost.lines] == windows
    assert figures["net_cost"] == cost.net_cost > 0


def test_a_summary_call_is_a_line_of_its_own_before_its_window() -> None:
    ran = run(small_case())
    lines = Insights().cost(ran).lines
    called = [line.step for line in lines if line.processor == "RoundLevelCompressor"]
    assert called == [o.number for o in ran.steps for _ in o.calls]
    assert [line.step for line in lines] == sorted(line.step for line in lines)
    for at, line in enumerate(lines):
        if line.processor is not None:
            assert lines[at + 1].processor is None
    assert Insights().measures(ran)["summary_tokens"] == sum(
        line.tokens.output for line in lines if line.processor
    )


def test_a_call_that_failed_costs_nothing() -> None:
    failed = [{"error": {"status": 401, "message": "no"}}] * 9
    assert len(Insights().cost(run(small_case(replies=failed))).lines) == len(
        [step for step in run(small_case(replies=failed)).steps if step.window]
    )


def test_usage_that_was_recorded_counts_as_output() -> None:
    reply = {"content": "S", "usage": {"prompt_tokens": 10, "completion_tokens": 77}}
    ran = run(small_case(replies=[reply]))
    first = next(line for line in Insights().cost(ran).lines if line.processor)
    assert first.tokens.output == 77


def test_what_a_compression_loses_is_said_with_its_processor() -> None:
    found = Insights().retention(run(small_case(replies=[{"content": "nothing"}] * 9)))
    assert {loss.item.key for loss in found.lost} >= {"/srv/0.py"}
    assert {loss.processors for loss in found.lost} == {("RoundLevelCompressor",)}
    assert found.share < 1


def test_figures_can_end_at_a_step() -> None:
    ran, insights = run(small_case()), Insights()
    last = max(step.number or 0 for step in ran.steps)
    assert insights.measures(ran, last) == insights.measures(ran)
    assert insights.measures(ran, 1)["retention"] == 1
    assert insights.measures(ran, 0)["net_cost"] == 0
    assert [line.step for line in insights.cost(ran, 2).lines] == [1, 2]


def test_the_model_decides_the_prices() -> None:
    cheap, dear = (
        run(small_case(engine={"model_name": name})) for name in ("unheard-of", "claude-opus-5")
    )
    lines = Insights().cost(dear).lines
    assert {line.price.model for line in lines} == {"claude-opus-5"}
    assert Insights().cost(cheap).lines[0].price.model == Insights().prices.default


@pytest.mark.parametrize(
    ("chain", "outcomes"),
    [
        ([MASKING], {"declined", "cut"}),
        ([SUMMARY], {"declined", "compressed"}),
    ],
)
def test_minimal_loops_have_outcomes_too(chain: list[Any], outcomes: set[str]) -> None:
    trace = RunTrace(run(with_tools(*chain)))
    assert set(trace.decisions.outcomes) == outcomes
    figures = measure(trace)
    first = next(step for step in trace.run.steps if step.window and "completed" in states(step))
    assert first.number is not None
    before = measure(RunTrace(run(with_tools())), first.number)["peak_tokens"]
    assert measure(trace, first.number)["peak_tokens"] == before
    assert (figures["compressions"] or 0) > 0 if "compressed" in outcomes else True
    for row in range(len(trace.decisions)):
        decision = trace.decision(row)
        assert decision.reason in (None, "below_threshold", "no_compressible_span")
        assert trace.detail(row).records
