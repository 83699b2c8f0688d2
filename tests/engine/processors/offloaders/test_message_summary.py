"""`MessageSummaryOffloader`: as results arrive, after a pause, and when nothing can be written."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import ContextEngineConfig
from engine.context import ModelContext
from engine.context_engine import ContextEngine
from engine.debug.offload_records import (
    AddTriggered,
    MessageOffloaded,
    OffloadCheck,
    RuleCompleted,
    TtlTriggered,
)
from engine.messages import Message, ToolMessage, UserMessage, read_messages
from engine.processors.rules.content import ContentKind
from engine.processors.rules.router import content_kind
from engine.session import Session
from tests import tool_results
from tests.conversations import conversation, reading
from tests.scripted import Bench, bench
from tests.tool_results import TOOL_RESULTS

ANSWERED = ["MessageSummaryOffloader started", "MessageSummaryOffloader completed"]
IDLE = ["MessageSummaryOffloader started", "MessageSummaryOffloader noop"]
PLAIN = ["add_message_triggered_offload", "rule_compression_triggered", "message_offloaded"]
RULED = [*PLAIN[:2], "rule_compression_completed", "message_offloaded"]


def run(
    folder: Path,
    messages: Sequence[Message] = (),
    capacity: int = 1000,
    faithful: bool = False,
    **settings: Any,
) -> Bench:
    return bench(
        ("MessageSummaryOffloader", {"enable_debug_dump": True, **settings}),
        messages=messages,
        capacity=capacity,
        folder=folder,
        faithful=faithful,
    )


def result(text: str, tool: str = "bash", call_id: str = "1", **arguments: Any) -> list[Message]:
    return reading(call_id, text, tool, **arguments)


def last(made: Bench) -> ToolMessage:
    message = made.context.get_messages()[-1]
    assert isinstance(message, ToolMessage)
    return message


def events(made: Bench) -> list[str]:
    return [record.event for record in made.sink.offloads]


def original(made: Bench, folder: Path, message: Message) -> Message:
    """Return what an offloaded message stands for, wherever it is."""
    assert message.offload_handle is not None
    if message.offload_type == "in_memory":
        [kept] = made.context.offloaded[message.offload_handle]
        return kept
    name = f"MessageSummaryOffloader_{message.offload_handle}.json"
    file = json.loads((folder / "context/s_context/offload" / name).read_text())
    assert file["offload_handle"] == message.offload_handle
    [kept] = read_messages(file["messages"])
    return kept


# As results arrive


def test_a_third_of_the_characters_and_seven_tokens_more_than_a_tenth(tmp_path: Path) -> None:
    below = run(tmp_path, result(tool_results.prose(200)[:5972]), capacity=20_000)
    [check] = below.sink.offloads
    assert isinstance(check, OffloadCheck)
    assert (check.content_tokens, check.threshold_tokens, check.hit) == (2000, 2000, False)
    assert below.states == []
    assert not last(below).is_offloaded

    above = run(tmp_path, result(tool_results.prose(200)[:5973]), capacity=20_000)
    assert events(above) == PLAIN
    triggered = above.sink.offloads[0]
    assert isinstance(triggered, AddTriggered)
    assert (triggered.content_tokens, triggered.content_chars) == (2001, 5973)
    assert above.states == ANSWERED


def test_what_no_rule_shortens_keeps_both_ends(tmp_path: Path) -> None:
    text = tool_results.prose(400)[:9000]
    made = run(tmp_path, result(text), capacity=20_000)
    message = last(made)
    path = f"/w/context/s_context/offload/MessageSummaryOffloader_{message.offload_handle}.json"

    marker = f"\n[[OFFLOAD: handle={message.offload_handle}, type=filesystem, path={path}]]"
    assert message.text[:2000] == text[:2000]
    assert message.text[2000:2044] == "\n... [The rest is in the offload file.] ...\n"
    assert message.text[2044:] == text[-2000:] + marker
    assert original(made, tmp_path, message).content == text
    assert made.sink.files == []
    record = made.sink.offloads[-1]
    assert isinstance(record, MessageOffloaded)
    assert record.offload_path == path
    assert record.offloaded_content == message.text
    assert record.original_message.startswith("role='tool' content='")


def test_a_rule_shortens_and_the_marker_survives_the_cut(tmp_path: Path) -> None:
    lines = [f"number  {chr(97 + i) * 6}" for i in range(20)]
    text = "\n".join(lines[i % 20] for i in range(200))
    made = run(tmp_path, result(text))
    message = last(made)

    assert events(made) == RULED
    completed, stored = made.sink.offloads[2:]
    assert isinstance(completed, RuleCompleted)
    assert isinstance(stored, MessageOffloaded)
    assert completed.compressed_content == "\n".join(" ".join(line.split()) for line in lines)
    assert stored.offloaded_content.startswith(completed.compressed_content + "\n[[OFFLOAD:")
    assert len(message.text) <= 300 < len(stored.offloaded_content)
    assert "\n...\n" in message.text
    assert message.text.endswith(stored.offloaded_content.splitlines()[-1])
    assert original(made, tmp_path, message).content == text
    assert message.metadata["rule_compression_type"] == "PLAIN_TEXT"
    assert message.metadata["rule_compression_pass"] == "add"
    assert "rule_compression_details" not in message.metadata
    [dump] = made.sink.files
    assert message.metadata["rule_compression_dump_path"] == f"/w/{dump}"
    assert dump.endswith("_add_PLAIN_TEXT_1.json")


def test_id_name_and_call_stay(tmp_path: Path) -> None:
    [call, message] = result(tool_results.log(200))
    named = message.revised(name="bash", metadata={"context_message_id": "f" * 32, "own": 1})
    new = last(run(tmp_path, [call, named]))

    assert (new.message_id, new.name, new.metadata["own"]) == ("f" * 32, "bash", 1)
    assert new.metadata["rule_compression_details"]["total_lines"] == 200
    assert "rule_compression_type" not in named.metadata


def test_a_diff_says_that_there_is_more_and_is_not_cut(tmp_path: Path) -> None:
    message = last(run(tmp_path, result(tool_results.diff(5, 5))))
    lines = message.text.splitlines()

    assert len(message.text) > 300
    assert lines[-2] == "[The full diff is in a file.]"
    assert lines[-1].startswith("[[OFFLOAD:")


def test_a_protected_result_is_announced_and_left(tmp_path: Path) -> None:
    made = run(tmp_path, result("x" * 9000, tool="read_file"))

    assert events(made) == ["add_message_triggered_offload"]
    assert made.states == IDLE
    assert last(made).text == "x" * 9000


@pytest.mark.parametrize(
    "messages",
    [
        conversation("u:9000"),
        conversation("u a:9000"),
        [ToolMessage(content=[{"type": "text", "text": "x" * 9000}], tool_call_id="1")],
    ],
)
def test_other_messages_leave_nothing_behind(tmp_path: Path, messages: list[Message]) -> None:
    made = run(tmp_path, messages)

    assert events(made) == []
    assert made.states == []


def test_what_is_offloaded_already_is_announced_and_left(tmp_path: Path) -> None:
    made = run(tmp_path, result(tool_results.prose(40), call_id="0"))
    again = made.context.pop_messages()[0]
    made.add(again)

    assert events(made) == [*PLAIN, "add_message_triggered_offload"]
    assert last(made).text == again.text


def test_a_batch_is_checked_first_and_then_worked_on(tmp_path: Path) -> None:
    texts = [tool_results.prose(20), "small", tool_results.log(100)]
    batch = [m for i, text in enumerate(texts) for m in result(text, call_id=str(i))]
    made = run(tmp_path, batch)

    told = [(r.event, r.tool_call_id) for r in made.sink.offloads]
    assert told == [
        ("add_message_triggered_offload", "0"),
        ("threshold_check", "1"),
        ("add_message_triggered_offload", "2"),
        *((event, "0") for event in PLAIN[1:]),
        *((event, "2") for event in RULED[1:]),
    ]
    assert [r.message_index for r in made.sink.offloads[:3]] == [1, 3, 5]  # type: ignore[attr-defined]
    assert made.context.states[-1].summary.endswith("modified 2 messages")


def test_the_request_that_follows_in_the_batch_counts(tmp_path: Path) -> None:
    lines = "\n".join(f"src/f{i}.py:1:{'retry budget' if i == 50 else 'x'}" for i in range(90))
    quiet = last(run(tmp_path, result(lines)))
    asked = run(tmp_path, [*result(lines), UserMessage(content="where is the retry budget?")])

    assert "f50.py" not in quiet.text
    assert "f50.py" in asked.context.get_messages()[1].text


def test_without_debug_nothing_is_recorded(tmp_path: Path) -> None:
    made = run(tmp_path, result(tool_results.log(200)), enable_debug_dump=False)

    assert last(made).is_offloaded
    assert made.sink.offloads == []
    assert made.sink.files == []


def test_in_a_replay_a_bad_directory_template_fails_the_processor(tmp_path: Path) -> None:
    template = "/d/{session_id}/{user}"
    made = run(tmp_path, result("x" * 9000), debug_dump_dir=template, faithful=True)

    assert made.states == ["MessageSummaryOffloader failed"]
    assert last(made).text == "x" * 9000


# After a pause


def idle(made: Bench, seconds: float) -> None:
    """Ask for a window so many seconds after the last one."""
    previous = made.context.last_context_window_access_at
    assert previous is not None
    made.context.last_context_window_access_at = made.clock.now() - seconds
    made.window()


def waiting(folder: Path, text: str = "x" * 1800, **settings: Any) -> Bench:
    chosen = {"ttl_seconds": 10, "add_message_threshold_ratio": 0.9, **settings}
    made = run(folder, [*conversation("u"), *result(text), *conversation("a")], **chosen)
    made.sink.clear()
    made.window()
    assert events(made) == []
    return made


def test_ten_seconds_without_a_window(tmp_path: Path) -> None:
    made = waiting(tmp_path)
    idle(made, 9)
    assert events(made) == []
    idle(made, 10)

    assert events(made) == ["ttl_message_triggered_offload", *PLAIN[1:]]
    triggered = made.sink.offloads[0]
    assert isinstance(triggered, TtlTriggered)
    assert (triggered.content_tokens, triggered.threshold_tokens) == (610, 50)
    assert triggered.max_chars == 150
    assert made.states == ANSWERED
    message = made.context.get_messages()[2]
    assert message.text.startswith("x" * 1800 + "\n[[OFFLOAD: ")
    assert original(made, tmp_path, message).content == "x" * 1800


def test_the_window_shows_what_the_buffer_now_holds(tmp_path: Path) -> None:
    made = waiting(tmp_path, tool_results.log(60))
    made.context.last_context_window_access_at = made.clock.now() - 60
    window = made.window(window_size=3)

    assert [m.role for m in window.context_messages] == ["assistant", "tool", "assistant"]
    assert window.context_messages[1] is made.context.get_messages()[2]
    assert window.context_messages[1].is_offloaded


@pytest.mark.parametrize(
    ("seconds", "settings"),
    [
        (1000, {"ttl_seconds": 0}),
        (1000, {"ttl_context_occupancy_ratio": 0.9}),
        (9.5, {}),
    ],
)
def test_a_pause_that_does_not_count(
    tmp_path: Path, seconds: float, settings: dict[str, Any]
) -> None:
    made = waiting(tmp_path, **settings)
    idle(made, seconds)

    assert events(made) == []
    assert made.states == []


def test_occupancy_is_what_the_provider_reported(tmp_path: Path) -> None:
    chat = [m.to_chat() for m in [*result("x" * 1800), *conversation("a")]]
    chat[-1]["usage_metadata"] = {"total_tokens": 499}
    made = run(tmp_path, read_messages(chat), ttl_seconds=1, add_message_threshold_ratio=0.9)
    made.window()
    idle(made, 60)
    assert "ttl_message_triggered_offload" not in events(made)

    chat[-1]["usage_metadata"] = {"total_tokens": 500}
    made = run(tmp_path, read_messages(chat), ttl_seconds=1, add_message_threshold_ratio=0.9)
    made.window()
    idle(made, 60)
    assert "ttl_message_triggered_offload" in events(made)


def test_small_protected_and_offloaded_results_are_passed_over(tmp_path: Path) -> None:
    made = run(
        tmp_path,
        [
            *result("x" * 100, call_id="small"),
            *result("x" * 1000, call_id="protected", tool="read_file"),
            *result(tool_results.prose(40), call_id="offloaded"),
        ],
        add_message_threshold_ratio=0.4,
        ttl_seconds=1,
        protected_tool_names=["read_file"],
    )
    assert last(made).is_offloaded
    made.window()
    made.sink.clear()
    idle(made, 60)

    assert events(made) == []
    assert made.states[-2:] == IDLE


def test_a_result_that_a_rule_shortened_before_is_left(tmp_path: Path) -> None:
    made = waiting(tmp_path)
    message = made.context.get_messages()[2]
    made.context.set_messages(
        [message.revised(metadata={**message.metadata, "rule_compression_type": "LOG"})]
    )
    idle(made, 60)

    assert events(made) == ["ttl_message_triggered_offload"]
    assert made.states == IDLE


def test_a_result_that_fits_is_tried_and_left(tmp_path: Path) -> None:
    made = waiting(
        tmp_path,
        tool_results.prose(30)[:1500],
        add_message_threshold_ratio=0.9,
        ttl_message_threshold_ratio=0.505,
    )
    idle(made, 60)

    assert events(made) == ["ttl_message_triggered_offload", "rule_compression_triggered"]
    assert made.states == IDLE


# When nothing can be written


def blocked(folder: Path) -> Path:
    """Return a workspace in which no folder can be made."""
    (folder / "context").write_text("in the way")
    return folder


@pytest.mark.parametrize(
    ("text", "story"),
    [(tool_results.prose(400), PLAIN), (tool_results.log(300), RULED)],
)
def test_an_original_that_no_file_takes_stays_in_memory(
    tmp_path: Path, text: str, story: list[str]
) -> None:
    made = run(blocked(tmp_path), result(text))
    message = last(made)

    assert events(made) == story
    assert message.offload_type == "in_memory"
    assert message.text.endswith(f"[[OFFLOAD: handle={message.offload_handle}, type=in_memory]]")
    assert original(made, tmp_path, message).content == text


def test_without_a_workspace_originals_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = ContextEngine(ContextEngineConfig(context_window_tokens=1000))
    chain = [("MessageSummaryOffloader", {"enable_debug_dump": True})]

    async def add() -> ModelContext:
        context = await engine.create_context(processors=chain)
        await context.add_messages(result(tool_results.log(300)))
        return context

    context = asyncio.run(add())
    message = context.get_messages()[-1]
    assert message.offload_handle is not None
    [kept] = context.offloaded[message.offload_handle]
    assert kept.content == tool_results.log(300)
    assert message.text.endswith("type=in_memory]]")
    assert list(tmp_path.iterdir()) == []


def test_a_faithful_replay_gives_up_as_the_original_does(tmp_path: Path) -> None:
    folder = blocked(tmp_path)
    plain = run(folder, result(tool_results.prose(400)), faithful=True)
    assert events(plain) == PLAIN[:2]
    assert plain.states == IDLE
    assert last(plain).text == tool_results.prose(400)

    ruled = run(folder, result(tool_results.log(300)), faithful=True)
    assert events(ruled) == RULED[:3]
    assert ruled.states == ANSWERED
    assert last(ruled).text == tool_results.log(300)[:300]
    assert not last(ruled).is_offloaded
    assert "rule_compressed_at" not in last(ruled).metadata

    diff = run(folder, result(tool_results.diff(5, 5)), faithful=True)
    assert events(diff) == RULED[:3]
    assert diff.states == IDLE
    assert last(diff).text == tool_results.diff(5, 5)


def test_text_that_utf8_cannot_carry(tmp_path: Path) -> None:
    text = tool_results.log(300, errors={7: "broken \udc9f here"})

    live = run(tmp_path, result(text))
    assert original(live, tmp_path, last(live)).content == text

    replayed = run(tmp_path, result(text), faithful=True)
    assert events(replayed) == RULED[:3]
    assert last(replayed).text == text[:300]


@pytest.mark.parametrize("session_id", ["../../up", "a/b", "a\0b", "\udc9f", "x" * 400])
def test_odd_session_ids_lose_nothing_and_stay_inside(tmp_path: Path, session_id: str) -> None:
    folder = tmp_path / "w"
    made = bench(
        ("MessageSummaryOffloader", {"enable_debug_dump": True}),
        folder=folder,
        session=Session(session_id),
    )
    made.add(*result(tool_results.log(300)))
    message = last(made)

    assert message.is_offloaded
    if message.offload_type == "in_memory":
        assert original(made, folder, message).content == tool_results.log(300)
    else:
        declared = f"/w/context/{session_id}_context/offload/MessageSummaryOffloader_"
        assert f"path={declared}{message.offload_handle}.json]]" in message.text
        [path] = folder.rglob(f"*{message.offload_handle}.json")
        [kept] = read_messages(json.loads(path.read_text())["messages"])
        assert kept.content == tool_results.log(300)
    assert [path for path in tmp_path.iterdir() if path != folder] == []


# Whatever comes


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(TOOL_RESULTS, st.sampled_from(["bash", "read_file", "grep"])),
        min_size=1,
        max_size=4,
    ),
    st.floats(0.001, 2),
    st.floats(0.001, 2),
    st.sampled_from([10, 300, 1000]),
    st.booleans(),
)
def test_every_original_can_be_read_again(
    tmp_path_factory: pytest.TempPathFactory,
    results: list[tuple[str, str]],
    add: float,
    ttl: float,
    capacity: int,
    at_once: bool,
) -> None:
    folder = tmp_path_factory.mktemp("w")
    made = run(
        folder,
        capacity=capacity,
        add_message_threshold_ratio=add,
        ttl_message_threshold_ratio=ttl,
        ttl_context_occupancy_ratio=0.001,
        ttl_seconds=1,
    )
    story = [m for i, (text, tool) in enumerate(results) for m in result(text, tool, str(i))]
    for batch in [story] if at_once else [[m] for m in story]:
        made.add(*batch)
    made.window()
    idle(made, 60)

    kept = made.context.get_messages()
    assert [type(m) for m in kept] == [type(m) for m in story]
    assert len({m.message_id for m in kept}) == len(kept)
    for message, before in zip(kept, story, strict=True):
        if message.is_offloaded:
            stored = original(made, folder, message)
            assert (stored.content, stored.message_id) == (before.content, message.message_id)
            assert f"[[OFFLOAD: handle={message.offload_handle}, " in message.text
        else:
            assert message.content == before.content
    assert "MessageSummaryOffloader failed" not in made.states


def test_logs_are_told_even_behind_line_numbers() -> None:
    numbered = "\n".join(
        f"{i:6}\t{line}" for i, line in enumerate(tool_results.log(60).split("\n"))
    )

    assert content_kind(numbered) is ContentKind.LOG
