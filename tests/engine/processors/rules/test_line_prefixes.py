"""Line numbers come off where enough lines have one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.processors.rules.line_prefixes import without_line_numbers


@pytest.mark.parametrize(
    ("numbered", "bare"),
    [
        ("     1\tdef f():\n     2\t    return 1", "def f():\nreturn 1"),
        ("1 a\n2 b", "a\nb"),
        ("|12| a\n|13| b", "a\nb"),
        (":7: a", "a"),
        ("#3 a", "a"),
        ("-4) a", "a"),
        ("> 5 | a", "a"),
        ("line 12: a\nrow 13) b", "a\nb"),
        ("line 12 a", "line 12 a"),
        ("12", "12"),
        ("12\t \n13\tb", "12\t \nb"),
        ("12a", "12a"),
        ("x\ny\n1 a", "x\ny\na"),
        ("x\ny\nz\n1 a", "x\ny\nz\n1 a"),
        ("\n\n\n\n1 a", "a"),
        ("x\n \n  1 a", "x\na"),
        ("line 1: \n\nline 2: b", "line 2: b"),
        ("|1|\n|2| b", "|2| b"),
        ("|1\n|2 b", "2 b"),
        ("row3) a", "row3) a"),
        ("1\ta\r2\tb", "a\r2\tb"),
        ("", ""),
    ],
)
def test_numbers_of_lines(numbered: str, bare: str) -> None:
    assert without_line_numbers(numbered) == bare


def test_the_indentation_behind_a_number_can_stay() -> None:
    assert without_line_numbers("1\t    x\n2\t y", keep_indent=True) == "    x\n y"
    assert without_line_numbers("1     x\n|2|   y", keep_indent=True) == "x\ny"
    assert without_line_numbers("1\t \n2\tx", keep_indent=True) == "1\t \nx"


@given(st.text() | st.text(alphabet="12 \n\t|:line#x"))
def test_nothing_but_prefixes_goes(text: str) -> None:
    bare = without_line_numbers(text)

    rest = iter(text)
    assert all(character in rest for character in bare)


def test_many_empty_lines_take_no_time() -> None:
    blank = " \n" * 200_000
    assert without_line_numbers(f"1 a\n{blank}2 b") == "a\nb"
    assert without_line_numbers(f"1 a\n{blank}b") == f"a\n{blank}b"
