"""Previews, markers and cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.processors.offloaders.marker import cut, marker, preview
from engine.processors.offloaders.originals import Kept
from engine.wording import Wording

WORDING = Wording.default().offload
HANDLE = "0123456789abcdef" * 2


def test_a_marker_names_handle_type_and_path() -> None:
    assert marker(Kept(HANDLE, "filesystem", "/w/a.json"), WORDING) == (
        f"\n[[OFFLOAD: handle={HANDLE}, type=filesystem, path=/w/a.json]]"
    )
    assert marker(Kept(HANDLE, "in_memory"), WORDING) == (
        f"\n[[OFFLOAD: handle={HANDLE}, type=in_memory]]"
    )


def test_a_preview_has_both_ends() -> None:
    text = "a" * 2000 + "b" * 5000 + "c" * 2000
    shown = preview(text, WORDING)

    assert shown.startswith("a" * 2000 + "\n... [")
    assert shown.endswith("] ...\n" + "c" * 2000)
    assert len(shown) == 4044
    assert preview("x" * 4000, WORDING) == "x" * 4000
    assert len(preview("x" * 4001, WORDING)) == 4044


MARK = "[[OFFLOAD: handle=1, type=in_memory]]"


@pytest.mark.parametrize(
    ("body", "room", "expected"),
    [
        ("abcdefghijklmnopqrst", 20, "abcdefghijklmnopqrst\n...\n"),
        ("abcdefghijklmnopqrst", 19, "abcde\n...\nlmnopqrst\n...\n"),
        ("abcdefghijklmnopqrst", 12, "a\n...\nopqrst\n...\n"),
        ("abcdefghijklmnopqrst", 10, "klmnopqrst\n...\n"),
        ("abcdefghijklm   qrst", 7, "qrst\n...\n"),
        ("abc  fghijk     qrst", 19, "abc\n...\nqrst\n...\n"),
        ("abcdefghijklmnopqrst", 0, ""),
        ("abcdefghijklmnopqrst", -9, ""),
        ("a  \n", 2, "a\n...\n"),
    ],
)
def test_the_body_gives_way_to_the_marker(body: str, room: int, expected: str) -> None:
    assert cut(f"{body}\n{MARK} ", room + len(MARK) + 5, WORDING) == expected + MARK


def test_the_last_marker_counts_and_without_one_the_end_goes() -> None:
    assert cut(f"a {MARK} bcd\n{MARK}", len(MARK) + 8, WORDING) == f"bcd\n...\n{MARK}"
    assert cut("abcdef", 4, WORDING) == "abcd"


@given(st.text(), st.integers(1, 400))
def test_the_marker_is_whole_and_the_rest_fits(body: str, max_chars: int) -> None:
    text = cut(f"{body}\n{MARK}", max_chars, WORDING)

    assert text.endswith(MARK)
    assert len(text) <= max(max_chars, len(MARK))
