"""Sums that follow what is new in a list of messages."""

from operator import is_

from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Message, SystemMessage, ToolInfo
from engine.tokens.counters import StringLengthCounter
from engine.tokens.tally import Tally
from engine.tokens.usage import window_tokens
from engine.window import statistic
from tests.conversations import CONVERSATIONS, conversation

COUNTER = StringLengthCounter()


@given(
    st.lists(CONVERSATIONS, min_size=1, max_size=4),
    st.lists(st.just(SystemMessage(content="be brief")), max_size=2),
    st.lists(st.just(ToolInfo(name="t")), max_size=2),
)
def test_what_was_seen_before_changes_no_figure(
    chats: list[list[Message]], system: list[SystemMessage], tools: list[ToolInfo]
) -> None:
    tally = Tally(COUNTER)
    lists = [*chats, chats[0] + chats[-1], chats[0] + chats[-1][:2], chats[0]]
    for messages in lists:
        tally.of(messages)
        assert tally.list_tokens == COUNTER.count_messages(messages)
        assert tally.window_tokens(system, tools) == window_tokens(COUNTER, system, messages, tools)
        assert statistic(tally, system, tools) == statistic(
            Tally(COUNTER).of([*system, *messages]), (), tools
        )


class Counting(StringLengthCounter):
    asked = 0

    def count_message(self, message: Message) -> int:
        self.asked += 1
        return super().count_message(message)


def test_only_what_is_new_is_counted() -> None:
    counter = Counting()
    tally = Tally(counter)
    messages = conversation("u a{x} t{x} a u")
    for length in range(len(messages) + 1):
        tally.of(messages[:length])
    assert counter.asked == len(messages)
    assert tally.roles == "uatau"


def test_copies_take_the_place_of_what_they_were_made_of() -> None:
    counter = Counting()
    tally = Tally(counter)
    messages = conversation("u a{x} t{x} a u")
    copies = [message.labelled(message.metadata.copy()) for message in messages]
    tally.of(messages)
    tally.of(copies)
    assert counter.asked == len(messages)
    assert all(map(is_, tally.messages, copies))
