"""Chain files, and a chain in the place of a case's own."""

import json
from pathlib import Path

import pytest

from inspector.replay.cases.case import Case, CaseError
from inspector.replay.settings.chain import Chain, chain_text, load_chain
from inspector.replay.settings.edits import edited, parse_edit

CHAIN: Chain = [
    ("ObservationMasking", {"soft_ratio": 0.5}),
    ("RoundLevelCompressor", {"keep_recent_messages": 2}),
]
CASE = Case.model_validate({"processors": [["RoundLevelCompressor", {"keep_recent_messages": 6}]]})


@pytest.mark.parametrize("chain", [CHAIN, [], [("A", {"text": "zwei\n行 \ud800"})]])
def test_a_chain_comes_back_as_it_was_written(chain: Chain, tmp_path: Path) -> None:
    path = tmp_path / "chain.json"
    path.write_text(chain_text(chain), encoding="utf-8", errors="backslashreplace")
    assert load_chain(path) == chain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "is no chain: top level"),
        ('[["A"]]', r"is no chain: 0\.1"),
        ('[["A", {}], [1, {}]]', r"is no chain: 1\.0"),
        ('[["A", 5]]', "expected"),
    ],
)
def test_what_is_no_chain_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "chain.json"
    path.write_text(text)
    with pytest.raises(CaseError, match=message):
        load_chain(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="cannot be read"):
        load_chain(tmp_path / "none.json")


def test_a_chain_takes_the_place_of_the_case_s_own_and_edits_follow() -> None:
    edits = [parse_edit("ObservationMasking.keep_recent=1")]
    after = edited(CASE, edits, chain=CHAIN)
    assert after.processors == [
        ("ObservationMasking", {"soft_ratio": 0.5, "keep_recent": 1}),
        CHAIN[1],
    ]
    assert json.loads(chain_text(CHAIN))[0][1] == {"soft_ratio": 0.5}  # the given one is untouched


def test_a_chain_that_decides_alike_changes_nothing() -> None:
    same = [("RoundLevelCompressor", {"keep_recent_messages": 6, "trigger_context_ratio": 0.8})]
    assert edited(CASE, [], chain=same) == CASE


@pytest.mark.parametrize(
    ("chain", "message"),
    [
        ([("Nobody", {})], "cannot find processor type 'Nobody'"),
        ([("RoundLevelCompressor", {"keep_recent_messages": -1})], "keep_recent_messages"),
    ],
)
def test_a_chain_of_what_does_not_exist_is_refused(chain: Chain, message: str) -> None:
    with pytest.raises(CaseError, match=message):
        edited(CASE, [], chain=chain)


def test_a_model_brings_its_capacity_where_none_is_set() -> None:
    assert edited(CASE, [], model="gpt-4o").engine_config().model_name == "gpt-4o"
    edits = [parse_edit("engine.model_name=other")]
    assert edited(CASE, edits, model="gpt-4o").engine_config().model_name == "other"
