"""The chain as cards as it is set, even where that is not valid together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from inspector.replay.cases.case import Case
from inspector.replay.settings.fields import ProcessorCard, SettingField, processor_card
from inspector.ui.models.replay.settings.setup import (
    FieldKey,
    Link,
    ReplaySetup,
    faults_of,
    settings_of,
)


def plain_cards(base: Case, setup: ReplaySetup) -> list[ProcessorCard]:
    """Return the cards of the chain that is set, without edits."""
    return [_plain(base, link) for link in setup.chain(base)]


def cards_as_set(
    base: Case, setup: ReplaySetup, errors: Collection[FieldKey]
) -> list[ProcessorCard]:
    """Return the same with edits.

    Args:
        base: The case without edits.
        setup: What is set.
        errors: Settings that are not valid; their edits are left out.
    """
    edits = {key: value for key, value in setup.edits.items() if key not in errors}
    cards = []
    for link in setup.chain(base):
        if any(faults_of(link, setup.edits)):
            own = settings_of(Link(link.name, {}), edits)
            fields = (_with_edit(field, own) for field in _plain(base, link).fields)
            cards.append(replace(_plain(base, link), fields=tuple(fields)))
        else:
            settings = settings_of(link, edits)
            cards.append(processor_card(base, link.name, settings, link.settings))
    return cards


def field_of(cards: Collection[ProcessorCard], key: FieldKey) -> SettingField:
    """Return a setting of some cards."""
    fields = (field for card in cards for field in card.fields)
    return next(field for field in fields if (field.owner, field.name) == key)


def _plain(base: Case, link: Link) -> ProcessorCard:
    return processor_card(base, link.name, link.settings, link.settings)


def _with_edit(field: SettingField, edits: dict[str, object]) -> SettingField:
    if field.name not in edits:
        return field
    return replace(field, value=edits[field.name], provenance="edited")
