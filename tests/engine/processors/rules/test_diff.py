"""Which files, hunks and lines of a diff stay."""

from typing import Any

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.diff import shorten
from engine.wording import Wording
from tests.tool_results import diff

NOTICES = Wording.default().rule_compression_notices


def shortened(text: str, *terms: str) -> Shortened:
    made = shorten(Source(text, frozenset(terms), 1, NOTICES))
    assert made is not None
    return made


def figures(text: str, *terms: str) -> dict[str, Any]:
    details = shortened(text, *terms).details
    assert details is not None
    return details


def test_changes_with_two_lines_around_them() -> None:
    text = "From a friend\n" + diff(files=2, hunks=2, context=6, changes=2)
    lines = shortened(text).text.split("\n")

    assert lines[:14] == [
        "From a friend",
        *("diff --git a/f0.py b/f0.py", "--- a/f0.py", "+++ b/f0.py"),
        "@@ -0,9 +0,9 @@ def f0():",
        *("     before 4", "     before 5", "-    old 0", "-    old 1", "+    new 0", "+    new 1"),
        *("     after 0", "     after 1"),
        "[8 unchanged/context diff lines omitted]",
    ]
    assert lines[-1] == "[2 files changed, +8 -8 lines, 0 hunks omitted, 0 files omitted]"


def test_the_figures() -> None:
    text = diff(files=2, hunks=3, context=4, changes=6)

    assert figures(text) == {
        "files_affected": 2,
        "files_retained": 2,
        "files_omitted": 0,
        "hunks_affected": 6,
        "hunks_retained": 6,
        "hunks_omitted": 0,
        "additions": 36,
        "deletions": 36,
        "context_lines_retained": 12,
        "context_lines_omitted": 36,
        "changed_lines_retained": 48,
        "changed_lines_omitted": 24,
        "original_line_count": 132,
        "compressed_line_count": 6 + 6 * (1 + 2 + 8 + 2) + 1,
        "should_offload_original": True,
    }


def test_context_is_what_is_close_to_a_kept_change() -> None:
    made = shortened(diff(1, 1, context=40, changes=1)).text

    assert "before 37" not in made
    assert "before 38" in made
    assert "after 1" in made
    assert "after 2" not in made


def test_eight_changes_of_a_hunk_those_that_matter_first() -> None:
    text = (
        diff(1, 1, context=30, changes=10)
        .replace("new 9", "fix the token")
        .replace("old 8", "TODO")
    )
    lines = shortened(text).text.split("\n")

    assert [line for line in lines if line[:1] in "+-" and line[3:4] == " "][2:] == [
        *(f"-    old {i}" for i in range(6)),
        *("-    TODO", "+    fix the token"),
    ]
    assert "[12 changed diff lines omitted]" in lines


def test_two_hundred_changes_in_all() -> None:
    details = figures(diff(files=6, hunks=10, changes=2))

    assert details["changed_lines_retained"] == 200
    assert details["changed_lines_omitted"] == 40


def test_ten_hunks_of_a_file_the_best_between_first_and_last() -> None:
    text = diff(1, 20, changes=1)
    text = text.replace("def f7():", "def load_budget():").replace("def f12():", "def crash():")
    made = shortened(text, "budget", "load").text

    headers = [line for line in made.split("\n") if line.startswith("@@ ")]
    assert [header.split("def ")[1] for header in headers] == [
        *("f0():", "f1():", "f2():", "f3():", "f4():", "f5():", "f6():"),
        *("load_budget():", "crash():", "f19():"),
    ]
    assert made.endswith("[1 files changed, +20 -20 lines, 10 hunks omitted, 0 files omitted]")


def test_twenty_files_with_the_most_changes() -> None:
    quiet = diff(22, 1, changes=1)
    loud = diff(1, 1, changes=5).replace("f0.py", "loud.py")
    details = figures(f"{quiet}\n{loud}")
    made = shortened(f"{quiet}\n{loud}").text

    assert (details["files_affected"], details["files_omitted"]) == (23, 3)
    assert details["hunks_omitted"] == 0
    assert "f18.py" in made
    assert "f19.py" not in made
    assert "loud.py" in made


def test_lines_that_are_no_change_and_no_context_stay() -> None:
    text = diff(1, 1, context=40, changes=1) + "\n\\ No newline at end of file\n--- not a change"
    made = shortened(text)

    assert made.text.split("\n")[-4:-2] == ["\\ No newline at end of file", "--- not a change"]
    assert made.details is not None
    assert made.details["deletions"] == 1


def test_what_is_left_alone() -> None:
    def untouched(text: str) -> bool:
        return shorten(Source(text, frozenset(), 1, NOTICES)) is None

    assert untouched("\n".join(diff(3, 2).split("\n")[:49]))
    assert untouched(diff(8, 2, context=2, changes=2)), "nothing to leave out"
    assert untouched("@@ -1 +1 @@\n" + " x\n" * 99), "no file"
    assert not untouched(diff(3, 2))


def test_a_reader_is_told_of_the_original_where_much_is_gone() -> None:
    little = diff(3, 3, context=3, changes=3).replace("before 0", "before 0 " + "x" * 300)

    assert figures(little)["should_offload_original"] is False
    assert figures(diff(3, 3, context=9, changes=3))["should_offload_original"] is True
