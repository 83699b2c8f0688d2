"""All settings in force as text, one a line, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.models.replay.tables.assumption_list import told_value


def effective_text(settings: CaseSettings) -> str:
    """Return the settings of what is on the bench."""
    return "\n".join(_lines(settings)) + "\n"


def _lines(settings: CaseSettings) -> Iterator[str]:
    setup, base = settings.setup, settings.base
    recorded = settings.told_provenance("recorded")
    chain = "edited" if setup.links is not None else recorded
    on = [link.name for link in settings.links if link.on]
    yield f"chain = {', '.join(on) or 'none'}  # {chain}"
    edited = setup.capacity is not None
    source = settings.capacity_source or "default"
    told = f"edited, {recorded} {settings.base_capacity}" if edited else source
    yield f"capacity = {settings.capacity}  # {told}"
    if base is not None:
        model = setup.model if setup.model is not None else base.engine_config().model_name
        yield f"model = {model or 'none'}  # {'edited' if setup.model is not None else recorded}"
        counter = setup.counter or base.token_counter
        yield f"counter = {counter}  # {'edited' if setup.counter else recorded}"
    writer = setup.summary_model or "extractive"
    yield f"summaries = recorded, else {writer}  # {'edited' if setup.summary_model else 'default'}"
    if setup.canaries:
        yield f"canaries = {setup.canaries}  # edited"
    for card in settings.cards:
        for field in card.fields if card.name in on else ():
            told = settings.told_provenance(field.provenance)
            if field.provenance == "edited":
                before = settings.base_field(FieldKey(field.owner, field.name)).value
                told = f"edited, before {told_value(before)}"
            yield f"{field.owner}.{field.name} = {told_value(field.value)}  # {told}"
