"""Ratios that a recording shows only by what they came to."""

import pytest

from inspector.replay.recovery.ratios import simplest_ratio


@pytest.mark.parametrize(
    ("capacity", "tokens", "default", "ratio"),
    [
        (24_000, 19_200, 0.8, 0.8),
        (24_000, 14_400, 0.8, 0.6),
        (100, 28, 0.8, 0.28),
        (7, 3, 0.8, 0.5),
        (16_385, 5_000, 0.8, 0.3052),
    ],
)
def test_a_ratio_is_the_default_or_the_shortest_decimal(
    capacity: int, tokens: int, default: float, ratio: float
) -> None:
    found = simplest_ratio(capacity, tokens, default, least=1)
    assert found == ratio
    assert int(capacity * found) == tokens


def test_no_ratio_gives_more_than_the_capacity() -> None:
    assert simplest_ratio(100, 250, 0.8) is None
