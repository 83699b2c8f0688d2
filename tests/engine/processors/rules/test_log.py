"""Which lines of a log stay."""

from typing import Any

import pytest

from engine.processors.rules.content import Shortened, Source
from engine.processors.rules.log import shorten
from engine.processors.rules.log_lines import log_format, log_lines, traces
from engine.wording import Wording
from tests.tool_results import log

NOTICES = Wording.default().rule_compression_notices


def shortened(text: str) -> Shortened:
    made = shorten(Source(text, frozenset(), 1, NOTICES))
    assert made is not None
    return made


def kept(text: str) -> list[int]:
    """Return the 0-based positions of the lines that stay."""
    made = shortened(text)
    assert made.details is not None
    numbers: list[int] = made.details["selected_line_numbers"]
    assert made.text.split("\n")[1:-1] == [text.split("\n")[n - 1] for n in numbers]
    return [n - 1 for n in numbers]


def levels(*lines: str) -> list[tuple[str, int]]:
    return [(line.level, line.score) for line in log_lines(lines)]


def test_levels_and_scores() -> None:
    assert levels(
        "an Exception and a warning",
        "FAILED",
        "deprecation WARNING: x",
        "neither",
        "info",
        "Debug: y",
        "trace",
        "error_code information",
    ) == [
        *(("error", 90), ("fail", 90), ("warn", 45), ("unknown", 15), ("info", 12)),
        *(("debug", 4), ("trace", 2), ("unknown", 15)),
    ]
    assert levels(
        "=== 3 failed ===", "Total 7", "  Total 7", "12 passed", "Build was complete"
    ) == [
        *(("fail", 100), ("unknown", 50), ("unknown", 15), ("unknown", 50), ("unknown", 50)),
    ]


@pytest.mark.parametrize(
    ("lines", "lengths"),
    [
        (
            ["Traceback (most recent call last):", '  File "a", line 1', "ValueError: no", "end"],
            [3],
        ),
        (['  File "a", line 1', "", "    x = 1", "During handling", "KeyError: 1", "x"], [5]),
        (["at f (a.js:1:2)", "  at g (b.js:3:4)", "", "done"], [3]),
        (["at com.a.B.c(C.java:12)", "at com.a.D(E.java)", "Caused by: x"], [2]),
        (["--> src/a.rs:1:2", "--> src/b.rs:3:4", "help: x"], [2]),
        (["0: 0x55d1", "  1:\t0Xaf core::panic", "2: core::f"], [2]),
        (["at f (a.js:1:2)", "", " ", "  at g (b.js:3:4)"], [2, 1]),
        (["at com.a.B.<init>(C.java:12)"], []),
        (["--> :1:2"], [1]),
        (["at f (a.js:1:2)", "Traceback (most recent call last)", "  x", "end"], [3]),
        (["at f (a.js:1:2)", "no", "at f (a.js:1:2)"], [1, 1]),
        (["Traceback (most recent call last)", *["  x"] * 30], [20]),
        (['File "a"', *['  File "a"'] * 30], [31]),
        (["nothing"], []),
    ],
)
def test_where_stack_traces_begin_and_end(lines: list[str], lengths: list[int]) -> None:
    assert [len(trace) for trace in traces(log_lines(lines))] == lengths


@pytest.mark.parametrize(
    ("tool", "lines"),
    [
        ("pytest", ["collected 3 items", "a passed"]),
        ("npm", ["npm ERR! x"]),
        ("cargo", ["   Compiling a", "warning: b", "PASS x"]),
        ("jest", ["PASS a"]),
        ("make", ["make[1]: x", "gcc -c"]),
        ("generic", ["x"]),
        ("generic", ["x"] * 100 + ["npm ERR!"]),
        ("pytest", ["a passed", "npm ERR!"]),
    ],
)
def test_the_tool_with_most_marks(tool: str, lines: list[str]) -> None:
    assert log_format(lines) == tool


def test_short_logs_and_logs_that_stay_whole_are_left_alone() -> None:
    def untouched(text: str) -> bool:
        return shorten(Source(text, frozenset(), 1, NOTICES)) is None

    assert untouched(log(49))
    assert untouched(log(60, errors={i: "ERROR x" for i in range(2, 60, 6)}))
    assert not untouched(log(80))


def test_nothing_stands_out() -> None:
    text = log(100)

    assert kept(text) == [*range(13), *range(87, 100)]
    made = shortened(text).text.split("\n")
    assert made[0] == "[LOG compressed: format=generic, kept=26/100, omitted=74]"
    assert made[-1] == "[LOG omitted: 74 lines omitted: 100 INFO]"


def test_an_error_with_three_lines_around_it() -> None:
    assert kept(log(100, errors={50: "ERROR disk full"})) == [*range(47, 54)]


def test_a_count_of_tests_is_a_summary_whatever_stands_between() -> None:
    assert kept(log(100, errors={50: "12\tpassed"})) == [*range(47, 54)]


def test_of_many_errors_the_first_the_last_and_the_best() -> None:
    errors = {i: f"ERROR {i}" for i in range(10, 390, 10)}
    errors[205] = "=== error in summary"
    text = log(400, errors=errors)

    assert {i for i in kept(text) if i in errors} == {
        *(10, 205, 380),
        *(20, 30, 40, 50, 60, 70, 80),
    }


def test_warnings_of_a_kind_count_once() -> None:
    alike = {i: f"WARN app: slow by {i} ms at 0x{i:x} in /srv/a{i}/b" for i in range(5, 95, 10)}
    made = shortened(log(100, errors=alike))
    assert made.details is not None
    assert made.details["warnings"] == 9
    assert made.details["warnings_deduplicated"] == 8
    assert kept(log(100, errors=alike)) == [*range(2, 9)]

    different = {i: f"WARN {chr(97 + i)}: x" for i in range(10)}
    padded = {i * 10 + 4: text for i, text in different.items()}
    assert [i for i in kept(log(110, errors=padded)) if i in padded] == [4, 14, 24, 34, 44]
    assert kept(log(100, errors={5: "WARN a = 1", 50: "WARN a = 2"})) == [*range(2, 9)]


def test_three_stack_traces_of_twenty_lines() -> None:
    errors: dict[int, str] = {}
    for start in (10, 50, 90, 130):
        errors[start] = "Traceback (most recent call last):"
        errors |= {start + 1 + i: f"    frame {i}" for i in range(24)}
    made = kept(log(200, errors=errors))

    assert made == [i for start in (10, 50, 90) for i in range(start - 3, start + 23)]
    details = shortened(log(200, errors=errors)).details
    assert details is not None
    assert (details["stack_traces_seen"], details["stack_traces_retained"]) == (4, 3)


def test_the_first_kinds_of_warnings_are_kept_however_often_they_come_back() -> None:
    kinds = {10 * i: f"WARN {chr(97 + i)}: x" for i in range(1, 7)}
    made = kept(log(110, errors={**kinds, 100: "WARN b: x"}))
    assert [i for i in kinds if i in made] == [10, 20, 30, 40, 50]


def test_traces_that_touch_are_seen_apart_but_kept_as_one() -> None:
    frames = [f"at f{i} (a.js:{i}:2)" for i in range(15)]
    rows = [f"--> src/a.rs:{i}:2" for i in range(15)]
    errors = dict(enumerate([*frames, *rows], 10))
    details = shortened(log(200, errors=errors)).details
    assert details is not None
    assert (details["stack_traces_seen"], details["stack_traces_retained"]) == (2, 1)
    assert kept(log(200, errors=errors)) == [*range(7, 33)]


def test_a_hundred_lines_at_most_the_best_first() -> None:
    summaries = {i: f"--- part {i}" for i in range(0, 400, 3)}
    positions = kept(log(400, errors=summaries))

    assert positions == sorted(summaries)[:100]


def test_the_figures() -> None:
    errors: dict[int, Any] = {3: "ERROR a", 60: "FAILED b", 61: "WARN c", 62: "WARN c"}
    details = shortened(log(200, errors=errors)).details

    assert details == {
        "format_detected": "generic",
        "total_lines": 200,
        "selected_lines": 15,
        "omitted_lines": 185,
        "errors": 1,
        "fails": 1,
        "warnings": 2,
        "info": 196,
        "stack_traces_seen": 0,
        "stack_traces_retained": 0,
        "warnings_deduplicated": 1,
        "selected_line_numbers": [*range(1, 8), *range(58, 66)],
    }
