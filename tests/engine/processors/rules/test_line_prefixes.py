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
        ("\n\n\n\n1 a", "\n\n\n\na"),
        ("", ""),
    ],
)
def test_numbers_of_lines(numbered: str, bare: str) -> None:
    assert without_line_numbers(numbered) == bare


def test_the_indentation_behind_a_number_can_stay() -> None:
    assert without_line_numbers("1\t    x\n2\t y", keep_indent=True) == "    x\n y"


@given(st.text())
def test_nothing_but_prefixes_goes(text: str) -> None:
    bare = without_line_numbers(text)

    assert bare == text or len(bare) <= len(text)
    for line, old in zip(bare.splitlines(), text.splitlines(), strict=False):
        assert old.endswith(line)
