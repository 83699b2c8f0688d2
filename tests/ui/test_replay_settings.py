"""The settings of a case: whatever is set in whatever order, they can be shown and taken back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.processors.registry import registered_names
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.session import ReplaySession
from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.models.replay.settings.setup import FieldKey, Link, ReplaySetup
from inspector.ui.models.replay.settings.thresholds import EstimateScale
from tests.ui.replay_cases import made_up_case

ODD: dict[str, tuple[Any, ...]] = {
    "ratio": (0.0, 0.05, 0.5, 1.0, 1.5, -1.0),
    "integer": (-1, 0, 1, 50, 10**6),
    "number": (-1.0, 0.0, 3.5),
    "switch": (True, False),
    "text": ("", "默认"),
    "list": ([], ["read_file"]),
    "choice": ("cn", "en"),
}
"""Values of each kind, valid and not."""


@pytest.fixture(scope="module")
def own() -> RunTrace:
    return asyncio.run(ReplaySession(made_up_case(2).case).baseline())


def change(settings: CaseSettings, data: st.DataObject) -> None:
    """Change something as a person could."""
    links = list(settings.links)
    fields = [field for card in settings.cards for field in card.fields]
    others = sorted(set(registered_names()) - {link.name for link in links})
    what = data.draw(st.sampled_from(["edit", "switch", "move", "add", "remove", "capacity"]))
    if what == "edit" and fields:
        field = data.draw(st.sampled_from(fields))
        value = data.draw(st.sampled_from(ODD[field.kind]))
        settings.edit(FieldKey(field.owner, field.name), value)
    elif what == "add" and others:
        settings.change_chain((*links, Link(data.draw(st.sampled_from(others)), {})))
    elif what == "capacity":
        settings.edit_capacity(data.draw(st.sampled_from([1, 500, 100_000])))
    elif links:
        link = links.pop(data.draw(st.integers(0, len(links) - 1)))
        if what != "remove":
            at = data.draw(st.integers(0, len(links)))
            links.insert(at, link._replace(on=link.on != (what == "switch")))
        settings.change_chain(tuple(links))


@given(data=st.data())
def test_whatever_is_set_can_be_shown_and_taken_back(own: RunTrace, data: st.DataObject) -> None:
    changes: list[None] = []
    settings = CaseSettings(lambda: changes.append(None))
    settings.take_case(own, EstimateScale(own.run.case), from_recording=False)
    for _ in range(data.draw(st.integers(1, 8))):
        change(settings, data)
        names = [link.name for link in settings.links]
        assert [card.name for card in settings.cards] == names
        assert [card.name for card in settings.plain_cards] == names
        on = [link.name for link in settings.links if link.on]
        assert set(settings.thresholds()) <= set(on)
        case = settings.case
        assert case is not None
        if not settings.errors:
            assert [name for name, _ in case.processors] == on
    last = settings.setup
    while settings.can_undo():
        settings.undo()
    assert settings.setup == ReplaySetup()
    assert settings.case == own.run.case
    while settings.can_redo():
        settings.redo()
    assert settings.setup == last
    assert changes
