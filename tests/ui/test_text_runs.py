"""The difference of two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.models.text_runs import MOST_COMPARED, Run, difference


def shown(runs: tuple[Run, ...]) -> list[str]:
    return "".join(run.text for run in runs).splitlines()


def test_a_changed_word_is_told_within_its_line() -> None:
    runs = difference("a\n12 passed\nz", "a\n128 passed\nz")
    assert shown(runs) == ["  a", "− 12 passed", "+ 128 passed", "  z"]
    assert Run("128", "added_part") in runs
    assert Run("12", "removed_part") in runs


def test_a_changed_character_is_told_where_words_have_no_spaces() -> None:
    runs = difference("边界差一。", "边界差二。")
    assert Run("二", "added_part") in runs


def test_long_equal_stretches_are_left_out() -> None:
    lines = [f"line {at}" for at in range(100)]
    changed = [*lines[:50], "new", *lines[50:]]
    told = shown(difference("\n".join(lines), "\n".join(changed)))
    assert told[0] == "  … 47 equal lines …"
    assert told[-1] == "  … 47 equal lines …"
    assert len(told) == 2 + 7


def test_lines_too_long_to_compare_are_shown_whole() -> None:
    old, new = "a" * 5_000, "b" * 5_000
    assert shown(difference(old, new)) == [f"− {old}", f"+ {new}"]


def test_only_the_first_of_many_changed_lines_are_compared_closely() -> None:
    many = MOST_COMPARED // 10
    old = [f"line {at} was" for at in range(many)]
    runs = difference("\n".join(old), "\n".join(line + " not" for line in old))
    assert sum(run.style == "added_part" for run in runs) < many
    told = shown(runs)
    assert told[0] == "− line 0 was"
    assert told.count(f"+ line {many - 1} was not") == 1
    assert len(told) == 2 * many


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abcd")))
def test_both_texts_can_be_read_from_it(old: list[str], new: list[str]) -> None:
    told = shown(difference("\n".join(old), "\n".join(new)))
    skipped = sum(int(line.split()[1]) for line in told if line.startswith("  …"))
    before = [line for line in told if line[0] in " −" and "…" not in line]
    after = [line for line in told if line[0] in " +" and "…" not in line]
    assert len(before) + skipped == max(len(old), 1)
    assert len(after) + skipped == max(len(new), 1)
    if not skipped:
        assert [line[2:] for line in before] == (old or [""])
        assert [line[2:] for line in after] == (new or [""])
