"""Lines that differ in their numbers only, read many at a time.

Most of a log are checks that repeat each other but for time and tokens. Of such lines the first is
decoded; those that have its bytes in all places but the digits of these numbers say the same, so
that only the digits are left to read. What is not plain enough for that is left to the decoder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from inspector.sources.lines.header import HEADER, Header

FEWEST = 32
"""Lines of one length that are worth a comparison."""
_LONGEST = 1024
"""Bytes of a line that may be one of many."""
_FORMS = 4
"""Forms of one length that are remembered, and that are looked for at a time."""
_TIMES = range(1 << 30, 1 << 31)
"""Epoch seconds, from 2004 to 2038, in which a float is a multiple of `_TICK`."""
_TICK = 2.0**-22
_TIMESTAMP = b'"timestamp"'
_NUMBER = re.compile(
    rb'"(timestamp|total_tokens|target_tokens|message_count)": ?'
    rb"(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,9}))?(?=[,}])"
)


class AlikeLines(NamedTuple):
    """Lines of one form."""

    at: NDArray[np.intp]
    """Their positions among the lines."""
    header: Header
    """Of the first of them."""
    numbers: dict[str, NDArray[np.float64]]
    """What differs, by key, for each line."""


class Forms:
    """The forms of the lines of a file, as far as several lines had them."""

    def __init__(self) -> None:
        self._known: dict[int, list[_Form]] = {}

    def alike(
        self, body: memoryview, starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> Iterator[AlikeLines]:
        """Yield groups of lines that are alike.

        Args:
            body: The lines.
            starts: Where each begins in it.
            lengths: Their bytes.
        """
        if _TIMESTAMP not in bytes(body[:_LONGEST]):
            return  # as in the offloader's log, of whose lines no two are alike
        several, counts = np.unique(lengths, return_counts=True)
        for length in several[(counts >= FEWEST) & (several <= _LONGEST)].tolist():
            width = length + -length % 8  # to be compared eight bytes at a time
            at = np.flatnonzero((lengths == length) & (starts <= len(body) - width))
            yield from self._of_length(length, at, _windows(body, width)[starts[at]])

    def _of_length(
        self, length: int, at: NDArray[np.intp], lines: NDArray[np.uint8]
    ) -> Iterator[AlikeLines]:
        known = self._known.setdefault(length, [])
        for old in (*known, *(None,) * _FORMS):
            if len(at) < FEWEST:
                return
            form = old or _form(lines[0], length)
            if form is None:
                return
            if old is None:
                known[:] = [form, *known[: _FORMS - 1]]
            digits = lines[:, form.digits] - np.uint8(ord("0"))
            fits = form.fits(lines, digits)
            if fits.any():
                yield AlikeLines(at[fits], form.header, form.numbers(digits[fits]))
                at, lines = at[~fits], lines[~fits]


@dataclass(frozen=True)
class _Form:
    """A line without the digits of its numbers."""

    header: Header
    names: list[str]
    digits: NDArray[np.intp]
    """Positions of all digits."""
    leading: list[int]
    """Which of them begin a number of several digits, and so are no zeros."""
    powers: NDArray[np.float64]
    """What each digit is worth in each number: the whole parts, then the fractions."""
    units: list[int]
    """What the fraction of each number is to be divided by."""
    constant: NDArray[np.uint64]
    """Marks the bits that are the same in all lines, eight bytes at a time."""
    bits: NDArray[np.uint64]
    """These bits."""

    def fits(self, lines: NDArray[np.uint8], digits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Mark the lines of this form."""
        other = lines.view(np.uint64) & self.constant
        other ^= self.bits
        fits: NDArray[np.bool_] = np.bitwise_or.reduce(other, axis=1) == 0
        fits &= (digits < 10).all(axis=1) & digits[:, self.leading].all(axis=1)
        return fits

    def numbers(self, digits: NDArray[np.uint8]) -> dict[str, NDArray[np.float64]]:
        """Return the exact numbers by name."""
        values = (digits @ self.powers).T
        fractions = values[len(self.names) :].astype(np.int64)
        return {
            name: whole + (fraction * (1 << 23) + unit) // (2 * unit) * _TICK
            for name, whole, fraction, unit in zip(
                self.names, values[: len(self.names)], fractions, self.units, strict=True
            )
        }


def _windows(body: memoryview, width: int) -> NDArray[np.uint8]:
    """Return what stands at each place of some bytes, without a copy."""
    return np.ndarray((max(len(body) - width + 1, 0), width), np.uint8, body, strides=(1, 1))


def _form(line: NDArray[np.uint8], length: int) -> _Form | None:
    """Return the form of a line; None where that takes more than a glance."""
    text = line[:length].tobytes()
    header, found = _plain_header(text), list(_NUMBER.finditer(text))
    names = [match[1].decode() for match in found]
    if header is None or "timestamp" not in names or len(set(names)) < len(names):
        return None
    if any(match[3] for match in found if match[1] != b"timestamp"):
        return None
    spans = [match.span(group) for group in (2, 3) for match in found]
    digits = np.concatenate([np.arange(*span) for span in spans])
    powers = np.zeros((len(digits), len(spans)))
    for number, (start, end) in enumerate(spans):
        powers[(start <= digits) & (digits < end), number] = 10.0 ** np.arange(end - start)[::-1]
    constant = np.zeros(len(line), np.uint8)
    constant[:length] = 0xFF
    constant[digits] = 0
    return _Form(
        header=header,
        names=names,
        digits=digits,
        leading=[
            int(np.flatnonzero(digits == start)[0])
            for start, end in spans[: len(found)]
            if end - start > 1
        ],
        powers=powers,
        units=[10 ** (end - start) for start, end in spans[len(found) :]],
        constant=constant.view(np.uint64),
        bits=(line & constant).view(np.uint64),
    )


def _plain_header(text: bytes) -> Header | None:
    """Decode a flat record without escapes, of a usual time; None where it is something else."""
    if not text.startswith(b"{") or text.count(b"{") > 1 or b"[" in text or b"\\" in text:
        return None
    try:
        text.decode()
        header = HEADER.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    usual = _TIMES.start <= (header.timestamp or 0) < _TIMES.stop
    return header if usual and header.event is not None else None
