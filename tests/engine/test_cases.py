"""The engine does with its own recorded cases what it did when they were recorded."""

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.processors.registry import processor_class, registered_names
from inspector.replay.cases.case_file import load_case
from inspector.replay.reports.expectation import differences
from inspector.replay.reports.report import make_report
from inspector.replay.runs.runner import replay
from tests.engine.cases.record import cases

CASES = cases()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_comes_out_as_recorded(path: Path) -> None:
    case_file = load_case(path)
    assert case_file.expected is not None, "record it: python -m tests.engine.cases.record"
    report = make_report(asyncio.run(replay(case_file.case)))
    assert differences(case_file.expected, report) == []


def test_a_recorded_case_notices_any_change() -> None:
    path = next(path for path in CASES if "chain" in path.stem)
    case_file = load_case(path)
    report = make_report(asyncio.run(replay(case_file.case)))
    told = case_file.expected
    assert told is not None
    for change in changes(told):
        assert differences(change, report)


def changes(expected: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the expectation with one thing different in each."""

    def changed(*place: Any) -> dict[str, Any]:
        other = copy.deepcopy(expected)
        *way, last = place
        inner: Any = other
        for key in way:
            inner = inner[key]
        inner[last] = "other" if isinstance(inner[last], str) else inner[last] + 1
        return other

    step = next(i for i, s in enumerate(expected["steps"]) if s.get("llm"))
    return [
        changed("context_max"),
        changed("steps", step, "decisions", 0, "total_tokens"),
        changed("steps", step, "states", 0, "status"),
        changed("steps", step, "llm", 0, "messages"),
        changed("steps", step, "window", "total_tokens"),
        changed("steps", step, "window", "messages", "then", 0),
        changed("steps", step, "files", 0),
        changed("final_messages", 0, "content"),
    ]


def is_own(name: str) -> bool:
    return processor_class(name).__module__.startswith("engine.processors.")


def test_every_processor_acts_in_some_case() -> None:
    told = [json.loads(path.read_bytes())["expected"] for path in CASES]
    acted = {
        state["processor"]
        for expected in told
        for step in expected["steps"]
        for state in step.get("states", [])
        if state["status"] == "completed"
    }
    own = {name for name in registered_names() if is_own(name)}
    assert acted >= own
    assert len(own) == 9
    assert len(CASES) >= 20
