"""The figures of cost and retention under the names that comparison and sweep give them."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.insight.cost import NetCost
from inspector.insight.retention import Retention


def overflow_steps(window_tokens: Iterable[int], capacity: int) -> int:
    """Return how many windows were sent although they hold more than the model can take.

    Args:
        window_tokens: tokens of each window after the chain.
        capacity: tokens that the model can take.
    """
    return sum(tokens > capacity for tokens in window_tokens)


def measures(
    cost: NetCost, retention: Retention, window_tokens: Iterable[int], capacity: int
) -> dict[str, int | float]:
    """Return the figures of one replay.

    `summary_tokens` are those that summary calls wrote, `cache_hit_tokens` those that any request
    read from the cache; `net_cost` is in the price table's currency, `retention` a share from 0 to
    1, `overflow_steps` a number of windows.

    Args:
        cost: of all requests and summary calls.
        retention: of the whole conversation.
        window_tokens: tokens of each window after the chain.
        capacity: tokens that the model can take.
    """
    return {
        "summary_tokens": cost.tokens.output,
        "cache_hit_tokens": cost.tokens.cached,
        "net_cost": cost.net_cost,
        "retention": retention.share,
        "overflow_steps": overflow_steps(window_tokens, capacity),
    }
