"""Markdown without its marks."""

import pytest

from engine.recall.plain_text import plain_text


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("---\nturn_id: a\n---\n\n# Head\ntext **bold**", "Head text **bold**"),
        ("---\r\na\r\n---\r\nx", "x"),
        ("---\nno end", "--- no end"),
        ("- a\n * b\n12. c\n2) d\n1.e", "a b c d 1.e"),
        ("# 1. x", "x"),
        ("1. - x", "- x"),
        ("```py\ncode()\n```", "code()"),
        ("a```b", "a```b"),
        ("see [l](http://x.y) and ![i](z.png)k", "see l http://x.y and i z.pngk"),
        ("> quote\t|a|", "> quote |a|"),
    ],
)
def test_marks_go_and_words_stay(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain
