"""The metrics of a trace, and who says them."""

import asyncio
from pathlib import Path

from inspector.replay.comparisons.comparison import compare
from inspector.replay.comparisons.insights import INSIGHT_METRICS, Insights
from inspector.replay.comparisons.metrics import measure
from inspector.replay.reports.report import Report, make_report
from inspector.replay.reports.report_trace import ReportTrace
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import replay
from inspector.trace.opened import open_traces
from tests.debug_files import DebugFolder, check
from tests.swept import small_case

COUNTS = ["tokens_sent", "peak_tokens", "compressions", "model_calls"]


def run(capacity: int = 1000) -> Run:
    return asyncio.run(replay(small_case(context_window_tokens=capacity)))


def test_the_counts_come_first() -> None:
    a, b = (RunTrace(run(n)) for n in (1000, 3000))
    assert [metric.name for metric in compare(a, b).metrics] == COUNTS
    metrics = compare(a, b, Insights()).metrics
    assert [metric.name for metric in metrics] == [*COUNTS, *INSIGHT_METRICS]
    assert metrics[-2].name == "retention"
    assert metrics[-2].delta is not None
    assert metrics[-2].delta > 0


def test_a_report_on_disk_says_what_its_run_did() -> None:
    ran = run()
    report = make_report(ran, Insights().measures(ran))
    read = ReportTrace(Report.model_validate_json(report.model_dump_json()))
    expected = measure(RunTrace(ran), insights=Insights())
    assert measure(read, insights=Insights()) == expected
    part = measure(read, 1, Insights())
    assert [part[name] for name in INSIGHT_METRICS] == [None] * len(INSIGHT_METRICS)
    assert not make_report(ran).insights


def test_a_recording_does_not_say(tmp_path: Path) -> None:
    DebugFolder(tmp_path).write([check("CurrentRoundCompressor", 0, 10)])
    [recorded] = open_traces([str(tmp_path)]).traces
    ran = RunTrace(run())
    metrics = compare(recorded, ran, Insights()).metrics
    assert all(m.a is None and m.b is not None for m in metrics if m.name in INSIGHT_METRICS)


def test_metrics_of_a_recording_are_sums_over_its_steps(shared: Path) -> None:
    [trace] = open_traces([shared / "dumps" / "b_dialogue" / "workspace"]).traces
    found = measure(trace)
    assert found["compressions"] == 3
    assert found["model_calls"] == 3
    assert found["peak_tokens"] == int(trace.steps.total.max())
    assert found["tokens_sent"] == int(trace.steps.sent.sum())
