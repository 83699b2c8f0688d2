"""BM25: terms and scores."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.recall.ranking import scores, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fix the_Test-case 42", ["fix", "the_test", "the", "test", "case", "42"]),
        ("__a__", ["__a__", "a"]),
        ("上下文", ["上", "下", "文", "上下", "下文"]),
        ("é.. ", []),
        ("", []),
    ],
)
def test_terms(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_a_score_is_the_formula_s() -> None:
    texts = ["cat cat dog", "dog", "bird"]
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    norm = 1.5 * (1 - 0.75 + 0.75 * 3 / (5 / 3))
    assert scores("cat", texts) == pytest.approx([idf * 2 * 2.5 / (2 + norm), 0, 0])


def test_a_term_counts_once_however_often_it_is_asked() -> None:
    texts = ["cat dog", "dog"]
    assert scores("cat cat", texts) == scores("cat", texts)


@given(st.text(), st.lists(st.text(), max_size=6))
def test_scores_are_never_negative_and_zero_without_a_term(query: str, texts: list[str]) -> None:
    made = scores(query, texts)
    assert len(made) == len(texts)
    for score, text in zip(made, texts, strict=True):
        shared = set(terms(query)) & set(terms(text))
        assert (score > 0) == bool(shared)
