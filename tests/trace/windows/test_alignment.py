"""Alignment of sequences."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.trace.windows.alignment import Pair, align, stretches

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


def lines(seed: int, count: int) -> list[str]:
    """Return lines of a report, half of which recur."""
    made = Random(seed)
    return [
        made.choice(["", "}", f"item {made.randrange(9)}", f"line {at}"]) for at in range(count)
    ]


@given(seed=st.integers(0, 99), cut=st.integers(0, 900))
@settings(max_examples=30)
def test_long_texts_keep_all_that_was_not_touched(seed: int, cut: int) -> None:
    old = lines(seed, 1_000)
    new = [*old[:cut], "here", *old[cut + 20 :]]
    pairs = align(old, new)
    assert sum(pair.old is not None and pair.new is not None for pair in pairs) >= 980
    assert all(old[a] == new[b] for a, b in pairs if a is not None and b is not None)
    assert len(pairs) - 1_000 <= 1


def test_what_was_moved_is_kept_on_one_side() -> None:
    old = [f"line {at}" for at in range(600)]
    pairs = align(old, [*old[100:], *old[:100]])
    assert [pair for pair in pairs if None not in pair] == [(at + 100, at) for at in range(500)]


@given(old=WORDS, new=WORDS)
def test_stretches_alternate_and_say_whether_they_are_equal(old: list[str], new: list[str]) -> None:
    found = list(stretches(old, new))
    assert [one.same for one in found[1:]] == [not one.same for one in found[:-1]]
    assert all((old[one.old] == new[one.new]) == one.same for one in found)
