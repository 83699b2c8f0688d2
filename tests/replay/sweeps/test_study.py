"""The study: its strategies act as early as they are told, and its rows are those of replays."""

import asyncio
import json
from pathlib import Path

import pytest

from engine.resources import resource_path
from inspector.cli import run as run_command
from inspector.insight.prices import load_prices
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.case_file import CaseFile, load_case
from inspector.replay.comparisons.insights import Insights
from inspector.replay.comparisons.metrics import measure
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import edited
from inspector.replay.sweeps.job import run_job
from inspector.replay.sweeps.study import (
    BUNDLED,
    STRATEGIES,
    Strategy,
    StudySweep,
    bundled_conversations,
)
from inspector.replay.sweeps.workers import LocalWorkers
from tests.swept import small_case


def conversation(name: str) -> Case:
    return load_case(resource_path(f"study/{name}.json")).case


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_a_strategy_acts_when_the_window_reaches_its_trigger(name: str, strategy: Strategy) -> None:
    case = edited(conversation(name), [], chain=strategy.chain(0.7))
    ran = asyncio.run(replay(case, summarizer="extractive"))
    capacity = case.context_window_tokens or 0
    acted = [
        step
        for step in ran.steps
        if any(s.status == "completed" and s.phase == "get_context_window" for s in step.states)
    ]
    if strategy.name == "none":
        assert not acted
    for step in acted[:1]:
        tokens = sum(len(message.text) for message in step.before) / 3
        assert tokens > 0.55 * capacity


def test_earlier_is_smaller() -> None:
    sweep = StudySweep({"rework": conversation("rework")}, load_prices(), (0.5, 0.9))
    with LocalWorkers(sweep.cases, jobs=2) as workers:
        for _ in sweep.run(workers):
            pass
    found = sweep.study()
    names = [(row.strategy, row.trigger) for row in found.rows]
    expected: list[tuple[str, float | None]] = [("none", None)]
    for strategy in ("masking", "summary", "layered"):
        expected += [(strategy, 0.5), (strategy, 0.9)]
    assert names == expected
    assert (found.failed, found.left) == ([], 0)
    sent = {name: row.row.tokens_sent or 0 for name, row in zip(names, found.rows, strict=True)}
    kept = {name: row.row.retention or 0 for name, row in zip(names, found.rows, strict=True)}
    for strategy in ("masking", "summary", "layered"):
        assert sent[strategy, 0.5] < sent[strategy, 0.9] < sent["none", None]
        assert kept[strategy, 0.9] < kept["none", None] == 1
    assert 0 in found.best  # nothing retains more than doing nothing


def test_rows_are_those_of_a_replay() -> None:
    sweep = StudySweep({"small": small_case()}, load_prices(), (0.5,))
    labels = [case.name for case in sweep.cases]
    assert labels == ["small · none", "small · masking · 0.5", "small · summary · 0.5", labels[3]]
    for swept in sweep.cases:
        ran = asyncio.run(replay(swept.case, summarizer="extractive"))
        assert run_job(swept, ()).figures == measure(RunTrace(ran), insights=Insights())


def test_recorded_answers_play_no_part() -> None:
    told = [
        StudySweep({"c": small_case(**fields)}, load_prices(), (0.5,))
        for fields in ({}, {"replies": [{"content": "recorded"}] * 9})
    ]
    figures = [[run_job(case, ()).figures for case in sweep.cases] for sweep in told]
    assert figures[0] == figures[1]


def test_what_ships_is_what_the_script_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from resources.study import write

    for name in (*(f"{name}.json" for name in BUNDLED), "talk.toml"):
        (tmp_path / name).write_bytes(resource_path(f"study/{name}").read_bytes())
    monkeypatch.setattr(write, "HERE", tmp_path)
    write.main()
    for name in BUNDLED:
        shipped = resource_path(f"study/{name}.json").read_bytes()
        assert (tmp_path / f"{name}.json").read_bytes() == shipped


def test_every_conversation_outgrows_its_window() -> None:
    conversations = bundled_conversations()
    assert list(conversations) == ["sample", *BUNDLED]
    for name, case in conversations.items():
        chars = sum(len(message.text) for message in case.conversation())
        assert chars / 3 > 1.5 * (case.context_window_tokens or 0), name


def test_an_impossible_trigger_is_refused() -> None:
    with pytest.raises(CaseError, match="trigger_context_ratio"):
        StudySweep({"c": small_case()}, load_prices(), (1.0,))


def test_the_command_prints_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.json"
    path.write_text(CaseFile(case=small_case()).model_dump_json(exclude_none=True))
    arguments = ["study", str(path), "--trigger", "0.5", "--jobs", "1"]
    assert run_command([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["strategy"] for row in found["rows"]] == [s.name for s in STRATEGIES]
    assert {row["conversation"] for row in found["rows"]} == {str(path)}
    assert run_command([*arguments, "--model", "claude-opus-5", "--capacity", "900"]) == 0
    shown = capsys.readouterr().out
    assert "masking" in shown
    assert "costs in USD, summaries extractive" in shown
    assert run_command(["study", "--trigger", "1"]) == 2
