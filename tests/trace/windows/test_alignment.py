"""Alignment of sequences and differences of texts."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.trace.windows.alignment import LONGEST_LINE, Pair, align, text_diff

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@given(old=WORDS, new=WORDS)
def test_an_alignment_is_complete_ordered_and_true(old: list[str], new: list[str]) -> None:
    pairs = align(old, new)
    assert [pair.old for pair in pairs if pair.old is not None] == list(range(len(old)))
    assert [pair.new for pair in pairs if pair.new is not None] == list(range(len(new)))
    assert all(old[a] == new[b] for a, b in pairs if a is not None and b is not None)


@given(common=WORDS, old=WORDS, new=WORDS)
def test_common_ends_are_never_torn_apart(
    common: list[str], old: list[str], new: list[str]
) -> None:
    pairs = align([*common, *old], [*common, *new])
    assert pairs[: len(common)] == [Pair(at, at) for at in range(len(common))]


def test_a_replaced_stretch_stands_between_what_is_kept() -> None:
    pairs = align(list("xabcy"), list("xMy"))
    assert pairs == [(0, 0), (1, None), (2, None), (3, None), (None, 1), (4, 2)]


def test_anchors_hold_among_repetitions() -> None:
    old = ["-"] * 400 + ["anchor"] + ["="] * 400
    new = ["="] * 400 + ["anchor"] + ["-"] * 400
    assert Pair(400, 400) in align(old, new)


@given(old=st.text("ab \n", max_size=60), new=st.text("ab \n", max_size=60))
def test_both_texts_can_be_read_off_their_difference(old: str, new: str) -> None:
    lines = text_diff(old, new)
    assert "\n".join(line.text for line in lines if line.kind != "added") == old
    assert "\n".join(line.text for line in lines if line.kind != "removed") == new
    for line in lines:
        assert all(0 <= start < end <= len(line.text) for start, end in line.marks)


def test_the_change_inside_a_line_is_marked() -> None:
    removed, added = text_diff("timeout = 30 s", "timeout = 90 s")
    assert [removed.text[start:end] for start, end in removed.marks] == ["3"]
    assert [added.text[start:end] for start, end in added.marks] == ["9"]


def test_lines_with_little_in_common_are_changed_as_a_whole() -> None:
    assert all(line.marks == () for line in text_diff("abcdefgh", "zyxwvuts"))
    long = "x" * (LONGEST_LINE + 1)
    assert all(line.marks == () for line in text_diff(long, long + "y"))
