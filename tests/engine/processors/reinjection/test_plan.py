"""The plan file (`engine.md` §5.6, G (ii) and (iv))."""

from pathlib import Path
from typing import Any

import pytest

from engine.messages import Message
from tests.conversations import reading
from tests.recovered import keyed_wording, recovered

KEY = "current_plan_file_plan_path_plan_text"
PLANNED = {"plan_mode": {"plan_slug": "blue"}}


def write(folder: Path, path: str, text: str = "# Plan") -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def plan(folder: Path, state: dict[str, Any], messages: list[Message] | None = None) -> str | None:
    return recovered(messages or [], state=state, folder=folder, builders=["plan"]).get("plan")


@pytest.mark.parametrize(
    "state",
    [
        PLANNED,
        {"deepagent": PLANNED},
        {"task_state": PLANNED},
        {"global_state": {"deepagent": PLANNED}},
        {"agent_state": {"trace_state": {"task_state": PLANNED}}},
        {"trace_state": PLANNED},
        {"plan_mode": "odd", "deepagent": "odd", "global_state": PLANNED},
    ],
)
def test_the_slug_is_found_in_the_state(state: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, ".plans/blue.md")
    assert plan(tmp_path, state) == f"{KEY} plan_path=/w/.plans/blue.md plan_text=# Plan"


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"plan_mode": {}, "deepagent": PLANNED},  # the first one wins, whatever it says
        {"deepagent": {"plan_mode": {"plan_slug": ""}}, "global_state": PLANNED},
        {"elsewhere": PLANNED},
        {"global_state": {"elsewhere": PLANNED}},
        {"global_state": [PLANNED]},
        {"deepagent": {"deepagent": PLANNED}},
        {"plan_mode": {"plan_slug": "green"}},
        {"plan_mode": {"plan_slug": "../../outside"}},
    ],
)
def test_without_slug_or_file_there_is_no_section(state: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path / "w", ".plans/blue.md")
    write(tmp_path, "outside.md", "secret")
    assert plan(tmp_path / "w", state) is None


def test_a_file_that_is_no_text_gives_no_section(tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/blue.md")
    (tmp_path / ".plans").mkdir()
    (tmp_path / ".plans" / "blue.md").write_bytes(b"\xff")
    told = reading("p", "Plan file created at: /w/elsewhere/blue.md", tool="enter_plan_mode")
    assert plan(tmp_path, PLANNED, told) is None


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ("Plan file created at: /w/elsewhere/blue.md", True),
        ("Done.\nPlan file created at:\n  /w/elsewhere/blue.md\nGo on.", True),
        ("Plan file created at: /w//elsewhere/./blue.md\r\nGo on.", True),
        ("Plan file created at: /w/elsewhere/blue.md, have fun", False),
        ("Plan file created at: /w/elsewhere/blue.md ", False),
        ("Plan file created at: /w/elsewhere/red.md", False),
        ("Plan file created at: /w/missing/blue.md", False),
        ("Plan file created at: /etc/blue.md", False),
        ("plan file created at: /w/elsewhere/blue.md", False),
    ],
)
def test_an_announced_file_is_the_second_choice(result: str, found: bool, tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/blue.md", "announced")
    told = reading("p", result, tool="enter_plan_mode")
    text = plan(tmp_path, PLANNED, told)
    assert text == (f"{KEY} plan_path=/w/elsewhere/blue.md plan_text=announced" if found else None)
    write(tmp_path, ".plans/blue.md", "own")
    assert str(plan(tmp_path, PLANNED, told)).endswith("plan_text=own")


def test_the_line_break_behind_a_long_plan_counts_before_it_is_cut(tmp_path: Path) -> None:
    mark = keyed_wording().truncation.section.mark
    write(tmp_path, ".plans/blue.md", "x" * 12_000 + "\n")
    head, tail = str(plan(tmp_path, PLANNED)).split(mark)
    assert (len(head), tail) == (6000, "\n" + "x" * 5999)
