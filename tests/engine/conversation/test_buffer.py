"""The list of messages behind a context (`engine.md` §1.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.conversation.buffer import MessageBuffer
from engine.messages import Message, UserMessage


def numbered(*numbers: int) -> list[Message]:
    return [UserMessage(content=str(n)) for n in numbers]


def numbers(messages: list[Message]) -> list[int]:
    return [int(message.text) for message in messages]


def filled(history: int, added: int, limit: int | None) -> MessageBuffer:
    buffer = MessageBuffer(numbered(*range(history)), limit)
    buffer.append(numbered(*range(history, history + added)))
    return buffer


@pytest.mark.parametrize(
    ("history", "added", "limit", "shown", "held", "history_size"),
    [
        (3, 2, None, [0, 1, 2, 3, 4], 5, 3),
        (5, 0, 3, [2, 3, 4], 3, 3),
        (3, 2, 3, [2, 3, 4], 5, 3),
        (3, 3, 3, [3, 4, 5], 6, 3),  # twice the limit may be held
        (3, 4, 3, [4, 5, 6], 4, 0),  # one more, and the oldest three fall away
        (0, 20, 3, [17, 18, 19], 17, 0),  # once per append, however many came
        (5, 3, 4, [4, 5, 6, 7], 7, 4),
    ],
)
def test_a_limit_shows_the_newest_and_holds_up_to_twice_as_many(
    history: int, added: int, limit: int | None, shown: list[int], held: int, history_size: int
) -> None:
    buffer = filled(history, added, limit)
    assert numbers(buffer.visible()) == shown
    assert len(buffer) == len(shown)
    assert len(shown) + buffer.hidden == held
    assert buffer.history_size == history_size


@pytest.mark.parametrize(
    ("size", "with_history", "expected"),
    [
        (None, True, [0, 1, 2, 3, 4]),
        (2, True, [3, 4]),
        (9, True, [0, 1, 2, 3, 4]),
        (0, True, []),
        (None, False, [3, 4]),
        (1, False, [4]),
        (4, False, [3, 4]),
    ],
)
def test_reading_and_popping_agree(
    size: int | None, with_history: bool, expected: list[int]
) -> None:
    buffer = filled(3, 2, None)
    assert numbers(buffer.visible(size, with_history=with_history)) == expected
    if size is None:
        return
    assert numbers(buffer.pop(size, with_history=with_history)) == expected
    assert numbers(buffer.visible()) == list(range(5 - len(expected)))


def test_history_shrinks_by_what_is_popped_of_it() -> None:
    buffer = filled(3, 2, None)
    buffer.pop(1)
    assert buffer.history_size == 3
    buffer.pop(2)
    assert buffer.history_size == 2


def test_popping_shows_what_the_limit_had_hidden() -> None:
    buffer = filled(0, 5, 3)
    buffer.pop(2)
    assert numbers(buffer.visible()) == [0, 1, 2]


def test_replacing_turns_history_into_context_unless_it_is_kept() -> None:
    buffer = filled(3, 2, None)
    buffer.replace(numbered(7), with_history=False)
    assert numbers(buffer.visible()) == [0, 1, 2, 7]
    assert buffer.history_size == 3
    buffer.replace(numbered(8))
    assert numbers(buffer.visible()) == [8]
    assert buffer.history_size == 0


@pytest.mark.parametrize("read", [MessageBuffer.visible, MessageBuffer.pop])
def test_a_negative_size_is_refused(read: object) -> None:
    assert callable(read)
    with pytest.raises(ValueError, match="-1"):
        read(filled(3, 2, None), -1)


@given(
    limit=st.none() | st.integers(1, 5),
    history=st.integers(0, 8),
    batches=st.lists(st.integers(0, 12), max_size=8),
)
def test_an_append_tells_whether_the_visible_front_stayed(
    limit: int | None, history: int, batches: list[int]
) -> None:
    buffer = MessageBuffer(numbered(*range(history)), limit)
    count = history
    for size in batches:
        before = buffer.visible()
        intact = buffer.append(numbered(*range(count, count + size)))
        count += size
        after = buffer.visible()
        assert intact == all(a is b for a, b in zip(before, after, strict=False))
        assert numbers(after) == list(range(count))[-len(after) :]
        assert len(after) == min(count, limit or count)
