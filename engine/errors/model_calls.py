"""What went wrong with a model call, told from the error's text (`engine.md` §5.5, G (vi)).

The search is a plain one for substrings, digits included, in a fixed order: a request id that holds
"413" makes an overflow. That is how the original decides, and a replay has to agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

ErrorKind = Literal[
    "context_overflow",
    "rate_limit",
    "authentication",
    "timeout",
    "server_unstable",
    "api_request_error",
    "unknown",
]

TRANSIENT: frozenset[ErrorKind] = frozenset({"rate_limit", "timeout", "server_unstable", "unknown"})
"""Kinds that a second call may survive."""

_MARKERS: tuple[tuple[ErrorKind, tuple[str, ...], frozenset[int]], ...] = (
    (
        "context_overflow",
        (
            "context length",
            "context_length",
            "maximum context",
            "max context",
            "token limit",
            "too many tokens",
            "prompt is too long",
            "input is too long",
            "request too large",
            "413",
        ),
        frozenset({413}),
    ),
    (
        "rate_limit",
        ("rate_limit", "rate limit", "too many requests", "429"),
        frozenset({429}),
    ),
    (
        "authentication",
        (
            "authentication",
            "unauthorized",
            "invalid api key",
            "api key invalid",
            "401",
            "403",
        ),
        frozenset({401, 403}),
    ),
    ("timeout", ("timeout", "timed out"), frozenset()),
    (
        "server_unstable",
        (
            "internal server error",
            "service unavailable",
            "bad gateway",
            "overloaded",
            "temporarily unavailable",
            "500",
            "502",
            "503",
            "504",
        ),
        frozenset({500, 502, 503, 504}),
    ),
    ("api_request_error", ("bad request", "invalid request", "400"), frozenset({400})),
)


class ModelCallError(Exception):
    """A model call failed as an HTTP API fails."""

    summarizer = "model"
    """Who failed to answer: `model`, `openai`, or `recorded` for a fault that is played again."""
    request_id: str | None = None
    """The server's name for the request."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        type: str | None = None,
    ) -> None:
        """Keep what the API said; `status` is the HTTP status."""
        head = "" if status is None else f"Error code: {status}"
        super().__init__(" - ".join(part for part in (head, message) if part))
        self.status_code = status
        self.code = code
        self.type = type


def error_kind(error: BaseException) -> ErrorKind:
    """Return the class of an error."""
    text = error_text(error).lower()
    status = next((code for link in _chain(error) if (code := _status_code(link)) is not None), 0)
    timed_out = any(isinstance(link, TimeoutError) for link in _chain(error))
    for kind, markers, codes in _MARKERS:
        if any(marker in text for marker in markers) or status in codes:
            return kind
        if kind == "timeout" and timed_out:
            return kind
    return "unknown"


def error_text(error: BaseException) -> str:
    """Return all that an error and its causes say: the text that is searched for markers."""
    parts: list[str] = []
    for link in _chain(error):
        parts.append(str(link) or type(link).__name__)
        status = getattr(link, "status", None)
        if status is not None:
            parts += [str(status), str(getattr(status, "name", "") or "")]
            parts.append(str(getattr(status, "errmsg", "") or ""))
        for name in ("code", "status_code", "request_id", "type"):
            value = getattr(link, name, None)
            parts.append("" if value is None else str(value))
        parts += [
            str(value) for name in ("params", "details") if (value := getattr(link, name, None))
        ]
    return " ".join(part for part in parts if part)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        cause = getattr(link, "cause", None)
        link = cause if isinstance(cause, BaseException) else link.__cause__


def _status_code(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for value in (
        getattr(error, "status_code", None),
        getattr(error, "status", None),
        getattr(response, "status_code", None),
    ):
        if isinstance(value, int):
            return int(value)
        if isinstance(value, str) and value.isdecimal():
            return int(value)
    return None
