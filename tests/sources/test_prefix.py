"""What can be read of a JSON text that breaks off."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.sources.prefix import read_prefix

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=5), JSON, max_size=5)


def is_beginning(part: Any, whole: Any) -> bool:
    """Tell whether `part` says nothing that `whole` does not, and in the same order."""
    if isinstance(part, dict) and isinstance(whole, dict):
        shared = list(whole)[: len(part)] == list(part)
        return shared and all(is_beginning(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        pairs = zip(part, whole, strict=False)
        return len(part) <= len(whole) and all(is_beginning(a, b) for a, b in pairs)
    return bool(part == whole)


@given(document=DOCUMENTS, cut=st.integers(0, 200), indent=st.sampled_from([None, 2]))
def test_what_precedes_the_end_is_read(document: Any, cut: int, indent: int | None) -> None:
    text = json.dumps(document, indent=indent)
    found = read_prefix(text[:cut])
    assert found == document if cut >= len(text) else found is None or is_beginning(found, document)


def test_complete_values_are_kept() -> None:
    text = '{"a": 1, "b": {"c": [1, 2, {"d": "x"}], "e": "cut'
    assert read_prefix(text) == {"a": 1, "b": {"c": [1, 2, {"d": "x"}]}}


@pytest.mark.parametrize("text", ["", "   ", "x", '"half', "12", "tru", "\x00", "}"])
def test_nothing_is_made_of_nothing(text: str) -> None:
    assert read_prefix(text) is None


def test_a_number_at_the_end_may_be_cut() -> None:
    assert read_prefix('{"a": 1, "b": 12') == {"a": 1}


def test_depth_is_no_danger() -> None:
    assert isinstance(read_prefix('{"a": 1, "b": ' + "[" * 200_000), dict)
