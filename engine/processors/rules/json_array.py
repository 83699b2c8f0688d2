"""JSON arrays: rows as a table or as lines, else a sample with a summary (`engine.md` §5.8.2, E.7).

Full candidates lose nothing. Where they do not fit, the rows that say most are kept, and one more
element tells how many were omitted.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

from json_repair import repair_json

from engine.messages.json_text import read_json
from engine.processors.rules.content import Shortened, Source, estimated_tokens, saves

TABLE_DENSITY = 0.8
"""Share of the cells that must be filled for a table."""
KEPT_ROWS = 12
ALWAYS_WHOLE = 6
"""Items up to which a list of scalars is not sampled."""
EDGE_ROWS = 5
"""Rows at each end that rank before the middle."""
COMMON_SHARE = 0.8
"""Share of the rows in which a value must stand for its column to be summed up."""
MOST_DISTINCT = 10
READS = 6
LEAST_READS = 2_000_000
"""How often a text may be read to repair it, for each character and at least."""

_ERROR = re.compile(r"\b(?:error|failed|failure|traceback|exception|warn|warning)\b", re.IGNORECASE)


def parsed_array(text: str) -> list[Any] | None:
    """Return the array that a text is, its syntax repaired where need be; None if it is none."""
    if not text.startswith("["):
        return None
    value = read_json(text)
    if value is None:  # an array would not be
        value = _repaired(text)
    return value if isinstance(value, list) else None


def shorten(source: Source) -> Shortened | None:
    """Return the array in fewer characters, if it then fits and saves enough."""
    items = parsed_array(source.text.strip())
    if not items:
        return None
    if all(isinstance(item, dict) for item in items):
        candidates = _of_rows(items, source)
    else:
        candidates = _of_values(items)
    for text in candidates:
        if _fits(text, source):
            return Shortened(text)
    return None


class _Metered(str):
    """A text that can be read so many times, and then raises.

    A text that starts like an array and goes on as prose with quotes is read again from each quote,
    in square time or worse; what can be repaired is read some three times.
    """

    reads = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        self.reads -= 1
        if self.reads < 0:
            raise ValueError("this is no array that could be repaired")
        return super().__getitem__(key)


def _repaired(text: str) -> Any:
    metered = _Metered(text)
    metered.reads = max(LEAST_READS, READS * len(text))
    try:
        return repair_json(metered, return_objects=True)
    except (ValueError, RecursionError):
        return None


def _fits(text: str, source: Source) -> bool:
    budget = max(source.max_chars // 3, 1)
    return estimated_tokens(text) <= budget and saves(text, source.text)


def _of_rows(rows: list[dict[str, Any]], source: Source) -> Iterable[str]:
    keys = sorted({key for row in rows for key in row})
    if not keys:
        return
    table, lines = source.notices.json_array_compressor
    if sum(map(len, rows)) / (len(rows) * len(keys)) >= TABLE_DENSITY:
        yield table.replace("{csv}", _csv(rows, keys))
    else:
        yield lines + "\n".join(map(_compact, rows))
    yield _sampled(rows, keys)


def _csv(rows: Iterable[dict[str, Any]], keys: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(keys)
    for row in rows:
        writer.writerow(_cell(row.get(key)) for key in keys)
    return text.getvalue().strip()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return _compact(value) if isinstance(value, dict | list) else value


def _sampled(rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> str:
    kept = _salient(rows)
    sample: list[Any] = [rows[position] for position in kept]
    omitted = len(rows) - len(kept)
    if omitted:
        summary: dict[str, Any] = {"total_rows": len(rows)}
        counts = _value_counts(rows, keys)
        if counts:
            summary["value_counts"] = counts
        sample.append({"_omitted": omitted, "_summary": summary})
    return _compact(sample)


def _salient(rows: Sequence[dict[str, Any]]) -> list[int]:
    """Return the positions of the rows to keep, in order."""
    if len(rows) <= KEPT_ROWS:
        return list(range(len(rows)))

    def rank(position: int) -> tuple[int, int]:
        edge = position < EDGE_ROWS or position >= len(rows) - EDGE_ROWS
        error = _ERROR.search(_compact(rows[position])) is not None
        return (10 * edge + 20 * error, position)

    return sorted(sorted(range(len(rows)), key=rank)[-KEPT_ROWS:])


def _value_counts(rows: Sequence[dict[str, Any]], keys: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how often each value occurs, of the columns that hold few different scalars."""
    counts: dict[str, dict[str, int]] = {}
    least = max(int(COMMON_SHARE * len(rows)), 1)
    for key in keys:
        values = [row[key] for row in rows if key in row]
        scalars = [value for value in values if _is_scalar(value)]
        if len(scalars) < least:
            continue
        counted = Counter(v if isinstance(v, str) else _compact(v) for v in scalars)
        if len(counted) <= MOST_DISTINCT:
            counts[key] = dict(counted)
    return counts


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _of_values(items: list[Any]) -> Iterable[str]:
    yield _compact(items)
    if len(items) <= ALWAYS_WHOLE:
        return
    last = len(items) - 1
    if all(isinstance(item, str) for item in items):
        kept = {0, last, *_with_errors(items), _longest(items)}
    elif all(isinstance(item, int | float) and not isinstance(item, bool) for item in items):
        kept = {0, last, *_extremes(items)}
    else:
        kept = {0, last, *_first_of_each_type(items), *_with_errors(items)}
    sample = [items[position] for position in sorted(kept)]
    if len(sample) < len(items):
        sample.append({"_omitted": len(items) - len(sample)})
    yield _compact(sample)


def _with_errors(items: Sequence[Any]) -> list[int]:
    texts = (item if isinstance(item, str) else _compact(item) for item in items)
    return [position for position, text in enumerate(texts) if _ERROR.search(text)]


def _longest(items: Sequence[str]) -> int:
    return max(range(len(items)), key=lambda position: len(items[position]))


def _extremes(items: Sequence[float]) -> set[int]:
    positions = range(len(items))
    jump = max(positions[1:], key=lambda position: _distance(items[position - 1], items[position]))
    return {
        min(positions, key=items.__getitem__),
        max(positions, key=items.__getitem__),
        jump - 1,
        jump,
    }


def _distance(a: float, b: float) -> float:
    try:
        return abs(b - a)
    except OverflowError:  # an integer beyond every float, and a float
        return math.inf


def _first_of_each_type(items: Sequence[Any]) -> list[int]:
    first: dict[str, int] = {}
    for position, item in enumerate(items):
        first.setdefault(_json_type(item), position)
    return list(first.values())


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return type(value).__name__


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
