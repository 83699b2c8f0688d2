"""What the provider's cache saved."""

from typing import Any

import pytest

from engine.messages import UsageMetadata
from engine.usage.cache import SessionCacheUsage, cache_usage


def usage(**figures: Any) -> UsageMetadata:
    return UsageMetadata.model_validate(figures)


@pytest.mark.parametrize(
    ("figures", "status", "read", "missed", "rate"),
    [
        ({"input_tokens": 100}, "not_reported", 0, 0, None),
        ({"input_tokens": 100, "cache_read_tokens": 0}, "miss", 0, 100, 0.0),
        ({"input_tokens": 100, "cache_read_tokens": 25}, "partial_hit", 25, 75, 0.25),
        ({"input_tokens": 100, "cache_tokens": 25}, "partial_hit", 25, 75, 0.25),
        ({"input_tokens": 100, "cache_read_tokens": 100}, "full_hit", 100, 0, 1.0),
        ({"input_tokens": 100, "cache_miss_tokens": 100}, "miss", 0, 100, 0.0),
        ({"input_tokens": 100, "cache_read_tokens": 101}, "invalid", 101, -1, None),
        ({"input_tokens": 100, "cache_read_tokens": -1}, "invalid", -1, 101, None),
        ({"input_tokens": 0, "cache_read_tokens": 5}, "invalid", 5, -5, None),
    ],
)
def test_the_numbers_of_a_request(
    figures: dict[str, int], status: str, read: int, missed: int, rate: float | None
) -> None:
    found = cache_usage(usage(**figures))
    assert (found.status, found.cache_read_tokens, found.cache_miss_tokens, found.hit_rate) == (
        status,
        read,
        missed,
        rate,
    )


def test_what_was_written_is_told() -> None:
    made = usage(input_tokens=100, cache_read_tokens=0, cache_creation_input_tokens=80)
    assert cache_usage(made).cache_write_tokens == 80


def test_a_session_weighs_requests_by_their_tokens_and_counts_each_once() -> None:
    session = SessionCacheUsage()
    assert session.total.status == "not_reported"
    for _ in range(2):
        session.add("1", usage(input_tokens=100, cache_read_tokens=100))
        session.add("2", usage(input_tokens=300, cache_read_tokens=0, cache_write_tokens=7))
        session.add("3", usage(input_tokens=900))
        session.add("4", usage(input_tokens=10, cache_read_tokens=99))
    total = session.total
    assert (total.input_tokens, total.cache_read_tokens, total.cache_write_tokens) == (400, 100, 7)
    assert (total.hit_rate, total.status) == (0.25, "partial_hit")
