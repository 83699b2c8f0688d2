"""Tables, lines, samples."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.processors.rules import json_array
from engine.processors.rules.content import Source
from engine.processors.rules.json_array import parsed_array, shorten
from engine.wording import Wording

NOTICES = Wording.default().rule_compression_notices


def shortened(items: Any, max_chars: int = 100_000) -> str | None:
    text = items if isinstance(items, str) else json.dumps(items, indent=40)
    made = shorten(Source(text, frozenset(), max_chars, NOTICES))
    return made.text if made else None


def test_rows_alike_become_a_table() -> None:
    rows = [{"b": i, "a": 'x, "y"', "c": None, "d": i % 2 == 0, "e": {"k": [1]}} for i in range(3)]

    made = shortened([*rows, {"b": 9, "a": "z"}])

    assert made is not None
    header, table = made.split("\n", 1)
    assert header == "[JSON_ARRAY compressed to CSV]"
    assert list(csv.reader(io.StringIO(table))) == [
        ["a", "b", "c", "d", "e"],
        ['x, "y"', "0", "", "True", '{"k":[1]}'],
        ['x, "y"', "1", "", "False", '{"k":[1]}'],
        ['x, "y"', "2", "", "True", '{"k":[1]}'],
        ["z", "9", "", "", ""],
    ]
    assert not made.endswith("\n")


def test_a_table_loses_the_white_space_around_it() -> None:
    made = shortened([{" first": f"row number {i}"} for i in range(20)] + [{" first": "last "}])
    assert made is not None
    assert made.startswith("[JSON_ARRAY compressed to CSV]\nfirst\nrow number 0\n")
    assert made.endswith("\nlast")


def test_rows_with_many_gaps_become_lines() -> None:
    rows = [{"a": i} if i % 2 else {"b": i, "ö": [i]} for i in range(4)]

    made = shortened(rows)

    assert made is not None
    header, *lines = made.split("\n")
    assert header == "[JSON_ARRAY compressed to JSONL]"
    assert [json.loads(line) for line in lines] == rows
    assert lines[0] == '{"b":0,"ö":[0]}'


def sample(rows: list[Any], max_chars: int) -> list[Any]:
    made = shortened(rows, max_chars)
    assert made is not None
    items: list[Any] = json.loads(made)
    return items


def test_rows_that_do_not_fit_are_sampled_with_a_summary() -> None:
    rows = [{"id": i, "state": "ok", "note": "-" * 40} for i in range(100)]
    rows[40]["state"] = rows[60]["state"] = "failed"

    *kept, summary = sample(rows, 2400)

    assert [row["id"] for row in kept] == [0, 1, 2, 3, 4, 40, 60, 95, 96, 97, 98, 99]
    assert summary == {
        "_omitted": 88,
        "_summary": {
            "total_rows": 100,
            "value_counts": {"note": {"-" * 40: 100}, "state": {"ok": 98, "failed": 2}},
        },
    }


def test_of_equal_rows_the_later_one_is_kept() -> None:
    rows = [{"id": i, "note": "error " + "-" * 90} for i in range(40)]

    *kept, summary = sample(rows, 2000)

    assert [row["id"] for row in kept] == [0, 1, 2, 3, 4, 33, 34, 35, 36, 37, 38, 39]
    assert summary["_omitted"] == 28


def test_columns_are_summed_up_where_common_and_of_few_values() -> None:
    rows: list[dict[str, Any]] = [
        {"few": i % 10, "many": i % 11, "pad": f"{i:060}"} for i in range(60)
    ]
    for row in rows[:48]:
        row["common"] = True
    for row in rows[:47]:
        row["rare"] = None

    counts = sample(rows, 3000)[-1]["_summary"]["value_counts"]

    assert list(counts) == ["common", "few"]
    assert counts["common"] == {"true": 48}
    assert counts["few"] == {str(i): 6 for i in range(10)}


def test_a_dozen_rows_are_all_kept_without_a_summary() -> None:
    rows = [{"a": i} if i % 2 else {"b": "x" * 30, "c": i} for i in range(12)]
    text = json.dumps(rows, indent=8)
    compact = json.dumps(rows, separators=(",", ":"))
    lines = "\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    header = "[JSON_ARRAY compressed to JSONL]\n"
    assert len(header + lines) > len(compact) + 2

    assert shortened(text, len(compact) + 2) == compact


@pytest.mark.parametrize(
    ("items", "kept"),
    [
        (["a", "b" * 90, "an error", "c" * 90, *["d" * 80] * 9, "z"], [0, 1, 2, 13]),
        ([5, 4, *[4] * 90, -7, 3, 3, 99, 3, 99, 3], [0, 92, 94, 95, 98]),
        ([1, "a" * 60, {"x": 1}, None, True, *[2] * 90, "a warning", [3]], [0, 1, 2, 3, 4, 95, 96]),
    ],
)
def test_scalars_are_sampled_where_all_do_not_fit(items: list[Any], kept: list[int]) -> None:
    compact = json.dumps(items, separators=(",", ":"))

    assert shortened(items) == compact
    assert sample(items, len(compact) - 60) == [
        *(items[i] for i in kept),
        {"_omitted": len(items) - len(kept)},
    ]


def test_six_values_are_never_sampled() -> None:
    assert shortened(["x" * 100] * 6, 300) is None


@pytest.mark.parametrize("items", [[], [{}, {}], "[]", "nothing", '{"a": 1}', "[" * 5000])
def test_nothing_to_shorten(items: Any) -> None:
    assert shortened(items) is None


def test_prose_with_quotes_behind_a_bracket_is_given_up_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prose = "[" + '"it" is ' * 500
    assert parsed_array(prose[:801]) is not None
    monkeypatch.setattr(json_array, "LEAST_READS", 50_000)
    assert parsed_array(prose) is None
    broken = json.dumps([{"a": n, "b": "text"} for n in range(2_000)])[:-3]
    assert len(parsed_array(broken) or ()) == 2_000


def test_broken_arrays_are_repaired() -> None:
    assert parsed_array('[{"a": 1}, {"a": 2') == [{"a": 1}, {"a": 2}]
    assert parsed_array("['a', 'b',]") == ["a", "b"]
    assert parsed_array("x [1]") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=6,
)


@given(
    st.lists(JSON, max_size=30)
    | st.lists(st.dictionaries(st.sampled_from("abc"), JSON, min_size=1), max_size=40)
    | st.lists(st.integers() | st.floats(), max_size=40)
    | st.just([10**400, 1.5, -(10**400)] * 9),
    st.integers(1, 900),
)
def test_what_comes_out_fits(items: list[Any], max_chars: int) -> None:
    text = json.dumps(items, indent=6)
    made = shorten(Source(text, frozenset(), max_chars, NOTICES))

    if made is not None:
        assert len(made.text) // 3 <= max(max_chars // 3, 1)
        assert len(made.text) < len(text)
