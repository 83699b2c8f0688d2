"""What the provider's prompt cache saved: for each request, and for a session."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from engine.messages import UsageMetadata

CacheStatus = Literal["not_reported", "miss", "partial_hit", "full_hit", "invalid"]


class CacheUsage(BaseModel):
    """Cache numbers of one request, or of several."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_miss_tokens: int = 0
    cache_write_tokens: int = 0
    hit_rate: float | None = None
    """Share of the input that was read from the cache; None where nothing is known of it."""
    status: CacheStatus = "not_reported"


def cache_usage(usage: UsageMetadata) -> CacheUsage:
    """Return the cache numbers of a request."""
    read = _figure(usage, "cache_read_tokens")
    if read is None:
        read = usage.cache_tokens or None
    missed = _figure(usage, "cache_miss_tokens")
    written = _figure(usage, "cache_write_tokens", "cache_creation_input_tokens")
    sent = usage.input_tokens
    if read is None and missed is None and written is None:
        return CacheUsage(input_tokens=sent)
    read = read or 0
    missed = sent - read if missed is None else missed
    figures = {
        "input_tokens": sent,
        "cache_read_tokens": read,
        "cache_miss_tokens": missed,
        "cache_write_tokens": written or 0,
    }
    if sent <= 0 or read < 0 or missed < 0 or read > sent:
        return CacheUsage(**figures, status="invalid")
    return CacheUsage(**figures, hit_rate=read / sent, status=_status(read, sent))


class SessionCacheUsage:
    """The cache numbers of a session, each request counted once."""

    def __init__(self) -> None:
        """Start with no request."""
        self._requests: dict[str, CacheUsage] = {}

    def add(self, request_id: str, usage: UsageMetadata) -> CacheUsage:
        """Take a request's numbers and return them; a second time changes nothing."""
        return self._requests.setdefault(request_id, cache_usage(usage))

    @property
    def total(self) -> CacheUsage:
        """Numbers of all requests whose cache is known, weighted by their tokens."""
        known = [u for u in self._requests.values() if u.hit_rate is not None]
        sent = sum(usage.input_tokens for usage in known)
        read = sum(usage.cache_read_tokens for usage in known)
        if not sent:
            return CacheUsage()
        return CacheUsage(
            input_tokens=sent,
            cache_read_tokens=read,
            cache_miss_tokens=sum(usage.cache_miss_tokens for usage in known),
            cache_write_tokens=sum(usage.cache_write_tokens for usage in known),
            hit_rate=read / sent,
            status=_status(read, sent),
        )


def _status(read: int, sent: int) -> CacheStatus:
    if read == 0:
        return "miss"
    return "full_hit" if read == sent else "partial_hit"


def _figure(usage: UsageMetadata, *names: str) -> int | None:
    """Return the first of the provider's own figures that is a number."""
    extra = usage.model_extra or {}
    return next((extra[name] for name in names if isinstance(extra.get(name), int)), None)
