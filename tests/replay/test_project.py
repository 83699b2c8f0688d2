"""Projects: what is saved comes back and comes out the same, and no key is among it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.summarizers.recorded import Reply
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.turn import MessageChange, Turn
from inspector.replay.comparisons.metrics import Figure, measure
from inspector.replay.project import (
    Project,
    ProjectRun,
    open_project,
    save_project,
    without_credentials,
)
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.runs.branch import branched
from inspector.replay.runs.runner import replay
from inspector.replay.settings.edits import edited, parse_edit
from inspector.replay.summaries.answers import KeptAnswer
from tests.swept import RATIO, small_case

BASE = small_case(replies=[{"content": "recorded"}] * 2)


def figures(case: Case) -> dict[str, Figure]:
    return measure(RunTrace(asyncio.run(replay(case, base=BASE))))


def project() -> Project:
    other = edited(BASE, [parse_edit(f"{RATIO}=0.4")], capacity=1200, model="gpt-5")
    dropped = Turn(step=3, messages=[MessageChange(position=0)])
    branch = branched(other, dropped, "branch")
    runs = [
        ProjectRun.of(other, "edited", figures=figures(other), name="earlier"),
        ProjectRun.of(branch, "branch", "edited", figures=figures(branch)),
    ]
    return Project(case=BASE, runs=runs)


def test_a_project_comes_back_and_its_runs_come_out_the_same(tmp_path: Path) -> None:
    save_project(project(), tmp_path / "p.json")
    read = open_project(tmp_path / "p.json")
    assert read == project()
    for run in read.runs:
        assert figures(run.applied(read.case)) == run.figures
    assert read.runs[1].applied(read.case).parent == "edited"
    assert read.runs[0].applied(read.case) == edited(
        BASE, [parse_edit(f"{RATIO}=0.4")], capacity=1200, model="gpt-5"
    )


def test_answers_of_models_come_back(tmp_path: Path) -> None:
    answer = KeptAnswer(model="m", processor="p", target="0", reply=Reply(content="of the model"))
    made = Project(case=BASE, answers=[answer])
    save_project(made, tmp_path / "p.json")
    assert open_project(tmp_path / "p.json") == made
    assert ProjectRun.of(BASE, "same").applied(BASE) == BASE


def test_no_key_is_saved(tmp_path: Path) -> None:
    client = {"api_key": "sk-1234", "apiKey": "sk-1234", "client": {"Authorization": "sk-1234"}}
    chain = [("RoundLevelCompressor", {**client, "keep_recent_messages": 2, "max_tokens": 5})]
    case = BASE.model_copy(update={"processors": chain})
    made = Project(case=case, runs=[ProjectRun.of(case, "run")])
    save_project(made, tmp_path / "p.json")
    text = (tmp_path / "p.json").read_text()
    assert "sk-1234" not in text
    read = open_project(tmp_path / "p.json")
    assert read.case.processors[0][1] == {
        "client": {},
        "keep_recent_messages": 2,
        "max_tokens": 5,
    }
    assert made.case.processors == chain


@pytest.mark.parametrize("name", ["context_window_tokens", "model_name", "max_tokens", "keys"])
def test_settings_that_merely_sound_alike_stay(name: str) -> None:
    assert without_credentials([{name: 1}]) == [{name: 1}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2, "program": "9.9"}, r"later version of this program \(9\.9\)"),
        ({"version": 0}, "is no project: version"),
        ({"format": "something else"}, "is no project: format"),
        ({"case": {"processors": 5}}, "is no project: case.processors"),
        ({"runs": [{"id": "x"}]}, r"is no project: runs\.0"),
    ],
)
def test_what_is_no_project_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.json"
    save_project(project(), path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CaseError, match=message):
        open_project(path)


@pytest.mark.parametrize("text", ["", "[1]", "[" * 100_000])
def test_any_other_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(CaseError, match=r"p\.json: is n"):
        open_project(path)


def test_runs_follow_the_run_that_they_come_from() -> None:
    first = ProjectRun.of(BASE, "first")
    with pytest.raises(ValidationError, match="is not before it"):
        Project(case=BASE, runs=[ProjectRun.of(BASE, "orphan", "first"), first])
    with pytest.raises(ValidationError, match="two runs have the id"):
        Project(case=BASE, runs=[first, ProjectRun.of(BASE, "first")])


def test_a_setting_of_none_stays_none(tmp_path: Path) -> None:
    chain = [("RoundLevelCompressor", {"model": None})]
    save_project(Project(case=BASE.model_copy(update={"processors": chain})), tmp_path / "p.json")
    assert open_project(tmp_path / "p.json").case.processors == chain


def test_odd_texts_survive(tmp_path: Path) -> None:
    odd = BASE.model_copy(update={"messages": [{"role": "user", "content": "a\ud800b\u2028"}]})
    save_project(Project(case=odd), tmp_path / "p.json")
    assert open_project(tmp_path / "p.json").case.messages == odd.messages
