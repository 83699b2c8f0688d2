"""Notes kept up to date: when an update starts, both ways to make it, and what failures leave."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolInfo,
    UsageMetadata,
)
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.notes import notes_path, pending_path
from engine.session_memory.runtime import SessionMemoryRuntime
from engine.session_memory.updater import SessionMemoryUpdater
from engine.workspace import Workspace
from tests.conversations import conversation
from tests.scripted import Bench, bench, cancelled

STORY = conversation("u:600 a:600 u a{x} t{x}:600 a u")
PENDING = "/w/context/s_context/session_memory/session_context.pending.md"


class Writer:
    """A chat model that gives its answers in order; an exception among them is raised."""

    def __init__(self, *answers: Any) -> None:
        self.calls: list[tuple[list[Message], list[ToolInfo]]] = []
        self._answers = list(answers)

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        self.calls.append((list(messages), list(tools)))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, AssistantMessage):
            return answer
        return AssistantMessage(content=answer)


class Waiting(Writer):
    """Never answers."""

    async def answer(
        self, messages: Sequence[Message], tools: Sequence[ToolInfo]
    ) -> AssistantMessage:
        self.calls.append((list(messages), list(tools)))
        await asyncio.Event().wait()
        raise AssertionError("never reached")


def edits(*given: dict[str, Any], name: str = "edit_file") -> AssistantMessage:
    calls = [
        ToolCall(id=str(i), name=name, arguments=json.dumps(arguments))
        for i, arguments in enumerate(given)
    ]
    return AssistantMessage(tool_calls=calls)


def edit(old: str, new: str, path: str = PENDING, **more: Any) -> dict[str, Any]:
    return {"file_path": path, "old_string": old, "new_string": new, **more}


class Desk:
    """A bench with notes and somebody who writes them."""

    def __init__(self, folder: Path, model: Writer, notes: str | None = "# Title\nold\n") -> None:
        self.folder = folder
        self.bench: Bench = bench(messages=STORY, folder=folder)
        self.model = model
        self.workspace = Workspace("/w", folder)
        if notes is not None:
            self.path.parent.mkdir(parents=True)
            self.path.write_text(notes)

    @property
    def path(self) -> Path:
        return self.workspace.physical(notes_path(self.workspace, "s"))

    @property
    def pending(self) -> Path:
        return self.workspace.physical(pending_path(self.workspace, "s"))

    @property
    def runtime(self) -> SessionMemoryRuntime:
        return SessionMemoryRuntime.of(self.bench.context.session)

    def update(self, *times: Any, **settings: Any) -> list[bool | None]:
        """Ask for an update as often as there are `times` (once by default); say how each ended."""
        config = SessionMemoryConfig(**{"update_trigger_context_ratio": 0.5, **settings})
        updater = SessionMemoryUpdater(self.model, config)

        async def ask() -> list[bool | None]:
            ended: list[bool | None] = []
            for _ in times or (1,):
                task = updater.schedule(self.bench.context, self.bench.system, self.bench.tools)
                ended.append(await task if task else None)
            return ended

        return asyncio.run(ask())


def test_a_model_edits_the_notes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer(edits(edit("old", "new")), "done"))
    desk.bench.system = [SystemMessage(content="s")]
    assert desk.update() == [True]
    assert desk.path.read_text() == "# Title\nnew\n"
    assert not desk.pending.exists()
    messages, tools = desk.model.calls[0]
    assert [m.role[0] for m in messages] == list("suauatau")
    assert "# Title\nold" in messages[-1].text
    assert PENDING in messages[-1].text
    assert [tool.name for tool in tools] == ["edit_file"]
    assert [m.role for m in desk.model.calls[1][0]][-2:] == ["assistant", "tool"]


def test_what_an_update_knew_is_remembered(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer("unchanged"))
    desk.update()
    known = desk.bench.context.get_messages()
    runtime = desk.runtime
    assert runtime.notes_upto_message_id == known[5].message_id, "the last completed exchange"
    assert runtime.last_summarized_message_count == 6
    assert runtime.tool_calls_at_last_update == 1
    assert runtime.tokens_at_last_update == desk.bench.context.counter.count_messages(known[:6])
    assert (runtime.initialized, runtime.is_extracting) == (True, False)
    assert runtime.memory_path == notes_path(desk.workspace, "s")


def test_the_next_update_waits_for_a_new_exchange(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer("unchanged", "again"))
    assert desk.update(1, 2) == [True, None]
    desk.bench.add(*conversation("a:600"))
    assert desk.update() == [True]


def test_notes_that_do_not_exist_begin_as_the_template(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer("unchanged"), notes=None)
    desk.update()
    template = desk.bench.context.wording.session_memory.template
    assert desk.path.read_text() == template
    assert template.count("\n# ") == 14


def test_the_workspace_may_bring_a_template_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "context").mkdir()
    (tmp_path / "context" / "session_memory.md").write_text("# Mine\n")
    desk = Desk(tmp_path, Writer("unchanged"), notes=None)
    desk.update()
    assert desk.path.read_text() == "# Mine\n"


def test_only_the_pending_notes_may_be_edited(tmp_path: Path) -> None:
    tools = [ToolInfo(name="bash"), ToolInfo(name="edit_file", description="the agent's own")]
    answers = (
        edits({"command": "rm -rf /"}, name="bash"),
        edits(edit("old", "new", path="/w/other.md"), edit("old", "new")),
        edits("no object"),  # type: ignore[arg-type]
    )
    desk = Desk(tmp_path, Writer(*answers))
    desk.bench.tools = tools
    debug = {"enable_debug_dump": True, "debug_dump_dir": str(tmp_path / "runs")}
    assert desk.update(**debug) == [True]
    assert desk.path.read_text() == "# Title\nnew\n"
    assert desk.model.calls[0][1] == tools
    assert len(desk.model.calls) == 3, "three calls at most"
    [run] = [json.loads(p.read_bytes()) for p in (tmp_path / "runs").glob("*.json")]
    assert [r["name"] for r in run["ability"]["rejected_tool_calls"]] == [
        "bash",
        "edit_file",
        "edit_file",
    ]
    assert run["ability"]["allowed_notes_path"] == PENDING
    assert run["error"] is None
    assert run["result"] == "# Title\nnew\n"


@pytest.mark.parametrize(
    ("given", "told", "left"),
    [
        (edit("nowhere", "x"), "does not occur", "a b a"),
        (edit("a", "x"), "occurs 2 times", "a b a"),
        (edit("a", "x", replace_all=True), "Edited", "x b x"),
        (edit("", "x"), "must be texts", "a b a"),
        ({"file_path": PENDING, "old_string": 5, "new_string": "x"}, "must be texts", "a b a"),
        (edit("b", "b" * 9), "Edited", "a bbbbbbbbb a"),
    ],
)
def test_an_edit_has_to_be_unambiguous(
    tmp_path: Path, given: dict[str, Any], told: str, left: str
) -> None:
    desk = Desk(tmp_path, Writer(edits(given), "done"), notes="a b a")
    desk.update()
    assert told in desk.model.calls[1][0][-1].text
    assert desk.path.read_text() == left


def test_one_answer_replaces_the_notes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer("```markdown\n# Title\nnew\n```\n"))
    desk.bench.tools = [ToolInfo(name="bash")]
    assert desk.update(update_mode="direct_replace") == [True]
    assert desk.path.read_text() == "# Title\nnew\n"
    assert desk.model.calls[0][1] == []


def test_an_empty_answer_is_asked_for_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer("", RuntimeError("no"), "new"))
    assert desk.update(update_mode="direct_replace") == [True]
    assert desk.path.read_text() == "new\n"


@pytest.mark.parametrize("answers", [["", "", ""], ["```\n\n```"] * 3, [RuntimeError("no")] * 3])
def test_notes_that_nobody_writes_stay_as_they_are(tmp_path: Path, answers: list[Any]) -> None:
    desk = Desk(tmp_path, Writer(*answers))
    assert desk.update(update_mode="direct_replace") == [False]
    assert len(desk.model.calls) == 3
    assert desk.path.read_text() == "# Title\nold\n"
    assert desk.pending.exists(), "it shows that the last update failed"
    assert desk.runtime.notes_upto_message_id is None
    assert not desk.runtime.is_extracting


def test_a_failed_edit_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Writer(edits(edit("old", "new")), RuntimeError("out of order")))
    assert desk.update(enable_debug_dump=True) == [False]
    assert desk.path.read_text() == "# Title\nold\n"
    [log] = tmp_path.rglob("session_memory_debug_logs/*.json")
    assert json.loads(log.read_bytes())["error"] == "out of order"


def test_one_update_runs_for_a_session_and_can_be_cancelled(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Waiting())
    config = SessionMemoryConfig(update_trigger_context_ratio=0.5)
    updater = SessionMemoryUpdater(desk.model, config)

    async def story() -> None:
        task = updater.schedule(desk.bench.context)
        assert task is not None
        await asyncio.sleep(0)
        assert desk.runtime.is_extracting
        assert updater.schedule(desk.bench.context) is None
        await cancelled(task)
        assert not desk.runtime.is_extracting
        again = updater.schedule(desk.bench.context)
        assert again is not None
        await cancelled(again)

    asyncio.run(story())
    assert desk.path.read_text() == "# Title\nold\n"


@pytest.mark.parametrize(
    ("messages", "story"),
    [
        (STORY, ["threshold_check reached_threshold"]),
        (conversation("u a"), ["threshold_check below_threshold"]),
        (conversation("u:2000 a{x}"), []),
        ([], []),
    ],
)
def test_each_check_that_comes_that_far_is_recorded(
    tmp_path: Path, messages: list[Message], story: list[str]
) -> None:
    desk = Desk(tmp_path, Writer("unchanged"))
    desk.bench.context.set_messages(messages)
    desk.update(enable_debug_dump=True)
    assert desk.bench.story == story
    for record in desk.bench.records:
        assert (record.processor, getattr(record, "phase", None)) == (
            "SessionMemory",
            "should_update",
        )


def test_the_provider_s_numbers_come_first(tmp_path: Path) -> None:
    usage = UsageMetadata(input_tokens=400, total_tokens=495)
    messages = [*conversation("u"), AssistantMessage(content="a", usage_metadata=usage)]
    desk = Desk(tmp_path, Writer("unchanged"))
    desk.bench.context.set_messages([])
    desk.bench.add(*messages)
    assert desk.update() == [None], "495 of 500"
    desk.bench.add(*conversation("u a u a m"))
    assert desk.update() == [None], "a token for each later message of a completed exchange"
    desk.bench.add(*conversation("a"))
    assert desk.update() == [True]


def test_without_a_workspace_or_a_session_there_are_no_notes() -> None:
    made = bench(messages=STORY)
    updater = SessionMemoryUpdater(Writer())
    made.context.debug = type(made.context.debug)(
        made.sink, type(made.context.debug.place)("s", "c", None), made.clock
    )
    assert updater.schedule(made.context) is None
