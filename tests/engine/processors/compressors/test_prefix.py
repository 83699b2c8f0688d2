"""What a compression puts in the window and the buffer (`engine.md` §5.4, T6, Ex 12)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages import MESSAGE_ID, AssistantMessage, Message, UsageMetadata
from engine.processors.compressors.summary import extracted_summary
from engine.wording import Wording
from tests.conversations import CHAINS, CONVERSATIONS, LIMITS, contents, conversation
from tests.scripted import Script, bench

EAGER: dict[str, Any] = {"trigger_context_ratio": 0.01, "min_target_context_ratio": 0}


@pytest.mark.parametrize(
    ("raw", "summary"),
    [
        ("plain", "plain"),
        ("  plain\n", "plain"),
        ("<coverage_check>c</coverage_check><state_snapshot>\n S \n</state_snapshot> x", "S"),
        ("<STATE_SNAPSHOT>S</State_Snapshot>", "S"),
        ("<state_snapshot>a\nb</state_snapshot>", "a\nb"),
        ("<state_snapshot>1</state_snapshot><state_snapshot>2</state_snapshot>", "1"),
        ("<state_snapshot>a<state_snapshot>b</state_snapshot>c", "a<state_snapshot>b"),
        ("x <state_snapshot>  </state_snapshot>", "x <state_snapshot>  </state_snapshot>"),
        ("<coverage_check>c</coverage_check> <state_snapshot>S",) * 2,
        ("</state_snapshot>S<state_snapshot>",) * 2,
        ("", ""),
        (" \n ", ""),
    ],
)
def test_the_summary_is_the_snapshot_or_the_whole_answer(raw: str, summary: str) -> None:
    assert extracted_summary(raw) == summary


def test_an_answer_full_of_beginnings_takes_no_time() -> None:
    raw = "<state_snapshot>" * 100_000
    assert extracted_summary(raw) == raw


@pytest.mark.parametrize(
    ("name", "notation", "keep", "result"),
    [
        ("DialogueCompressor", "u a:2000 u a:9", None, "*ua"),
        ("CurrentRoundCompressor", "u a:2000 a a", 1, "u*a"),
        ("CurrentRoundCompressor", "u a:2000 m a", 0, "u*"),
        ("RoundLevelCompressor", "u a:2000 u a", 1, "*a"),
        ("RoundLevelCompressor", "u a:2000 u a{x} t{x}", 1, "*at"),
        ("RoundLevelCompressor", "u s:2000 a", 1, "*a"),  # system messages in between go as well
    ],
)
def test_one_user_message_stands_for_the_target(
    name: str, notation: str, keep: int | None, result: str
) -> None:
    more = {} if keep is None else {"keep_recent_messages": keep}
    made = bench((name, {**EAGER, **more}), messages=conversation(notation), model=Script())
    before = made.context.get_messages()
    window = made.window()
    after = made.context.get_messages()
    assert window.context_messages == after
    blocks = [m for m in after if m.text.startswith("<memory_block_")]
    assert "".join("*" if m in blocks else m.role[0] for m in after) == result
    assert all(any(m is kept for kept in before) for m in after if m not in blocks)
    [state] = [state for state in made.context.states if state.status == "completed"]
    assert state.compact_summary == blocks[0].text
    assert state.summary.endswith(f"modified {len(before)} messages")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("x" * 9000, "no_benefit"),
        ("", "empty_answer"),
        (None, "empty_answer"),
        ("  \n", "empty_answer"),
    ],
)
def test_giving_up_changes_nothing(answer: str | None, reason: str) -> None:
    usage = UsageMetadata(input_tokens=900, total_tokens=900)
    asked = AssistantMessage(content="x" * 2000, usage_metadata=usage)
    made = bench(("CurrentRoundCompressor", {}), messages=[*conversation("u"), asked])
    made.context.summarizer = Script(answer)
    before = made.context.get_messages()
    window = made.window()
    assert [*map(id, made.context.get_messages())] == [*map(id, before)]
    assert [*map(id, window.context_messages)] == [*map(id, before)]
    assert before[1].metadata.keys() == {MESSAGE_ID}  # its usage still counts
    assert made.story == ["threshold_check reached_threshold", "span_built"]
    assert made.states == ["CurrentRoundCompressor started", "CurrentRoundCompressor noop"]
    assert [outcome.reason for outcome in made.outcomes] == [reason]


@pytest.mark.parametrize(("spare", "reason"), [(0, "no_benefit"), (1, None)])
def test_a_result_of_equal_size_is_no_benefit(spare: int, reason: str | None) -> None:
    block = (21 + len(Wording.default().memory_block("current", "S"))) // 3
    answer = AssistantMessage(content="x" * ((block + spare) * 3 - 26))
    made = bench(
        ("CurrentRoundCompressor", EAGER), messages=[*conversation("u"), answer], model=Script()
    )
    made.window()
    [outcome] = made.outcomes
    assert outcome.reason == reason
    assert (outcome.before_tokens or 0) - (outcome.after_tokens or 0) == spare


def test_what_truncation_cut_off_is_gone_after_a_compression() -> None:
    made = bench(
        ("RoundLevelCompressor", {**EAGER, "keep_recent_messages": 1}),
        messages=conversation("u a u:900 a:900 u:5"),
        model=Script(),
        default_window_message_num=3,
    )
    made.window()
    kept = made.context.get_messages()
    assert [message.text[:20] for message in kept] == ["<memory_block_round>", "xxxxx"]


def test_the_usage_of_what_is_kept_is_stale_for_the_next_compressor() -> None:
    usage = UsageMetadata(input_tokens=5000, total_tokens=5000)
    kept = AssistantMessage(content="a", usage_metadata=usage)
    made = bench(
        ("DialogueCompressor", {}),
        ("CurrentRoundCompressor", {}),
        messages=[*conversation("u a:900 u"), kept],
        model=Script(),
    )
    made.window()
    totals = [r.model_dump().get("total_tokens") for r in made.records]
    assert totals[0] == 5000
    assert totals[2] is not None
    assert totals[2] < 300


def test_a_memory_block_is_compressed_again() -> None:
    made = bench(("CurrentRoundCompressor", EAGER), model=Script("one", "two"))
    made.add(*conversation("u a:2000"))
    made.window()
    made.add(*conversation("a:2000"))
    made.window()
    assert [message.role for message in made.context.get_messages()] == ["user", "user"]
    assert "two" in made.context.get_messages()[1].text


@settings(max_examples=80)
@given(CONVERSATIONS, CHAINS, LIMITS, st.sampled_from(["S", "", "x" * 6000]))
def test_any_conversation_keeps_its_messages_or_replaces_a_stretch_of_them(
    messages: list[Message],
    chain: list[tuple[str, dict[str, Any]]],
    limits: dict[str, Any],
    answer: str,
) -> None:
    made = bench(*chain, messages=messages, model=Script(otherwise=answer), capacity=900, **limits)
    before = made.context.get_messages()
    ids = [message.message_id for message in before]
    window = made.window()
    after = made.context.get_messages()
    compressed = [outcome for outcome in made.outcomes if outcome.outcome == "compressed"]
    if not compressed:
        assert [*map(id, after)] == [*map(id, before)]
    new = [message for message in after if message.message_id not in ids]
    kept = [message.message_id for message in after if message not in new]
    assert len(kept) + len(new) == len(after)
    assert kept == [i for i in ids if i in kept]  # in their order
    assert all(m.text.startswith(("<memory_block_", "<recovered_")) for m in new)
    assert len({message.message_id for message in after}) == len(after)
    by_id = {message.message_id: message for message in before}
    for message in after:
        if message.message_id in by_id:
            assert contents([message]) == contents([by_id[message.message_id]])
    for outcome in compressed:
        assert (outcome.after_tokens or 0) < (outcome.before_tokens or 0)
    if compressed and not limits["max_context_message_num"]:
        shown = [*map(id, window.context_messages)]
        assert [*map(id, after)][len(after) - len(shown) :] == shown


@settings(max_examples=60)
@given(CONVERSATIONS)
def test_what_stands_before_the_target_is_sent_and_kept_as_it_is(messages: list[Message]) -> None:
    script = Script()
    made = bench(("CurrentRoundCompressor", EAGER), messages=messages, model=script, capacity=100)
    before = made.context.get_messages()
    made.window()
    for call in script.calls:
        front = len(call.messages) - len(call.target) - 1
        assert [*map(id, call.messages[:front])] == [*map(id, before[:front])]
        if made.outcomes[0].outcome == "compressed":
            after = made.context.get_messages()
            assert [*map(id, after[:front])] == [*map(id, before[:front])]
