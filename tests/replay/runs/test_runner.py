"""Replaying a case: feeding, summarizers, faults, and what holds for any case."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.debug.records import CompressionRetry
from engine.messages import UserMessage
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.digest import normalised
from inspector.replay.reports.report import make_report
from inspector.replay.runs.run import Run
from inspector.replay.runs.runner import feeding, replay
from inspector.replay.settings.edits import Edit, edited
from tests.conversations import CHAINS, CHATS, LIMITS, WHOLE_CHAINS

LONG = "word " * 300
TURNS = [
    {"role": "user", "content": "first"},
    {"role": "assistant", "content": LONG},
    {"role": "user", "content": "second"},
    {"role": "assistant", "content": LONG},
]
TIMES = ("timestamp", "rule_compressed_at")
ROUND = ("RoundLevelCompressor", {"trigger_context_ratio": 0.5, "keep_recent_messages": 1})


def case(*replies: dict[str, Any], **fields: Any) -> Case:
    return Case.model_validate(
        {
            "messages": TURNS,
            "processors": [ROUND],
            "context_window_tokens": 1000,
            "mode": "bulk",
            "replies": list(replies),
            **fields,
        }
    )


def run(case: Case, **options: Any) -> Run:
    return asyncio.run(replay(case, **options))


def answered(run: Run) -> list[list[str]]:
    """Return who answered the calls of each attempt."""
    return [outcome.summarizers for step in run.steps for outcome in step.outcomes]


def outcomes(run: Run) -> list[str]:
    return [o.reason or o.outcome for step in run.steps for o in step.outcomes]


def told(run: Run) -> Any:
    """Return a run's report without what differs from run to run."""
    report = make_report(run).model_dump(mode="json", exclude={"seconds"})

    def steady(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: steady(item) for key, item in value.items() if key not in TIMES}
        if isinstance(value, list):
            return [steady(item) for item in value]
        return normalised(value) if isinstance(value, str) else value

    return steady(report)


# Feeding


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [(1, False), (0, True), (1, False), (1, False), (0, True), (1, False), (0, True)]),
        ({"mode": "each"}, [(1, True)] * 4),
        ({"mode": "bulk"}, [(4, True)]),
        ({"groups": [[3, False], [0, True], [1, True]]}, [(3, False), (0, True), (1, True)]),
        ({"groups": []}, []),
        ({"messages": []}, [(0, True)]),
        ({"messages": [], "mode": "each"}, []),
        ({"messages": [], "mode": "bulk"}, [(0, True)]),
    ],
)
def test_how_messages_are_fed(fields: dict[str, Any], expected: list[tuple[int, bool]]) -> None:
    fed = Case.model_validate({"messages": TURNS, **fields})
    assert list(feeding(fed, fed.conversation())) == expected


def test_an_add_and_the_window_after_it_are_one_step() -> None:
    steps = run(case(mode="each", processors=[])).steps
    assert [(step.kind, step.added, step.number) for step in steps] == [
        ("window", 1, 1),
        ("window", 2, 2),
        ("window", 3, 3),
        ("window", 4, 4),
    ]
    steps = run(case(groups=[[3, False], [1, True]], processors=[])).steps
    assert [(step.kind, step.added) for step in steps] == [("add", 3), ("window", 4)]


def test_a_group_of_more_messages_than_there_are_adds_what_there_is() -> None:
    steps = run(case(groups=[[9, True], [2, True]])).steps
    assert [step.added for step in steps] == [4, 4]


def test_limits_of_each_request_are_the_case_s() -> None:
    ran = run(case(processors=[], window_kwargs={"window_size": 1}))
    assert [len(step.window.messages) for step in ran.steps if step.window] == [1]
    assert len(ran.final_messages) == 4


# Who answers


def test_replies_are_played_in_order_whatever_is_asked() -> None:
    ran = run(case({"content": "one"}, {"content": "two"}, mode="each"))
    assert answered(ran) == [["recorded"], ["recorded"]]
    assert "one" not in ran.final_messages[0].text
    assert "two" in ran.final_messages[0].text


def test_running_out_of_replies_is_no_error() -> None:
    ran = run(case(mode="each"))
    assert outcomes(ran) == ["compressed", "compressed"]
    assert answered(ran) == [["extractive"], ["extractive"]]
    assert make_report(ran).summaries == {"extractive": 2}


def test_without_replies_or_on_demand_the_extractive_one_answers() -> None:
    assert run(case().model_copy(update={"replies": None})).summarizer == "extractive"
    ran = run(case({"content": "one"}), summarizer="extractive")
    assert answered(ran) == [["extractive"]]


RETRIED = (
    {"error": {"status": 429, "message": "slow down"}},
    {"content": "one"},
    {"error": {"status": 401, "message": "who are you"}},
)
"""The first attempt of the base needs two calls; the second is refused."""


def test_edited_settings_get_the_same_answers_to_the_same_calls() -> None:
    base = case(*RETRIED, mode="each")
    assert outcomes(run(base)) == ["compressed", "authentication"]
    later = edited(base, [Edit("RoundLevelCompressor", "trigger_context_ratio", 0.51)])
    ran = run(later, base=base)
    assert answered(ran) == [["recorded", "recorded"], ["recorded"]]
    assert outcomes(ran) == ["compressed", "authentication"]


def test_edited_settings_take_other_calls_to_the_extractive_one() -> None:
    base = case({"content": "one"})
    wider = edited(base, [Edit("RoundLevelCompressor", "keep_recent_messages", 2)])
    ran = run(wider, base=base)
    assert answered(ran) == [["extractive"]]
    assert make_report(ran).summaries == {"extractive": 1}


def test_a_cassette_spares_the_baseline() -> None:
    base = case({"content": "one"})
    cassette = run(base).cassette
    again = base.model_copy(update={"replies": [], "title": "edited"})
    ran = run(again, base=base, cassette=cassette)
    assert answered(ran) == [["recorded"]]
    assert "one" in ran.final_messages[0].text


# Time


def test_pauses_and_time_outs_pass_on_the_clock_alone() -> None:
    ran = run(case(*[{"timeout": True}] * 3, timeout=3600))
    assert outcomes(ran) == ["transient_exhausted"]
    first, second = (r for r in ran.steps[0].records if isinstance(r, CompressionRetry))
    assert (first.error_type, first.delay_seconds) == ("transient:timeout", 0.05)
    assert 3600.05 < second.timestamp - first.timestamp < 3600.2
    assert ran.steps[0].states[-1].duration_ms > 3 * 3600 * 1000


# What a case may not hold


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"messages": [{"role": "nobody"}]}, "messages.0"),
        ({"tools": [{"name": 5}]}, "tools.0.name"),
        ({"processors": [["Nobody", {}]]}, "cannot find processor type 'Nobody'"),
        (
            {"processors": [["RoundLevelCompressor", {"keep_recent_messages": -1}]]},
            "keep_recent_messages",
        ),
        (
            {"processors": [["RoundLevelCompressor", {"enable_recall": True}]]},
            "compression_recall_config",
        ),
        ({"wording": {"recall_line": 5}}, "wording: recall_line"),
        ({"wording": {"memory_blocks": 5}}, "wording: memory_blocks"),
        ({"workspace_files": {"a": "", "a/b": ""}}, "workspace_files: 'a/b'"),
        ({"workspace_files": {"a": "\ud800"}}, "workspace_files: 'a'"),
    ],
)
def test_what_cannot_be_replayed_says_why(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(CaseError, match=message):
        run(case(**fields))


def test_a_file_of_the_workspace_stays_in_the_temporary_folder() -> None:
    ran = run(case(workspace_files={"../../escaped.txt": "x", "/absolute.txt": "y"}))
    assert outcomes(ran) == ["compressed"]
    assert not Path("/absolute.txt").exists()


# Any case

REPLIES = st.sampled_from(
    [
        *[{"content": "S"}] * 6,
        {"content": None},
        {"content": "  "},
        {"content": "S", "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}},
        {"content": "<state_snapshot>" + LONG * 9 + "</state_snapshot>"},
        {"drop": True},
        {"timeout": True},
        *[{"error": {"status": 400, "message": None, "code": "context_length_exceeded"}}] * 3,
        {"error": {"status": 401}},
        {"error": {"status": 503, "message": "overloaded", "code": 1301, "param": "x"}},
        {"error": {}},
    ]
)
CASES: st.SearchStrategy[Case] = st.builds(
    lambda **fields: Case.model_validate(fields),
    messages=CHATS,
    processors=CHAINS,
    engine=LIMITS,
    context_window_tokens=st.sampled_from([1, 200, 1000, 3000, 20_000]),
    mode=st.sampled_from(["step", "each", "bulk"]),
    groups=st.none() | st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=4),
    replies=st.none() | st.lists(REPLIES, min_size=3, max_size=12),
    tools=st.lists(st.just({"type": "function", "function": {"name": "t"}}), max_size=1),
    session_state=st.sampled_from(
        [
            {},
            {"plan_mode": {"mode": "plan", "plan_slug": "blue"}, "background_tasks": [{}, "x"]},
            {"team_task_status": {"members": [None, {}], "open_tasks": "x"}},
            {"plan_mode": "odd", "deepagent": {"plan_mode": {}}, "global_state": [[{}]]},
        ]
    ),
    workspace_files=st.sampled_from(
        [{}, {".plans/blue.md": "# Plan", "session/todo.json": "[{}]"}]
    ),
)


@settings(max_examples=60)
@given(CASES, st.none() | WHOLE_CHAINS, st.booleans())
def test_any_case_replays_alike_twice(
    case: Case, chain: list[tuple[str, dict[str, Any]]] | None, recall: bool
) -> None:
    if chain is not None:
        case = case.model_copy(update={"processors": chain, "recall": recall})
    assert told(run(case)) == told(run(case))


@settings(max_examples=60)
@given(CASES)
def test_figures_of_any_case_add_up(case: Case) -> None:
    ran = run(case)
    report = make_report(ran)
    windows = [step for step in ran.steps if step.window]
    assert [step.number for step in windows] == list(range(1, len(windows) + 1))
    for step in ran.steps:
        attempts = [o.model_calls for o in step.outcomes]
        assert sum(attempts) == len(step.calls) == sum(len(o.summarizers) for o in step.outcomes)
        compressions = [o for o in step.outcomes if o.outcome == "compressed"]
        assert len(compressions) == len(step.files) == len(step.dumps)
        for outcome in compressions:
            assert outcome.before_tokens is not None
            assert outcome.after_tokens is not None
            assert outcome.after_tokens < outcome.before_tokens
    for step in windows:
        assert step.window
        stats = step.window.statistic
        by_role = (
            stats.system_message_tokens
            + stats.user_message_tokens
            + stats.assistant_message_tokens
            + stats.tool_message_tokens
        )
        assert not by_role or stats.total_tokens == by_role + stats.tool_tokens
        assert stats.total_messages == step.window.system_messages + len(step.window.messages)
    assert sum(report.summaries.values()) == sum(len(step.calls) for step in ran.steps)


@settings(max_examples=40)
@given(CASES, st.data())
def test_an_edit_and_its_way_back(case: Case, data: st.DataObject) -> None:
    if not case.processors:
        return
    name, own = data.draw(st.sampled_from(case.processors))
    field = "trigger_context_ratio"
    back = edited(case, [Edit(name, field, 0.77), Edit(name, field, own[field])])
    alone = [n for n, _ in case.processors].count(name) == 1
    if alone:
        assert back == case
        assert told(run(back, base=case)) == told(run(case))
    other = edited(case, [Edit(name, field, 0.77)])
    told(run(other, base=case))


def test_a_run_can_be_stopped_between_steps() -> None:
    seen: list[int] = []
    ran = asyncio.run(
        replay(
            case(mode="each", processors=[]),
            on_step=lambda step: seen.append(step.added),
            cancelled=lambda: len(seen) == 2,
        )
    )
    assert ran.cancelled
    assert seen == [1, 2]
    assert [message.text for message in ran.final_messages] == ["first", LONG]


def test_messages_of_a_replay_are_those_of_the_case() -> None:
    ran = run(case(processors=[], messages=[{"role": "user", "content": "q", "name": "ann"}]))
    assert ran.final_messages[0].revised(metadata={}) == UserMessage(content="q", name="ann")
