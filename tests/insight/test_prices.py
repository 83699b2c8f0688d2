"""The price table: the shipped one, the user's own over it, and names of models."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from inspector.insight.prices import OWN_PRICES, PricesError, load_prices


@pytest.fixture(autouse=True)
def no_own_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OWN_PRICES, raising=False)


def written(path: Path, table: dict[str, Any]) -> Path:
    path.write_text(json.dumps(table), encoding="utf-8")
    return path


def test_the_shipped_table_says_when_and_from_where_each_price_is() -> None:
    table = load_prices()
    assert date.fromisoformat(table.date)
    for name, price in table.models.items():
        assert price.source, name
        assert date.fromisoformat(price.checked) <= date.fromisoformat(table.date)
        assert price.cache is None or table.caches[price.cache].note, name
        for rates in price.rates:
            assert rates.cached_input is None or rates.cached_input < rates.input < rates.output
            assert rates.cache_write is None or rates.cache_write > rates.input


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ("gpt-5.4", "gpt-5.4"),
        ("GPT-5.4-2026-03-05", "gpt-5.4"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("a model nobody knows", "gpt-5.4"),
        ("", "gpt-5.4"),
        (None, "gpt-5.4"),
    ],
)
def test_a_model_is_found_however_it_is_spelt(asked: str | None, taken: str) -> None:
    assert load_prices().price(asked).model == taken


def test_a_model_that_is_not_in_the_table_is_told_from_one_that_is() -> None:
    assert load_prices().find("a model nobody knows") is None


def test_long_requests_have_rates_of_their_own() -> None:
    price = load_prices().price("gemini-2.5-pro").rates
    assert price.rates_for(0) == price.rates_for(200_000) == price.rates[0]
    assert price.rates_for(200_001) == price.rates[1]


def test_the_users_own_entries_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        "date": "2027-01-02",
        "default": "ours",
        "caches": {"none shorter": {"minimum": 10}},
        "models": {
            "gpt-5.4": {"rates": [{"input": 9, "output": 10}]},
            "ours": {"rates": [{"input": 1, "output": 2}], "cache": "none shorter"},
        },
    }
    monkeypatch.setenv(OWN_PRICES, str(written(tmp_path / "own.json", own)))
    table = load_prices()
    assert table.date == "2027-01-02"
    assert table.price("gpt-5.4").rates.rates[0].input == 9
    assert table.price("gpt-5.4").cache is None
    cache = table.price("unknown").cache
    assert table.price("unknown").model == "ours"
    assert cache is not None
    assert cache.minimum == 10
    assert table.price("gpt-4o").model == "gpt-4o"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "Invalid JSON"),
        ("[]", "should be an object"),
        ('{"default": "nobody"}', "default model 'nobody'"),
        ('{"models": {"m": {"rates": []}}}', r"models\.m\.rates"),
        ('{"models": {"m": {"rates": [{"input": -1, "output": 1}]}}}', r"rates\.0\.input"),
        ('{"models": {"m": {"rates": [{"above": 5, "input": 1, "output": 1}]}}}', "above = 0"),
        ('{"models": {"m": {"rates": [{"input": 1, "output": 1}], "cache": "x"}}}', "rule 'x'"),
        ('{"caches": {"c": {"minimum": 5, "steps": 1}}}', r"caches\.c\.steps"),
    ],
)
def test_a_bad_table_is_told_by_file_and_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PricesError, match=rf"own\.json: .*{says}"):
        load_prices(path)


def test_a_missing_table_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(PricesError, match=r"lost\.json: cannot be read: No such file"):
        load_prices(tmp_path / "lost.json")
