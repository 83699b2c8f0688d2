"""What state events tell (`engine.md` §4.5)."""

import pytest

from engine.conversation.states import Metric, Status, metric, saving, short, summary_text


def size(messages: int, tokens: int) -> Metric:
    return metric(0.0, messages, tokens, 1000)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (1499, "1.5k"),
        (20_000, "20k"),
        (1_000_000, "1m"),
        (1_250_000, "1.2m"),
        (-1500, "-1500"),
    ],
)
def test_numbers_in_short(number: int, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize(
    ("status", "after", "modified", "text"),
    [
        ("started", None, 0, "Compressing 5 messages, ~1.2k tokens"),
        (
            "completed",
            size(2, 300),
            5,
            "Compressed 5 -> 2 messages, ~1.2k -> ~300 tokens, saved ~900 tokens (75.0%),"
            " modified 5 messages",
        ),
        (
            "completed",
            size(2, 300),
            0,
            "Compressed 5 -> 2 messages, ~1.2k -> ~300 tokens, saved ~900 tokens (75.0%)",
        ),
        ("noop", size(5, 1200), 0, "Context unchanged at ~1.2k tokens (saved 0.0%)"),
        ("failed", size(5, 1200), 0, "Context processor failed; context remains ~1.2k tokens"),
    ],
)
def test_an_event_in_one_line(
    status: Status, after: Metric | None, modified: int, text: str
) -> None:
    assert summary_text(status, size(5, 1200), after, modified) == text


@pytest.mark.parametrize(
    ("tokens", "capacity", "percent"), [(0, 1000, 0), (555, 1000, 56), (5000, 1000, 100), (5, 0, 0)]
)
def test_the_share_of_the_capacity_stays_within_bounds(
    tokens: int, capacity: int, percent: int
) -> None:
    assert metric(0.0, 1, tokens, capacity).context_percent == percent


def test_what_was_saved_may_be_negative_and_nothing_is_no_share() -> None:
    assert saving(size(3, 100), size(4, 130)).model_dump() == {
        "messages": -1,
        "tokens": -30,
        "percent": -30.0,
    }
    assert saving(size(0, 0), size(0, 0)).percent == 0.0
