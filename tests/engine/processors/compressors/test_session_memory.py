"""Notes in place of the messages that they cover: when, which, and what is recorded."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.messages import Message, SystemMessage, ToolInfo
from engine.session import Session
from engine.session_memory.notes import notes_path
from engine.session_memory.runtime import STATE_KEY, SessionMemoryRuntime
from engine.workspace import Workspace
from tests.conversations import conversation
from tests.scripted import Bench, bench

STORY = conversation("u a:300 u a:300 u")


def with_notes(
    folder: Path,
    notes: str | None = "NOTES",
    anchor: int | None = 1,
    messages: list[Message] = STORY,
    capacity: int = 200,
    engine: dict[str, Any] | None = None,
    **settings: Any,
) -> Bench:
    """Return a bench whose session has notes up to the message at `anchor`."""
    chain = {"enabled": True, "enable_context_debug": True, **settings}
    made = bench(
        ("SessionMemoryCompressor", chain),
        messages=messages,
        capacity=capacity,
        folder=folder,
        **(engine or {}),
    )
    workspace = Workspace("/w", folder)
    if notes is not None:
        path = workspace.physical(notes_path(workspace, "s"))
        path.parent.mkdir(parents=True)
        path.write_text(notes, encoding="utf-8")
    if anchor is not None:
        anchored = made.context.get_messages()[anchor].message_id
        SessionMemoryRuntime(notes_upto_message_id=anchored).keep(made.context.session)
    return made


def roles(made: Bench) -> str:
    return "".join(message.role[0] for message in made.context.get_messages())


def test_notes_take_the_place_of_what_they_cover(tmp_path: Path) -> None:
    made = with_notes(tmp_path)
    anchor = made.context.get_messages()[1].message_id
    window = made.window()
    assert made.story == ["threshold_check reached_threshold"] * 2
    assert made.states == ["SessionMemoryCompressor started", "SessionMemoryCompressor completed"]
    assert roles(made) == "uuau"
    assert window.context_messages == made.context.get_messages()
    block = made.context.get_messages()[0].text
    assert block == made.context.wording.session_memory_block("NOTES", str(anchor))
    assert f"notes_upto_message_id={anchor};" in block
    assert made.context.states[-1].compact_summary == block


def test_it_does_so_once_until_the_notes_move_on(tmp_path: Path) -> None:
    made = with_notes(tmp_path)
    made.window()
    made.sink.clear()
    made.window()
    assert made.story == ["threshold_check reached_threshold"]
    assert len(made.states) == 2


@pytest.mark.parametrize(
    ("length", "reason"), [(104, "below_threshold"), (105, "reached_threshold")]
)
def test_the_ratio_decides_first(tmp_path: Path, length: int, reason: str) -> None:
    messages = conversation(f"u a:300 u:{length}")
    made = with_notes(tmp_path, messages=messages)
    made.window()
    assert made.story[0] == f"threshold_check {reason}"
    assert roles(made) == ("uau" if reason == "below_threshold" else "uu")


@pytest.mark.parametrize(
    "missing",
    [
        {"notes": None},
        {"notes": " \n "},
        {"notes": "x" * 51, "max_notes_chars": 50},
        {"anchor": None},
        {"session_memory_path": "/w/elsewhere.md"},
    ],
)
def test_without_notes_or_anchor_one_hit_is_all(tmp_path: Path, missing: dict[str, Any]) -> None:
    made = with_notes(tmp_path, **missing)
    made.window()
    assert made.story == ["threshold_check reached_threshold"]
    assert made.states == []
    assert roles(made) == "uauau"


def test_an_anchor_that_the_window_does_not_show_is_none(tmp_path: Path) -> None:
    made = with_notes(tmp_path, anchor=0)
    made.window(window_size=4)
    assert made.states == []


def test_notes_that_are_not_utf_8_are_none(tmp_path: Path) -> None:
    made = with_notes(tmp_path)
    [path] = tmp_path.rglob("session_context.md")
    path.write_bytes(b"\xff")
    made.window()
    assert made.states == []


@pytest.mark.parametrize("where", ["setting", "runtime"])
def test_notes_may_lie_elsewhere(tmp_path: Path, where: str) -> None:
    (tmp_path / "mine.md").write_text("MINE")
    settings: dict[str, Any] = {"session_memory_path": "/w/mine.md"} if where == "setting" else {}
    made = with_notes(tmp_path, notes=None, **settings)
    if where == "runtime":
        made.context.session.state[STATE_KEY]["memory_path"] = "/w/mine.md"
    made.window()
    assert "\nMINE\n" in made.context.get_messages()[0].text


def test_tools_do_not_count_but_system_messages_do(tmp_path: Path) -> None:
    made = with_notes(tmp_path, messages=conversation("u a:300"), anchor=0)
    made.tools = [ToolInfo(name="t", description="x" * 900)]
    made.window()
    assert made.story == ["threshold_check below_threshold"]
    made.system = [SystemMessage(content="x" * 900)]
    made.window()
    assert made.states[-1] == "SessionMemoryCompressor completed"


def test_it_is_off_by_default_and_says_nothing_unless_told_to(tmp_path: Path) -> None:
    off = with_notes(tmp_path / "a", enabled=False)
    off.window()
    silent = with_notes(tmp_path / "b", enable_context_debug=False)
    silent.window()
    assert off.story == silent.story == []
    assert (roles(off), roles(silent)) == ("uauau", "uuau")


def test_what_is_replaced_is_archived(tmp_path: Path) -> None:
    made = with_notes(tmp_path, engine={"compression_recall_config": {"enabled": True}})
    made.window()
    [manifest] = tmp_path.rglob("manifest.json")
    memory_id = manifest.parent.name.partition("_")[0]
    block = made.context.get_messages()[0].text
    assert block.endswith(f"[[COMPRESSION_RECALL: id={memory_id}]]\n</memory_block_session>")
    assert len(list(manifest.parent.glob("chunks/*.md"))) == 1


def test_on_demand_it_still_asks_its_ratio(tmp_path: Path) -> None:
    made = with_notes(tmp_path, capacity=100_000)
    done = asyncio.run(made.context.compress_context())
    assert done.result == "noop"
    assert made.story == ["threshold_check below_threshold"]
    assert made.states == ["SessionMemoryCompressor started", "SessionMemoryCompressor noop"]


@pytest.mark.parametrize(
    "state", [{}, {STATE_KEY: None}, {STATE_KEY: {"notes_upto_message_id": 5}}]
)
def test_a_session_that_remembers_nothing_readable_starts_anew(state: dict[str, Any]) -> None:
    assert SessionMemoryRuntime.of(Session("s", state)) == SessionMemoryRuntime()
