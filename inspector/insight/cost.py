"""Net cost: what a conversation costs with prefix caching and its own compressions counted in.

For each request, in the order in which they were sent:

    cost = (uncached · input + cached · cached_input + written · cache_write + output · output)
           / 1,000,000

with the prices of the table and these counts of tokens, where `uncached + cached + written` is all
that was sent:

- *cached*: what the request shares with one before it, compared message by message from the front:
  tools, system messages, context. The comparison ends at the first message that differs, so a
  compression loses everything behind the place where it put its summary. A hit is cut down to the
  provider's step, or to where an earlier request ended, and is none below the provider's minimum.
- *written*: the other messages, where entering the cache has a price of its own and the request
  reaches the minimum; else they are *uncached*, as is always the frame that opens the answer.
- *output*: the summary. It and the input of the call that wrote it are a line of their own: tokens
  saved by a compression are not money saved before that line is paid.

The net cost is the sum over all requests. Assumptions:

- Requests follow each other before the cache forgets; a pause longer than that costs more.
- The agent asks for caching wherever the provider wants to be asked, and marks the end of its
  system messages and of each request.
- A summary call is sent as the engine sends it: tools, system messages, kept context, target,
  prompt. So it reads from the cache up to the prompt, if the same model writes the summary.
- Tokens are those of the counter, not of the provider; a part of a message is never cached.
- What the agent's own answers cost as output is the same on both sides and left out. Calls that
  failed are not billed. Storage fees, batch and priority prices are left out.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import compress, count
from operator import ne
from typing import NamedTuple

from inspector.insight.prices import Price, Rates
from inspector.insight.sent_requests import SentRequest

MILLION = 1_000_000


@dataclass(frozen=True)
class TokenUse:
    """Tokens by the price they have."""

    uncached: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0

    @property
    def sent(self) -> int:
        """All input tokens."""
        return self.uncached + self.cached + self.written

    def __add__(self, other: TokenUse) -> TokenUse:
        return TokenUse(
            self.uncached + other.uncached,
            self.cached + other.cached,
            self.written + other.written,
            self.output + other.output,
        )


@dataclass(frozen=True)
class CostLine:
    """One request."""

    step: int
    processor: str | None
    """The compressor that asked for a summary; None for a request of the agent."""
    price: Price
    """What was taken for the prices of its model."""
    tokens: TokenUse
    cost: float
    """In the table's currency."""
    broken_at: int | None = None
    """Position of the first part that differs from the agent's request before, tools and system
    messages counted; None where the request before only grew."""


@dataclass(frozen=True)
class NetCost:
    """All requests of a conversation and what they cost together."""

    currency: str
    lines: tuple[CostLine, ...]

    @property
    def net_cost(self) -> float:
        """Everything, in the table's currency."""
        return math.fsum(line.cost for line in self.lines)

    @property
    def priced_as(self) -> str:
        """The models whose prices were taken, and which ones the table lacks."""
        prices = dict.fromkeys((line.price.model, line.price.lacking) for line in self.lines)
        told = (
            model if lacking is None else f"{model}, as the table lacks {lacking}"
            for model, lacking in prices
        )
        return "; ".join(told) or "no model"

    @property
    def summary_cost(self) -> float:
        """The summary calls alone."""
        return math.fsum(line.cost for line in self.lines if line.processor is not None)

    @property
    def tokens(self) -> TokenUse:
        """All tokens."""
        return sum((line.tokens for line in self.lines), TokenUse())


def net_cost(
    requests: Iterable[SentRequest],
    price: Price,
    *,
    price_of: Callable[[str], Price] | None = None,
    currency: str = "USD",
) -> NetCost:
    """Return what requests cost; the module's docstring gives the formula and its assumptions.

    Linear in the parts of all requests.

    Args:
        requests: the agent's requests and the answered summary calls, in the order of sending.
        price: prices of the agent's model.
        price_of: returns the prices of another model that a request names; each has a cache of its
            own. Without it the agent's prices count for all.
        currency: currency of the price table.
    """
    caches = {price.asked: _Cache(price)}
    lines = []
    for request in requests:
        own = price if price_of is None or request.model is None else price_of(request.model)
        lines.append(caches.setdefault(own.asked, _Cache(own)).send(request))
    return NetCost(currency, tuple(lines))


class _Read(NamedTuple):
    """A request that the provider has read."""

    digests: list[str]
    ends: list[int]
    """Where a hit may end, as numbers of leading parts, rising."""


class _Cache:
    """What one model's provider still holds of a conversation.

    That is the agent's last request and the last summary call since then; what only an older one
    shares with the next is taken for forgotten.
    """

    def __init__(self, price: Price) -> None:
        self._price = price
        self._agent: _Read | None = None
        self._call: _Read | None = None

    def send(self, request: SentRequest) -> CostLine:
        """Return the line of the next request, and remember it."""
        digests = [part.digest for part in request.parts]
        broken_at = self._broken_at(digests) if request.processor is None else None
        shared, ends = self._shared_front(digests)
        rates = self._price.rates.rates_for(request.tokens)
        tokens = self._use(request, shared, ends, rates)
        self._remember(request, digests, ends)
        cost = _cost(tokens, rates)
        return CostLine(request.step, request.processor, self._price, tokens, cost, broken_at)

    def _broken_at(self, digests: list[str]) -> int | None:
        if self._agent is None:
            return None
        shared = _shared(self._agent.digests, digests)
        return shared if shared < len(self._agent.digests) else None

    def _shared_front(self, digests: list[str]) -> tuple[int, list[int]]:
        """Return how many parts are shared with what was read, and where in them a hit may end."""
        reads = [read for read in (self._agent, self._call) if read is not None]
        fronts = [(_shared(read.digests, digests), read.ends) for read in reads]
        shared, ends = max(fronts, default=(0, []))
        return shared, ends[: bisect_right(ends, shared)]

    def _remember(self, request: SentRequest, digests: list[str], ends: list[int]) -> None:
        for end in (request.head, len(digests)):
            at = bisect_right(ends, end)
            if ends[at - 1 : at] != [end]:
                ends.insert(at, end)
        if request.processor is None:
            self._agent, self._call = _Read(digests, ends), None
        else:
            self._call = _Read(digests, ends)

    def _use(self, request: SentRequest, shared: int, ends: list[int], rates: Rates) -> TokenUse:
        rule = self._price.cache
        total = request.tokens
        if rule is None or rates.cached_input is None:
            return TokenUse(uncached=total, output=request.output)
        if rule.found == "at_ends":
            shared = ends[-1] if ends else 0
        hit = sum(part.tokens for part in request.parts[:shared])
        cached = hit - hit % rule.step if hit >= rule.minimum else 0
        cacheable = total - request.frame
        writes = rates.cache_write is not None and cacheable >= rule.minimum
        written = cacheable - cached if writes else 0
        return TokenUse(total - cached - written, cached, written, request.output)


def _shared(a: list[str], b: list[str]) -> int:
    """Return how many leading items are the same."""
    return next(compress(count(), map(ne, a, b)), min(len(a), len(b)))


def _cost(tokens: TokenUse, rates: Rates) -> float:
    return (
        tokens.uncached * rates.input
        + tokens.cached * (rates.cached_input or 0)
        + tokens.written * (rates.cache_write or 0)
        + tokens.output * rates.output
    ) / MILLION
