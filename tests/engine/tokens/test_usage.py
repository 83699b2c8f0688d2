"""Totals that start from what the provider reported (`engine.md` §3.4, §1.4, Ex 7)."""

from engine.messages import AssistantMessage, Message, ToolCall, UsageMetadata, UserMessage
from engine.tokens.counters import StringLengthCounter
from engine.tokens.usage import usage_with_tail, window_tokens
from tests.conversations import conversation
from tests.scripted import Bench, bench


def answer(read: int, written: int, *calls: str) -> AssistantMessage:
    usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    tool_calls = [ToolCall(id=call, name="t", arguments="{}") for call in calls]
    return AssistantMessage(content="a", tool_calls=tool_calls or None, usage_metadata=usage)


def tokens(bench: Bench) -> int | None:
    """Return the usage-based total of the buffer, None when no usage is valid."""
    return usage_with_tail(bench.context.get_messages())


def test_input_and_output_count_and_the_tail_is_estimated_without_its_roles() -> None:
    messages: list[Message] = [
        answer(100, 11),
        answer(700, 70, "a"),
        *conversation("t{a}:93 a{b,c}"),
        UserMessage(content=[{"type": "text", "text": "x" * 10}]),  # 40 characters as JSON
    ]
    assert usage_with_tail(messages) == 770 + 31 + 0 + 40 // 3


def test_usage_replaces_system_messages_and_tools() -> None:
    counter = StringLengthCounter()
    system = conversation("s:900")
    assert window_tokens(counter, system, [*conversation("u"), answer(10, 1)], []) == 11
    assert window_tokens(counter, system, conversation("u"), []) == 3 + 307 + 7


def test_usage_without_a_total_is_none() -> None:
    assert usage_with_tail([answer(0, 0), *conversation("u:30")]) is None
    assert usage_with_tail([answer(9, -20), *conversation("u:30")]) is None


def test_an_append_leaves_usage_as_it_is() -> None:
    made = bench(messages=[*conversation("u"), answer(50, 5)])
    made.add(*conversation("u:30"))
    assert tokens(made) == 55 + 10


def test_popping_and_replacing_make_usage_stale() -> None:
    made = bench(messages=[answer(50, 5), *conversation("u u")])
    made.context.pop_messages(0)
    assert tokens(made) == 55
    made.context.pop_messages(1)
    assert tokens(made) is None

    made = bench(messages=[answer(50, 5), *conversation("u")])
    made.context.set_messages(made.context.get_messages())
    assert tokens(made) is None


def test_a_buffer_that_rolls_makes_all_usage_stale_the_new_message_s_too() -> None:
    made = bench(max_context_message_num=3)
    made.add(*conversation("u u"), answer(50, 5))
    assert tokens(made) == 55
    made.add(answer(60, 6))
    assert tokens(made) is None


def test_a_first_append_beyond_the_limit_rolls_nothing() -> None:
    made = bench(messages=[*conversation("u u u u"), answer(50, 5)], max_context_message_num=3)
    assert tokens(made) == 55


def test_marks_stay_out_of_the_caller_s_messages() -> None:
    mine = answer(50, 5)
    made = bench(messages=[mine, *conversation("u")])
    made.context.pop_messages(1)
    assert mine.metadata == {}
