"""Damaged trees: no crash, no hang, nothing intact lost. `mutations` does many more on demand."""

from pathlib import Path

import pytest

from inspector.trace.opened import Opened
from tests.fuzz import mutations
from tests.fuzz.mutations import MUTATIONS, check, mutate, recorded_trees, run


@pytest.mark.timeout(900)
def test_no_damage_costs_more_than_itself() -> None:
    told: list[str] = []
    assert run(range(2000), told.append) == 0, "\n".join(told)


def test_a_mutation_follows_from_its_number(tmp_path: Path) -> None:
    tree = recorded_trees(tmp_path)[0]
    first, again = mutate(tree, 7), mutate(tree, 7)
    assert first.told
    assert (first.told, first.files) == (again.told, again.files)


def test_every_kind_of_damage_is_done(tmp_path: Path) -> None:
    tree = recorded_trees(tmp_path)[0]
    told = {what.split()[0] for number in range(300) for what in mutate(tree, number).told}
    assert {"flip", "cut", "delete", "noise", "hostile", "glue", "copy", "empty", "drop"} <= told
    assert len(told) >= len(MUTATIONS)


def test_a_loss_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = recorded_trees(tmp_path)[0]
    damaged = mutate(tree, 7)
    assert check(tree, damaged) == []
    monkeypatch.setattr(mutations, "open_traces", lambda _paths: Opened((), ()))
    assert any("is not listed" in line for line in check(tree, damaged))
