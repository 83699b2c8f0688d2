"""Which matches of a search stay."""

import pytest

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.search_results import shorten
from engine.wording import Wording
from tests.tool_results import matches

NOTICES = Wording.default().rule_compression_notices


def shortened(text: str, *terms: str) -> Shortened | None:
    return shorten(Source(text, frozenset(terms), 1, NOTICES))


def lines(text: str, *terms: str) -> list[str]:
    made = shortened(text, *terms)
    assert made is not None
    return made.text.split("\n")


def figures(text: str, *terms: str) -> dict[str, int]:
    made = shortened(text, *terms)
    assert made is not None
    assert made.details is not None
    return made.details


def test_matches_alike_are_few() -> None:
    text = matches(files=20, each=4)

    assert figures(text) == {
        "original_match_count": 80,
        "retained_match_count": 5,
        "omitted_match_count": 75,
        "files_affected": 20,
        "files_retained": 2,
        "unparsed_line_count": 0,
        "adaptive_match_limit": 5,
    }
    assert lines(text) == [
        "[SEARCH_RESULTS compressed]",
        *text.split("\n")[:4],
        text.split("\n")[4],
        "[... and 3 more matches in src/file_1.py]",
        "[... and 18 more files omitted]",
    ]


def test_different_matches_are_more() -> None:
    text = "\n".join(f"f{i}.py:1:{'abcdefghij'[i % 10]} {i}" for i in range(40))

    assert figures(text)["adaptive_match_limit"] == 5 + round(25 * 10 / 40)


def test_half_rounds_to_even() -> None:
    text = "\n".join(f"f{i}.py:1:{'ab'[i % 2]}" for i in range(20))

    assert figures(text)["adaptive_match_limit"] == 5 + round(15 * 2 / 20) == 7


def test_high_scores_raise_the_limit_up_to_thirty() -> None:
    text = matches(files=80, each=1, text="same")
    errors = matches(files=9, each=1, text="an ERROR").replace("src/", "bad/")
    many = matches(files=60, each=1, text="an ERROR").replace("src/", "bad/")

    assert figures(f"{text}\n{errors}")["adaptive_match_limit"] == 14
    assert figures(f"{text}\n{many}")["adaptive_match_limit"] == 30
    assert figures(f"{text}\n{many}")["files_retained"] == 15


def test_files_and_matches_by_score() -> None:
    text = "\n".join(
        [
            *(f"a.py:{i}:nothing {i}" for i in range(1, 9)),
            *(f"b.py:{i}:nothing {i}" for i in range(1, 9)),
            "b.py:100:a warning",
            "b.py:101:retry the budget",
            "b.py:102:fix it",
            *(f"c.py:{i}:nothing {i}" for i in range(1, 90)),
        ]
    )

    assert lines(text, "retry", "budget")[:8] == [
        "[SEARCH_RESULTS compressed]",
        *("b.py:1:nothing 1", "b.py:2:nothing 2", "b.py:100:a warning"),
        *("b.py:101:retry the budget", "b.py:102:fix it"),
        "[... and 6 more matches in b.py]",
        "a.py:1:nothing 1",
    ]


@pytest.mark.parametrize(
    ("better", "worse", "terms"),
    [
        ("b:1:error", "a:1:warn", ()),
        ("b:1:deprecated", "a:1:todo", ()),
        ("b:1:fixme", "a:1:errors", ()),
        ("b:1:One two", "a:1:todo", ("one", "two")),
        ("b:1:fatal", "a:1:one", ("one",)),
        ("b:1:one two", "a:1:one three", ("one", "two")),
        ("One/b:1:x", "a:1:x", ("one",)),
        ("b:1:one", "One/a:1:x", ("one",)),
    ],
)
def test_what_makes_a_match_good(better: str, worse: str, terms: tuple[str, ...]) -> None:
    text = "\n".join([worse, *matches(30, 2, "nothing").split("\n"), better])
    shown = lines(text, *terms)

    assert better in shown
    assert worse not in shown or shown.index(better) < shown.index(worse)


def test_what_is_no_match_comes_first() -> None:
    text = "Found 80:\n\n" + matches(20, 4) + "\n--\n"

    assert lines(text)[:3] == ["[SEARCH_RESULTS compressed]", "Found 80:", "--"]
    assert figures(text)["unparsed_line_count"] == 2


def test_other_forms_of_a_match() -> None:
    text = "\n".join(
        [
            *("C:\\src\\a.py:3:error one", "C:\\src\\a.py-4-error two"),
            *("a-b/c.py:5:error three", "2024-01-02.log:7:error four"),
            *(f"z{i}.py:1:nothing" for i in range(60)),
        ]
    )
    details = figures(text)

    assert details["unparsed_line_count"] == 0
    assert "C:\\src\\a.py:3:error one" in lines(text)
    assert details["files_affected"] == 63


def test_a_path_of_one_letter_is_no_drive() -> None:
    text = matches(files=20, each=4) + "\nx:3:4: a\nx:5: b\nC:\\x:6: c\nC:\\x:7:8: d"
    assert figures(text)["files_affected"] == 22


def test_a_line_s_own_number_goes() -> None:
    text = matches(files=1, each=40) + "\n|7| src/b.py:1:x\nsrc/b.py:2:y\n#8. no match"
    assert lines(text)[1] == "#8. no match"
    assert lines(text)[-2:] == ["src/b.py:1:x", "src/b.py:2:y"]


def test_nothing_omitted_is_nothing_gained() -> None:
    assert shortened(matches(2, 2)) is None
    assert shortened("no match at all") is None
    assert shortened("") is None
