"""Each line once."""

from hypothesis import given
from hypothesis import strategies as st

from engine.processors.rules.content import Source
from engine.processors.rules.plain_text import shorten
from engine.wording import Wording
from tests.tool_results import prose

NOTICES = Wording.default().rule_compression_notices


def shortened(text: str) -> str | None:
    made = shorten(Source(text, frozenset(), 1, NOTICES))
    return made.text if made else None


def test_repeated_lines_blank_runs_and_spaces_go() -> None:
    text = "\n\n  a   b\t c  \n\n\n\na b c\nnew\n" + "x  \n" * 20

    assert shortened(text) == "a b c\n\nnew\nx"


def test_twenty_different_lines_of_two_hundred() -> None:
    text = "\n".join(f"line  number {i % 20}" for i in range(200))

    assert shortened(text) == "\n".join(f"line number {i}" for i in range(20))


def test_less_than_a_tenth_is_not_worth_it() -> None:
    assert shortened(prose(100)) is None
    assert shortened(prose(100) + "\n" + prose(10)) is None
    assert shortened(prose(100) + "\n" + prose(13)) is not None


@given(st.text())
def test_no_line_is_lost_and_none_is_there_twice(text: str) -> None:
    made = shortened(text)

    if made is not None:
        lines = [line for line in made.splitlines() if line]
        assert len(set(lines)) == len(lines)
        assert set(lines) == {" ".join(line.split()) for line in text.splitlines()} - {""}
