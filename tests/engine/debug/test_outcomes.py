"""Every end of a processor's turn states itself, in a record that the original does not write."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.debug.records import Outcome
from engine.debug.sinks import FileSink
from engine.messages import AssistantMessage, Message, ToolInfo
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.notes import notes_path
from engine.session_memory.runtime import SessionMemoryRuntime
from engine.session_memory.updater import SessionMemoryUpdater
from engine.workspace import Workspace
from tests import tool_results
from tests.conversations import calling, conversation, reading
from tests.scripted import Bench, Script, Stuck, bench, cancelled

DEBUG = {"enable_debug_dump": True, "enable_context_debug": True}
COMPRESSORS = ("DialogueCompressor", "CurrentRoundCompressor", "RoundLevelCompressor")
FULL = conversation("u a:2000 a:2000")


def played(name: str, messages: Sequence[Message], folder: Path, **settings: Any) -> Bench:
    """Return a bench with one processor that has seen the messages one by one, and a window."""
    made = bench((name, {**DEBUG, **settings}), model=Script(), folder=folder)
    for message in messages:
        made.add(message)
    made.window()
    return made


def told(made: Bench) -> list[tuple[str, str, str | None]]:
    """Return phase, end and reason of each record."""
    return [(end.phase, end.outcome, end.reason) for end in made.outcomes]


def gates_of(end: Outcome) -> list[tuple[str, bool]]:
    return [(gate.gate, gate.passed) for gate in end.gates]


def ids(messages: Sequence[dict[str, Any]] | None) -> list[str]:
    return [message["metadata"]["context_message_id"] for message in messages or ()]


@pytest.mark.parametrize("name", [*COMPRESSORS, "BudgetedSummary"])
def test_nobody_who_writes_summaries_is_told_once(name: str) -> None:
    made = bench((name, DEBUG), messages=FULL)
    made.window()
    made.window()
    assert told(made) == [("get_context_window", "declined", "no_model")]
    assert gates_of(made.outcomes[0]) == [("model", False)]


def test_a_span_that_is_empty_is_told_where_no_check_comes_before() -> None:
    made = bench(("CurrentRoundCompressor", {}), messages=conversation("u"), model=Script())
    asyncio.run(made.context.compress_context())
    assert told(made) == [("active_compress", "declined", "no_compressible_span")]


def test_an_exception_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench(("CurrentRoundCompressor", {}), messages=FULL, model=Script())
    monkeypatch.setattr(made.context, "set_messages", lambda messages: 1 / 0)
    made.window()
    assert told(made) == [("get_context_window", "gave_up", "interrupted")]
    assert made.outcomes[0].error == "division by zero"


def test_a_cancellation_is_told() -> None:
    stuck = Stuck()
    made = bench(("CurrentRoundCompressor", {}), messages=FULL, model=stuck)

    async def play() -> None:
        task = asyncio.create_task(made.context.get_context_window())
        await stuck.asked.wait()
        await cancelled(task)

    asyncio.run(play())
    assert told(made) == [("get_context_window", "gave_up", "interrupted")]
    assert made.outcomes[0].error == "cancelled"


def test_offloads_by_a_rule_and_without_one(tmp_path: Path) -> None:
    story = [
        *reading("1", tool_results.log(200), "bash"),
        *reading("2", "".join(map(chr, range(33, 3033))), "bash"),
    ]
    made = played("MessageSummaryOffloader", story, tmp_path)
    ruled, plain = made.outcomes
    assert told(made) == [("add_messages", "offloaded", None)] * 2
    assert [ruled.tool_call_id, plain.tool_call_id] == ["1", "2"]
    assert gates_of(ruled) == [("protected", True), ("rule", True), ("write", True)]
    assert gates_of(plain) == [("protected", True), ("rule", False), ("write", True)]
    stored = made.context.get_messages()[1]
    assert ruled.before_tokens == made.context.counter.count_messages([story[1]])
    assert ruled.after_tokens == made.context.counter.count_messages([stored])


@pytest.mark.parametrize("rule", [True, False])
def test_a_cut_and_a_result_that_is_left_where_nothing_can_be_written(
    rule: bool, tmp_path: Path
) -> None:
    (tmp_path / "context").write_text("a file, where a folder is wanted", encoding="utf-8")
    text = tool_results.log(200) if rule else "".join(map(chr, range(33, 3033)))
    made = bench(("MessageSummaryOffloader", DEBUG), folder=tmp_path, faithful=True)
    made.add(*reading("1", text, "bash"))
    end = "cut" if rule else "gave_up"
    assert told(made) == [("add_messages", end, "write_failed")]
    assert gates_of(made.outcomes[0])[-1] == ("write", False)


def test_protected_and_offloaded_results_stay_as_they_are(tmp_path: Path) -> None:
    made = played("MessageSummaryOffloader", reading("1", "x" * 900), tmp_path)
    assert told(made) == [("add_messages", "declined", "protected_tool")]
    call, result = reading("2", "x" * 900, "bash")
    made.add(call, result.revised(offload_handle="0" * 32, offload_type="in_memory"))
    assert told(made)[1:] == [("add_messages", "declined", "already_offloaded")]


def test_the_pass_after_a_pause(tmp_path: Path) -> None:
    story = [*reading("1", "x" * 900), *reading("2", "y" * 900, "bash")]
    settings = {"ttl_seconds": 10, "add_message_threshold_ratio": 0.9}
    made = played("MessageSummaryOffloader", story, tmp_path, **settings)
    assert told(made) == []

    def wait() -> list[Outcome]:
        made.sink.clear()
        made.context.last_context_window_access_at = made.clock.now() - 60
        made.window()
        return made.outcomes

    protected, stored = wait()
    assert [(end.outcome, end.reason) for end in (protected, stored)] == [
        ("declined", "protected_tool"), ("offloaded", None)
    ]  # fmt: skip
    gates = [("idle", True), ("occupancy", True)]
    assert gates_of(protected) == [*gates, ("size", True), ("protected", False)]
    assert gates_of(stored)[:2] == gates
    made.context.pop_messages(2)
    [low] = wait()
    assert (low.outcome, low.reason, low.tool_call_id) == ("declined", "ttl_occupancy_low", None)
    assert gates_of(low) == [("idle", True), ("occupancy", False)]
    made.context.set_messages(conversation("u:3000"))
    [small] = wait()
    assert (small.outcome, small.reason) == ("declined", "message_below_threshold")


def test_an_older_offload(tmp_path: Path) -> None:
    story = [*reading("1", "x" * 2000, "bash"), *conversation("a u")]
    made = played("MessageOffloader", story, tmp_path, tokens_threshold=500)
    [end] = made.outcomes
    assert (end.phase, end.outcome, end.tool_call_id) == ("add_messages", "offloaded", "1")


def test_folding_shows_what_went_and_what_came(tmp_path: Path) -> None:
    rounds = [
        message
        for at in "123"
        for message in (
            calling(at).revised(reasoning_content="look again"),
            *conversation(f"t{{{at}}}:90"),
        )
    ]
    made = played("ReasoningToolLoopCompactProcessor", [*conversation("u"), *rounds], tmp_path)
    [end] = made.outcomes
    assert (end.phase, end.outcome) == ("add_messages", "folded")
    assert gates_of(end) == [("reasoning_tools", True)]
    assert (end.gates[0].value, end.gates[0].limit) == (3, 3)
    assert [message["role"] for message in end.replaced or ()] == ["assistant", "tool"] * 3
    assert ids(end.replacement) == [made.context.get_messages()[1].message_id]
    assert end.before_tokens is not None
    assert end.after_tokens == made.context.counter.count_messages(made.context.get_messages())


def test_masking_keeps_its_originals_in_the_record(tmp_path: Path) -> None:
    story = [*reading("1", "x" * 3000, "bash"), *conversation("a u a u")]
    made = played("ObservationMasking", story, tmp_path, soft_ratio=0.5)
    [end] = made.outcomes
    assert (end.phase, end.outcome) == ("get_context_window", "cut")
    assert [message["content"] for message in end.replaced or ()] == ["x" * 3000]
    assert ids(end.replaced) == ids(end.replacement)
    again = played("ObservationMasking", conversation("u:3000"), tmp_path, soft_ratio=0.5)
    assert told(again) == [("get_context_window", "declined", "nothing_to_mask")]


def test_a_budgeted_summary(tmp_path: Path) -> None:
    story = conversation("u a:3000 u a u a")
    made = played("BudgetedSummary", story, tmp_path, soft_ratio=0.5)
    [end] = made.outcomes
    assert (end.outcome, end.model_calls) == ("compressed", 1)
    assert ids(end.replacement) == [made.context.get_messages()[0].message_id]
    assert len(end.replaced or ()) == 2
    again = played("BudgetedSummary", conversation("u:3000"), tmp_path, soft_ratio=0.5)
    assert told(again) == [("get_context_window", "declined", "no_compressible_span")]


@pytest.mark.parametrize(
    ("notes", "anchored", "reason"),
    [
        ("", True, "no_notes"),
        ("N" * 900, True, "notes_too_long"),
        ("N", False, "no_anchor"),
        ("N", True, None),
    ],
)
def test_notes(notes: str, anchored: bool, reason: str | None, tmp_path: Path) -> None:
    workspace = Workspace("/w", tmp_path)
    path = workspace.physical(notes_path(workspace, "s"))
    path.parent.mkdir(parents=True)
    path.write_text(notes, encoding="utf-8")
    settings = {**DEBUG, "enabled": True, "max_notes_chars": 800}
    made = bench(("SessionMemoryCompressor", settings), messages=FULL, folder=tmp_path)
    covered = [m.message_id for m in made.context.get_messages()[:2]]
    if anchored:
        runtime = SessionMemoryRuntime(notes_upto_message_id=covered[-1])
        runtime.keep(made.context.session)
    made.window()
    [end] = made.outcomes
    assert (end.outcome, end.reason) == ("declined" if reason else "materialised", reason)
    passed = [("notes", reason not in {"no_notes", "notes_too_long"})]
    passed += [("anchor", reason is None)] if passed[0][1] else []
    assert gates_of(end) == passed
    assert ids(end.replaced) == ([] if reason else covered)


class Writer:
    """A chat model that gives one answer, or never any."""

    def __init__(self, answer: str | None) -> None:
        self._answer = answer

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        if self._answer is None:
            await asyncio.Event().wait()
        return AssistantMessage(content=self._answer or "")


def updating(folder: Path, answer: str | None, times: int = 1) -> Bench:
    """Return a bench whose notes were asked for so often; the last update is then cancelled."""
    made = bench(messages=FULL, folder=folder)
    config = SessionMemoryConfig(
        update_mode="direct_replace", direct_replace_max_retries=0, enable_debug_dump=True
    )
    updater = SessionMemoryUpdater(Writer(answer), config)

    async def play() -> None:
        for _ in range(times):
            update = updater.schedule(made.context)
            if update is not None and answer is not None:
                await update
        running = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.sleep(0)
        for task in running:
            await cancelled(task)

    asyncio.run(play())
    return made


STARTED = ("should_update", "update_started", None)


@pytest.mark.parametrize(
    ("answer", "times", "ends"),
    [
        ("new notes", 1, [("update", "notes_updated", None)]),
        ("", 1, [("update", "notes_unchanged", "update_failed")]),
        (
            None,
            2,
            [("should_update", "skipped", "busy"), ("update", "notes_unchanged", "interrupted")],
        ),
        (
            "new notes",
            2,
            [
                ("update", "notes_updated", None),
                ("should_update", "declined", "no_completed_round"),
            ],
        ),
    ],
)
def test_updates_of_the_notes(
    answer: str | None, times: int, ends: list[tuple[str, str, str | None]], tmp_path: Path
) -> None:
    made = updating(tmp_path, answer, times)
    assert told(made) == [STARTED, *ends]


def test_what_no_processor_got_to_see() -> None:
    stuck = Stuck()
    made = bench(
        ("CurrentRoundCompressor", {}), messages=FULL, model=stuck, enable_context_debug=True
    )

    async def play() -> None:
        await made.context.compress_context(["Other"])
        task = asyncio.create_task(made.context.compress_context())
        await stuck.asked.wait()
        await made.context.compress_context()
        await made.context.add_messages(conversation("u"))
        await cancelled(task)

    asyncio.run(play())
    ends = [(end.phase, end.reason) for end in made.outcomes if end.processor == "ContextEngine"]
    assert ends == [
        ("active_compress", "no_matching_processor"),
        ("active_compress", "busy"),
        ("add_messages", "busy"),
    ]


@pytest.mark.parametrize("additions", [True, False])
def test_they_stand_in_files_of_their_own(additions: bool, tmp_path: Path) -> None:
    made = bench(
        ("MessageSummaryOffloader", DEBUG),
        folder=tmp_path,
        sink=FileSink(additions=additions),
    )
    made.add(*reading("1", "x" * 900))
    home = tmp_path / "context" / "s_context"
    [log] = (home / "message_offloader_debug_logs").iterdir()
    assert "outcome" not in [
        json.loads(line)["event"] for line in log.read_text("utf-8").splitlines()
    ]
    path = home / "context_debug" / "MessageSummaryOffloader.jsonl"
    assert path.exists() == additions
    if additions:
        [line] = path.read_text("utf-8").splitlines()
        read = json.loads(line)
        assert Outcome.model_validate(read).to_json() == read
        assert "replaced" not in read
        assert "summarizers" not in read
