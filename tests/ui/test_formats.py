"""Numbers, times and foreign text as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.ui import formats


@pytest.mark.parametrize(
    ("value", "estimated", "written"),
    [
        (None, False, "—"),
        (None, True, "—"),
        (0, False, "0"),
        (19_344, False, "19,344"),
        (19_344, True, "~19,344"),
        (-12, False, "−12"),
        (0.85, False, "0.85"),
        (2.0, False, "2"),
    ],
)
def test_numbers(value: float | None, estimated: bool, written: str) -> None:
    assert formats.number(value, estimated) == written


@pytest.mark.parametrize(
    ("value", "written"), [(None, "—"), (0, "0"), (5, "+5"), (-11_902, "−11,902")]
)
def test_differences_carry_their_sign(value: float | None, written: str) -> None:
    assert formats.signed(value) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (None, "—"),
        (float("nan"), "—"),
        (0, "0 ms"),
        (0.067, "67 ms"),
        (1.52, "1.5 s"),
        (125, "2 min 05 s"),
    ],
)
def test_durations(seconds: float | None, written: str) -> None:
    assert formats.duration(seconds) == written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 中文 🙂\ttab\nline", "plain 中文 🙂\ttab\nline"),
        ("\x1b[31mred\x00", "\\x1b[31mred\\x00"),
        ("a\u202eb\u2028c", "a\\u202eb\\u2028c"),
        ("half \ud83d", "half \\ud83d"),
        ("<b>bold</b>&amp;", "<b>bold</b>&amp;"),
    ],
)
def test_what_acts_or_hides_is_shown(text: str, shown: str) -> None:
    assert formats.visible(text) == shown


@given(st.text(st.characters()))
def test_shown_text_is_valid_and_prints_on_its_lines(text: str) -> None:
    shown = formats.visible(text)
    shown.encode()
    assert shown.splitlines() == shown.removesuffix("\n").split("\n") or not shown
    assert formats.visible(shown) == shown


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_any_time_can_be_written(time: float) -> None:
    assert formats.clock(time)
    assert formats.date_and_clock(time)


def test_a_line_of_a_list_has_no_breaks() -> None:
    assert formats.one_line("  a\n\n  b\tc ") == "a b c"
