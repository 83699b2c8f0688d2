"""The settings of the case on the bench: as the case has them, and what is set otherwise.

The one owner of the edits. Whoever edits does so through these methods; what is not valid is told
by `errors` and stays as it was typed. Nothing recorded is changed: an edited case is a new case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any

from engine.tokens.capacity import resolve_capacity
from engine.tokens.selection import CounterName
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.reports.run_trace import RunTrace
from inspector.replay.settings.fields import (
    ProcessorCard,
    Provenance,
    SettingField,
    chain_cards,
)
from inspector.ui.models.replay.settings.cards import cards_as_set, field_of, plain_cards
from inspector.ui.models.replay.settings.history import SetupHistory
from inspector.ui.models.replay.settings.setup import ENGINE, FieldKey, Link, ReplaySetup
from inspector.ui.models.replay.settings.thresholds import (
    HUNDREDTHS,
    EstimateScale,
    Threshold,
    thresholds_of,
)

_CAPACITY = FieldKey(ENGINE, "context_window_tokens")


class CaseSettings:
    """What is set, and what follows from it without a replay."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """Begin without a case.

        Args:
            changed: Called when something was set.
        """
        self._changed = changed
        self._scale: EstimateScale | None = None
        self.clear()

    def clear(self) -> None:
        """Forget the case."""
        self.base: Case | None = None
        """The case without edits."""
        self.case: Case | None = None
        """The case with its edits; without those that are not valid."""
        self.base_capacity = 0
        """Capacity of the case, in tokens."""
        self.capacity_source: str | None = None
        """Where that comes from; None where it is not known."""
        self.from_recording = False
        """Whether the case was made from a recording, so that what it states was recorded."""
        self.setup = ReplaySetup()
        """What is set otherwise than the case has it."""
        self.base_cards: list[ProcessorCard] = []
        """The cards of the case."""
        self.plain_cards: list[ProcessorCard] = []
        """Those of the chain as it is set, without edits."""
        self.cards: list[ProcessorCard] = []
        """Those with edits."""
        self.errors: dict[FieldKey, str] = {}
        """Settings that are not valid as they stand, with what is wrong."""
        self._scale = None
        self._history = SetupHistory(self.setup)

    def take_case(self, own: RunTrace, scale: EstimateScale, *, from_recording: bool) -> None:
        """Begin with a case as it is.

        Args:
            own: The case's own run.
            scale: That of its conversation.
            from_recording: Whether the case was made from a recording.
        """
        self.clear()
        base = self.base = self.case = own.run.case
        self.base_capacity = own.report.context_max
        self.capacity_source = own.report.capacity_source
        self._scale, self.from_recording = scale, from_recording
        self.base_cards = self.plain_cards = self.cards = chain_cards(base, base)

    @property
    def capacity(self) -> int:
        """Capacity as it is set, in tokens."""
        if self.setup.capacity is not None:
            return self.setup.capacity
        case = self.case if self.setup.model is not None else None
        return resolve_capacity(case.engine_config()).tokens if case else self.base_capacity

    @property
    def edits(self) -> int:
        """How many things differ from those of the case."""
        return len(self.setup)

    @property
    def links(self) -> tuple[Link, ...]:
        """The chain as it is set, what is switched off included."""
        return self.setup.chain(self.base) if self.base is not None else ()

    def told_provenance(self, provenance: Provenance) -> str:
        """Return where a value comes from, in a word; what a case file states is not recorded."""
        stated = provenance == "recorded" and not self.from_recording
        return "stated" if stated else provenance

    def thresholds(self, as_set: bool = True) -> Mapping[str, Threshold]:
        """Return where each processor acts, as set or as the case has it."""
        if not as_set:
            return thresholds_of(self.base_cards, self.base_capacity, self._scale)
        off = {link.name for link in self.links if not link.on}
        on = (card for card in self.cards if card.name not in off)
        return thresholds_of(on, self.capacity, self._scale)

    def base_field(self, key: FieldKey) -> SettingField:
        """Return a setting as it would be without an edit."""
        return field_of(self.plain_cards, key)

    def field(self, key: FieldKey) -> SettingField:
        """Return a setting as it stands."""
        return field_of(self.cards, key)

    # All of it at once

    def take_setup(self, setup: ReplaySetup) -> None:
        """Set everything at once."""
        self._history.add(setup, monotonic())
        self._put(setup)

    def reset(self) -> None:
        """Set everything back to what the case has."""
        self.take_setup(ReplaySetup())

    def can_undo(self) -> bool:
        """Whether something was set before."""
        return self._history.can_go(-1)

    def can_redo(self) -> bool:
        """Whether something was undone."""
        return self._history.can_go(1)

    def undo(self) -> None:
        """Set everything as it was before the last change."""
        if self.can_undo():
            self._put(self._history.go(-1))

    def redo(self) -> None:
        """Set everything as it was before the last undoing."""
        if self.can_redo():
            self._put(self._history.go(1))

    # One thing at a time

    def edit(self, key: FieldKey, value: Any) -> None:
        """Set a setting; the value that it has anyway is no edit."""
        self.edit_all({key: value})

    def edit_all(self, values: Mapping[FieldKey, Any], over: ReplaySetup | None = None) -> None:
        """Set some settings at once, over another setup where one is given."""
        setup = over or self.setup
        for key, value in values.items():
            if key == _CAPACITY:
                setup = replace(setup, capacity=None if value == self.base_capacity else value)
            elif key.owner != ENGINE and self.base_field(key).value == value:
                setup = setup.without_edit(key)
            else:
                setup = setup.with_edit(key, value)
        self.take_setup(setup)

    def move(self, key: FieldKey, position: int) -> None:
        """Set a ratio in hundredths, within its bounds; near what the case has it is just that."""
        base = self.base_field(key)
        low, high = int(base.low_open), HUNDREDTHS - base.high_open
        position = min(max(position, low), high)
        back = base.value is not None and position == round(base.value * HUNDREDTHS)
        self.edit(key, base.value if back else position / HUNDREDTHS)

    def change_chain(self, links: tuple[Link, ...]) -> None:
        """Set another chain."""
        if self.base is not None:
            self.take_setup(self.setup.with_chain(links, self.base))

    def take_chain(self, links: tuple[Link, ...]) -> None:
        """Set a whole chain as it is, without the edits of its processors."""
        engine = {key: value for key, value in self.setup.edits.items() if key.owner == ENGINE}
        if self.base is not None:
            self.take_setup(replace(self.setup, edits=engine).with_chain(links, self.base))

    def edit_capacity(self, tokens: int) -> None:
        """Set the capacity in tokens."""
        self.edit(_CAPACITY, tokens)

    def edit_counter(self, counter: CounterName) -> None:
        """Set what counts tokens."""
        same = self.base is None or counter == self.base.token_counter
        self.take_setup(replace(self.setup, counter=None if same else counter))

    def edit_model(self, model: str) -> None:
        """Set the agent's model."""
        same = self.base is None or model == (self.base.engine_config().model_name or "")
        self.take_setup(replace(self.setup, model=None if same else model))

    def edit_summary_model(self, model: str | None) -> None:
        """Set whose answers stand where nothing is recorded; nobody is asked."""
        self.take_setup(replace(self.setup, summary_model=model))

    def plant(self, canaries: int) -> None:
        """Plant so many canaries in the messages; none of them when 0."""
        self.take_setup(replace(self.setup, canaries=canaries))

    def _put(self, setup: ReplaySetup) -> None:
        """Find out what is not valid of what is set, and what can be shown of it."""
        base = self.base
        assert base is not None
        self.setup = setup
        self.errors = setup.errors(base)
        try:
            self.case = setup.case(base, valid_only=True)
        except CaseError as error:
            self.errors[FieldKey("", "")] = str(error)
        self.plain_cards = plain_cards(base, setup)
        self.cards = cards_as_set(base, setup, self.errors)
        self._changed()
