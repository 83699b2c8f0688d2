"""A sweep: its rows, what is kept, what fails, and what a lost worker costs."""

import asyncio
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.insight.prices import load_prices
from inspector.replay.cases.case import CaseError
from inspector.replay.comparisons.insights import Insights
from inspector.replay.comparisons.metrics import measure
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import edited, parse_edit
from inspector.replay.sweeps.job import SweptCase
from inspector.replay.sweeps.sweep import (
    Sweep,
    SweepResult,
    SweepRow,
    best_rows,
    load_sweep,
    save_sweep,
)
from inspector.replay.sweeps.workers import LocalWorkers
from tests.swept import KEEP, RATIO, Here, grid, small_case, swept

REPLIES = [{"content": "recorded summary"}] * 3


def run(sweep: Sweep, workers: Here | None = None) -> SweepResult:
    for _ in sweep.run(workers or Here(sweep.cases)):
        pass
    return sweep.result()


def values(row: SweepRow) -> list[Any]:
    return list(row.settings.values())


def test_a_row_has_the_figures_of_a_replay_with_its_settings() -> None:
    case = small_case(replies=REPLIES)
    result = run(
        Sweep([SweptCase("c", case, load_prices())], grid(f"{RATIO}=0.3,0.9", f"{KEEP}=1,3"))
    )
    assert [values(row) for row in result.rows] == [[0.3, 1], [0.3, 3], [0.9, 1], [0.9, 3]]
    for row in result.rows:
        edits = [parse_edit(f"{name}={value}") for name, value in row.settings.items()]
        ran = asyncio.run(replay(edited(case, edits), base=case))
        figures = measure(RunTrace(ran), insights=Insights())
        assert row.model_dump(include=set(figures)) == figures
    assert len({row.tokens_sent for row in result.rows}) > 1
    assert (result.failed, result.left, result.currency) == ([], 0, "USD")


def test_rows_of_several_cases_keep_their_order_and_their_fronts() -> None:
    cases = [swept("a"), swept("b", context_window_tokens=2000)]
    result = run(Sweep(cases, grid(f"{RATIO}=0.3:0.9:0.3")))
    assert [row.case for row in result.rows] == ["a"] * 3 + ["b"] * 3
    for front in (result.pareto, result.pareto_size):
        assert {result.rows[at].case for at in front} == {"a", "b"}


def test_fronts_hold_the_best_rows_of_each_case() -> None:
    rows = [
        SweepRow(settings={}, case=case, net_cost=cost, retention=kept)
        for case, cost, kept in [("a", 1, 0.5), ("a", 2, 0.4), ("a", 2, 0.9), ("b", 9, 0.1)]
    ]
    rows.append(SweepRow(settings={}, case="a"))
    found = best_rows(
        rows,
        lambda row: None if row.net_cost is None else (row.net_cost, 1 - (row.retention or 0)),
    )
    assert found == [0, 2, 3]


def test_what_cannot_be_run_is_listed_with_its_reason() -> None:
    result = run(Sweep([swept()], grid(f"{RATIO}=0.5,2,high")))
    assert [values(row) for row in result.rows] == [[0.5]]
    assert [row.settings[RATIO] for row in result.failed] == [2, "high"]
    assert all("trigger_context_ratio" in row.reason for row in result.failed)


def test_an_earlier_result_is_not_run_again(tmp_path: Path) -> None:
    first = run(Sweep([swept()], grid(f"{RATIO}=0.3,2")))
    save_sweep(first, tmp_path / "rows.json")
    again = Sweep(
        [swept("renamed")], grid(f"{RATIO}=0.3,0.6,2"), known=load_sweep(tmp_path / "rows.json")
    )
    workers = Here(again.cases)
    result = run(again, workers)
    assert [edits[0].value for _, edits in workers.sent] == [0.6, 2]
    assert [(row.case, values(row)) for row in result.rows] == [
        ("renamed", [0.3]),
        ("renamed", [0.6]),
    ]
    figures = {"settings", "tokens_sent", "net_cost", "retention"}
    assert result.rows[0].model_dump(include=figures) == first.rows[0].model_dump(include=figures)


@pytest.mark.parametrize(
    "other",
    [
        swept(context_window_tokens=900),
        SweptCase("small", small_case(), load_prices(), wording={"x": 1}),
        SweptCase("small", small_case(), load_prices(), summarizer="extractive"),
        SweptCase("small", small_case(), load_prices().model_copy(update={"currency": "EUR"})),
    ],
)
def test_a_row_of_something_else_is_run_again(other: SweptCase) -> None:
    known = run(Sweep([swept()], grid(f"{RATIO}=0.3")))
    assert Sweep([other], grid(f"{RATIO}=0.3"), known=known).result().rows == []


def test_a_cancelled_sweep_keeps_what_is_done() -> None:
    sweep = Sweep([swept()], grid(f"{KEEP}=0:9:1"))
    told = list(sweep.run(Here(sweep.cases, slots=2), lambda: len(sweep.result().rows) >= 4))
    assert [progress.done for progress in told] == [0, 2]
    result = sweep.result()
    assert (len(result.rows), result.left) == (4, 6)
    assert len(run(sweep).rows) == 10


def test_only_the_job_that_kills_its_worker_fails() -> None:
    sweep = Sweep([swept()], grid(f"{KEEP}=0:5:1"))
    result = run(sweep, Here(sweep.cases, deadly=3))
    assert [values(row) for row in result.rows] == [[0], [1], [2], [4], [5]]
    assert [row.settings[KEEP] for row in result.failed] == [3]
    assert "died" in result.failed[0].reason


def test_progress_tells_the_time_left() -> None:
    sweep = Sweep([swept()], grid(f"{KEEP}=0,1"))
    told = list(sweep.run(Here(sweep.cases, slots=1)))
    assert [(p.done, p.total) for p in told] == [(0, 2), (1, 2), (2, 2)]
    assert told[0].seconds_left is None
    assert told[1].seconds_left == told[1].seconds
    assert told[2].seconds_left == 0
    assert sweep.result().rows_per_second is not None


def test_a_file_that_is_no_result_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    assert load_sweep(path) is None
    path.write_text('{"mine": 1}')
    with pytest.raises(CaseError, match="no result of a sweep"):
        load_sweep(path)


def test_processes_give_the_same_rows() -> None:
    cases = [swept("a", replies=REPLIES), swept("b")]
    sweep = Sweep(cases, grid(f"{KEEP}=0:3:1"))
    with LocalWorkers(sweep.cases, jobs=2) as workers:
        for _ in sweep.run(workers):
            pass
    timed = {"seconds", "rows_per_second"}
    expected = run(Sweep(cases, grid(f"{KEEP}=0:3:1")))
    assert sweep.result().model_dump(exclude=timed) == expected.model_dump(exclude=timed)


def test_a_killed_process_costs_no_row_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    sweep = Sweep([swept()], grid(f"{KEEP}=0:39:1"))
    killed = False
    with LocalWorkers(sweep.cases, jobs=2) as workers:
        for progress in sweep.run(workers):
            if progress.done >= 2 and not killed:
                multiprocessing.active_children()[0].kill()
                killed = True
    assert killed
    assert len(sweep.result().rows) == 40
    assert not list(tmp_path.glob("sweep-*"))


def test_the_result_is_json_whatever_the_case_holds(tmp_path: Path) -> None:
    result = run(Sweep([swept("odd \ud800 name")], grid(f"{KEEP}=1")))
    save_sweep(result, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_bytes())["rows"][0]["case"] == "odd \ud800 name"
    assert os.listdir(tmp_path) == ["r.json"]
