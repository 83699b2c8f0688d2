"""What differs between two windows in a row."""

import pytest
from hypothesis import given

from engine.messages import USAGE_STALE, Message, SystemMessage, ToolInfo
from engine.window import ContextWindow
from engine.window.change import ContextWindowChange, WindowTracker
from tests.conversations import CONVERSATIONS, conversation

A, B, C = (ToolInfo(name=name) for name in "abc")


def window(notation: str, tools: tuple[ToolInfo, ...] = (A,), system: str = "s") -> ContextWindow:
    return ContextWindow([SystemMessage(content=system)], conversation(notation), list(tools))


def change(old: ContextWindow, new: ContextWindow) -> ContextWindowChange:
    tracker = WindowTracker()
    assert tracker.detect(old) is None
    found = tracker.detect(new)
    assert found is not None
    return found


def figures(found: ContextWindowChange) -> tuple[int | None, ...]:
    return found.msg_start, found.msg_end, found.tools_start, found.tools_end


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (window("u a"), window("u a"), (None, None, None, None)),
        (window("u a"), window("u a u a"), (None, None, None, None)),
        (window("u a"), window("u"), (2, 3, None, None)),
        (window("u a"), window("u:3 a"), (1, 3, None, None)),
        (window("u a"), window("u a", system="t"), (0, 3, None, None)),
        (window("u a{x}"), window("u a{y}"), (2, 3, None, None)),
        (window("u", (A, B)), window("u", (A, C)), (None, None, 1, 2)),
        (window("u", (A, B)), window("u", (A,)), (None, None, 1, 2)),
        (window("u a"), window("u a", (A, B)), (1, 3, None, None)),
    ],
)
def test_the_first_difference_counts(
    old: ContextWindow, new: ContextWindow, expected: tuple[int | None, ...]
) -> None:
    found = change(old, new)
    assert figures(found) == expected
    assert found.has_change == any(figure is not None for figure in expected)
    assert found.old_messages == old.messages


@given(CONVERSATIONS, CONVERSATIONS)
def test_what_is_added_at_the_end_is_no_change(old: list[Message], new: list[Message]) -> None:
    found = change(ContextWindow([], old, []), ContextWindow([], [*old, *new], []))
    assert not found.has_change


def test_the_engine_s_own_marks_are_no_change() -> None:
    messages = conversation("u a")
    marked = [m.revised(metadata={USAGE_STALE: True, "context_message_id": "x"}) for m in messages]
    assert not change(ContextWindow([], messages, []), ContextWindow([], marked, [])).has_change


def test_a_later_change_of_the_window_is_not_seen_in_the_old_one() -> None:
    tracker, shown = WindowTracker(), window("u a")
    tracker.detect(shown)
    shown.context_messages.pop()
    found = tracker.detect(shown)
    assert found is not None
    assert figures(found) == (2, 3, None, None)
