"""What is set otherwise than the case has it, and the case that comes of it.

A setup is a value: an edit makes a new one, so a run can keep the one that it was made with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from engine.processors.registry import processor_class
from engine.tokens.selection import CounterName
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.planted import planted
from inspector.replay.cases.turn import Turn
from inspector.replay.runs.branch import branched
from inspector.replay.settings.chain import Chain
from inspector.replay.settings.edits import Edit, edited

ENGINE = "engine"
"""Owner of the settings that belong to no processor."""


class FieldKey(NamedTuple):
    """A setting of a processor."""

    owner: str
    name: str
    """Empty: the processor as a whole."""


class Link(NamedTuple):
    """A processor's place in the chain."""

    name: str
    settings: Mapping[str, Any]
    """As the case or a preset has them, without edits."""
    on: bool = True


@dataclass(frozen=True)
class ReplaySetup:
    """Edits over a case."""

    links: tuple[Link, ...] | None = None
    """The chain in its order; None: that of the case."""
    edits: Mapping[FieldKey, Any] = field(default_factory=dict)
    capacity: int | None = None
    counter: CounterName | None = None
    model: str | None = None
    turns: tuple[Turn, ...] = ()
    """What changes by hand at some steps."""
    summary_model: str | None = None
    """The model whose answers stand where nothing is recorded; None: the offline extract."""
    canaries: int = 0
    """How many are planted in the messages."""

    def __len__(self) -> int:
        """Return how many things are set otherwise."""
        others = (self.links, self.capacity, self.counter, self.model, self.summary_model)
        named = sum(other is not None for other in others) + bool(self.canaries)
        return len(self.edits) + named + len(self.turns)

    def chain(self, base: Case) -> tuple[Link, ...]:
        """Return the chain, what is switched off included."""
        if self.links is not None:
            return self.links
        return tuple(Link(name, settings) for name, settings in base.processors)

    def with_edit(self, key: FieldKey, value: Any) -> Self:
        """Return the setup with another value of a setting."""
        return replace(self, edits={**self.edits, key: value})

    def without_edit(self, key: FieldKey) -> Self:
        """Return the setup without the edit of a setting."""
        edits = {other: value for other, value in self.edits.items() if other != key}
        return replace(self, edits=edits)

    def with_chain(self, links: tuple[Link, ...], base: Case) -> Self:
        """Return the setup with another chain, and without edits of what is not in it."""
        names = {ENGINE, *(link.name for link in links)}
        edits = {key: value for key, value in self.edits.items() if key.owner in names}
        same = links == ReplaySetup().chain(base)
        return replace(self, links=None if same else links, edits=edits)

    def named_settings(self) -> dict[str, Any]:
        """Return the settings that are edited, by `Owner.field`."""
        engine = {"context_window_tokens": self.capacity, "model_name": self.model}
        own = {f"{key.owner}.{key.name}": value for key, value in self.edits.items()}
        return own | {f"{ENGINE}.{name}": v for name, v in engine.items() if v is not None}

    def without_settings(self) -> Self:
        """Return the setup without those."""
        return replace(self, edits={}, capacity=None, model=None)

    def errors(self, base: Case) -> dict[FieldKey, str]:
        """Return what is not valid as it stands, processors that are switched off left out."""
        return dict(self._faults(base))

    def case(self, base: Case, *, valid_only: bool = False) -> Case:
        """Return the case as it is set.

        Args:
            base: the case without edits.
            valid_only: leave out the edits of processors that are not valid as they stand.

        Raises:
            CaseError: a setting is not valid.
        """
        faulty = {key.owner for key in self.errors(base)} if valid_only else set()
        kept = {key: value for key, value in self.edits.items() if key.owner not in faulty}
        chain = [(link.name, settings_of(link, kept)) for link in self.chain(base) if link.on]
        engine = [Edit(*key, value) for key, value in kept.items() if key.owner == ENGINE]
        case = edited(base, engine, self.capacity, self.counter, self.model, chain)
        if self.canaries:
            case = planted(case, self.canaries)
        for turn in self.turns:
            case = branched(case.model_copy(update={"id": base.id}), turn, f"{base.id}-branch")
        return case

    def _faults(self, base: Case) -> Iterator[tuple[FieldKey, str]]:
        for link in self.chain(base):
            if link.on:
                yield from faults_of(link, self.edits)
        for key, value in self.edits.items():
            if key.owner == ENGINE:
                try:
                    edited(base, [Edit(*key, value)])
                except CaseError as error:
                    yield key, str(error)


def settings_of(link: Link, edits: Mapping[FieldKey, Any]) -> dict[str, Any]:
    """Return the settings of a processor with the edits that are its own."""
    own = {key.name: value for key, value in edits.items() if key.owner == link.name}
    return {**link.settings, **own}


def faults_of(link: Link, edits: Mapping[FieldKey, Any]) -> Iterator[tuple[FieldKey, str]]:
    """Yield every fault of a processor's settings, those across fields included."""
    name = link.name
    try:
        processor_class(name).config_model.model_validate(settings_of(link, edits))
    except ValidationError as error:
        for fault in error.errors():
            where = str(fault["loc"][0]) if fault["loc"] else ""
            told = fault["msg"].removeprefix("Value error, ")
            yield FieldKey(name, where), f"{told}, got {fault['input']!r}" if where else told


def preset(chain: Chain) -> tuple[Link, ...]:
    """Return a chain with everything on."""
    return tuple(Link(name, settings) for name, settings in chain)
