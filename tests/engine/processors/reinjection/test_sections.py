"""Which builders a compressor has, and how their texts become one message (`engine.md` G (i))."""

from pathlib import Path

import pytest

from engine.messages import Message
from engine.processors.compressors import (
    CurrentRoundCompressor,
    DialogueCompressor,
    RoundLevelCompressor,
)
from engine.session import Session
from tests.conversations import conversation, reading
from tests.recovered import keyed_wording, recovered
from tests.scripted import Script, bench

STATE = {
    "plan_mode": {"mode": "plan", "plan_slug": "blue"},
    "background_tasks": [{"status": "running", "task_id": "t1"}],
}
SKILL = [
    *conversation("u"),
    *reading("s", '{"skill_content": "do it", "skill_directory": "/skills/x"}', tool="skill_tool"),
    *reading("f", "file text", file_path="/a.py"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".plans").mkdir()
    (tmp_path / ".plans" / "blue.md").write_text("# Plan", encoding="utf-8")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "todo.json").write_text('[{"content": "x"}]', encoding="utf-8")
    return tmp_path


def test_sections_stand_in_a_fixed_order(folder: Path) -> None:
    everything = ["plan", "skills", "task_status", "plan_mode", "read_file", "todo"]
    assert list(recovered(SKILL, state=STATE, folder=folder)) == everything


@pytest.mark.parametrize(
    ("builders", "names"),
    [
        (DialogueCompressor.reinjected, ["plan", "skills", "plan_mode", "read_file"]),
        (
            CurrentRoundCompressor.reinjected,
            ["plan", "skills", "task_status", "plan_mode", "read_file", "todo"],
        ),
        (
            RoundLevelCompressor.reinjected,
            ["plan", "skills", "task_status", "plan_mode", "read_file", "todo"],
        ),
    ],
)
def test_each_compressor_has_its_builders(
    builders: frozenset[str], names: list[str], folder: Path
) -> None:
    sections = recovered(SKILL, state=STATE, folder=folder, builders=tuple(builders))
    assert list(sections) == names


def test_without_sections_there_is_no_message() -> None:
    assert recovered(conversation("u a")) == {}


def test_the_message_follows_the_memory_block(folder: Path) -> None:
    messages: list[Message] = [*conversation("u:9 a:3000"), *conversation("u:5 a:5")]
    made = bench(
        ("RoundLevelCompressor", {"keep_recent_messages": 2}),
        messages=messages,
        model=Script(),
        session=Session("s", STATE),
        folder=folder,
        wording=keyed_wording(),
    )
    made.window()
    starts = [message.text[:19] for message in made.context.get_messages()]
    assert starts == ["<memory_block_round", "<recovered_context>", "xxxxx", "xxxxx"]


def test_a_long_section_loses_its_middle(folder: Path) -> None:
    plan = "a" * 10_000 + "b" * 10_000
    (folder / ".plans" / "blue.md").write_text(plan, encoding="utf-8")
    text = recovered(state=STATE, folder=folder)["plan"]
    mark = keyed_wording().truncation.section.mark
    head, _, tail = text.partition(mark)
    assert len(head) == len(tail) == 6000
    assert set(tail) == {"b"}
