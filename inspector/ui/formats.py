"""How numbers, times and foreign text are written, everywhere in the window.

A number that is not known is a dash, never a zero; an estimate carries `~`; a difference carries
its sign.
"""

from __future__ import annotations

import math
import re
from datetime import datetime

from inspector.trace.decision import Method

METHODS: dict[Method | None, str] = {
    "usage+tail": "provider usage + tail (~)",
    "string_length": "estimated by length (~)",
    "tiktoken": "tiktoken",
    "estimate": "estimate (~)",
    None: "method not recorded (~)",
}
"""How tokens were counted, in words."""

UNKNOWN = "—"
MINUS = "−"

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def is_estimate(method: Method | None) -> bool:
    """Whether numbers counted by this method carry `~`: all that no tokenizer counted."""
    return method != "tiktoken"


def visible(text: str) -> str:
    r"""Return text with every character shown that would otherwise act or hide.

    Control characters, marks that turn the direction of writing, line separators that are no line
    feed and halves of a surrogate pair become their number, as in `\x1b`. Tab and line feed stay.
    """
    return _INVISIBLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str, limit: int = 300) -> str:
    """Return the first `limit` characters of a text on one line, for a row of a list."""
    return visible(" ".join(text[:limit].split()))


def number(value: float | None, estimated: bool = False) -> str:
    """Return a number with its thousands apart, `~` in front when it is an estimate."""
    if value is None:
        return UNKNOWN
    written = (
        f"{value:,.4g}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"
    )
    return ("~" if estimated else "") + written.replace("-", MINUS)


def signed(value: float | None) -> str:
    """Return a difference with its sign."""
    if value is None:
        return UNKNOWN
    return ("+" if value > 0 else "") + number(value)


def ratio(value: float) -> str:
    """Return a share with at least two decimals, and of six no more than it needs."""
    whole, _, decimals = f"{value:.6f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<2}".replace("-", MINUS)


def thousands(value: float) -> str:
    """Return a number of tokens as an axis writes it: `16k`, `1.5M`."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def clock(time: float) -> str:
    """Return the local time of day to the millisecond; a dash for NaN."""
    if math.isnan(time):
        return UNKNOWN
    try:
        moment = datetime.fromtimestamp(time)
    except (OverflowError, OSError, ValueError):
        return number(time)
    hour, minute, second = moment.hour, moment.minute, moment.second
    return f"{hour:02d}:{minute:02d}:{second:02d}.{moment.microsecond // 1000:03d}"


def date_and_clock(time: float | None) -> str:
    """Return date and local time to the millisecond; a dash where there is none."""
    if time is None or math.isnan(time):
        return UNKNOWN
    try:
        return datetime.fromtimestamp(time).strftime("%Y-%m-%d ") + clock(time)
    except (OverflowError, OSError, ValueError):
        return number(time)


def duration(seconds: float | None) -> str:
    """Return a length of time in the unit that suits it."""
    if seconds is None or math.isnan(seconds):
        return UNKNOWN
    if seconds < 0.0005:
        return "0 ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"


def size(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    value = float(count)
    for unit in ("B", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: `1 step`, `197 steps`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
