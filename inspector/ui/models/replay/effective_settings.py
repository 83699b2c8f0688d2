"""All settings in force as text, one a line, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.models.replay.tables.assumption_list import told_value


def effective_text(bench: ReplayBench) -> str:
    """Return the settings of what is on the bench."""
    return "\n".join(_lines(bench)) + "\n"


def _lines(bench: ReplayBench) -> Iterator[str]:
    setup, base = bench.setup, bench.base
    recorded = bench.told_provenance("recorded")
    chain = "edited" if setup.links is not None else recorded
    yield f"chain = {', '.join(link.name for link in bench.links if link.on) or 'none'}  # {chain}"
    source = bench.own.report.capacity_source if bench.own is not None else None
    edited = setup.capacity is not None
    told = f"edited, {recorded} {bench.base_capacity}" if edited else source or "default"
    yield f"capacity = {bench.capacity}  # {told}"
    if base is not None:
        model = setup.model if setup.model is not None else base.engine_config().model_name
        yield f"model = {model or 'none'}  # {'edited' if setup.model is not None else recorded}"
        counter = setup.counter or base.token_counter
        yield f"counter = {counter}  # {'edited' if setup.counter else recorded}"
    writer = setup.summary_model or "extractive"
    yield f"summaries = recorded, else {writer}  # {'edited' if setup.summary_model else 'default'}"
    if setup.canaries:
        yield f"canaries = {setup.canaries}  # edited"
    on = {link.name for link in bench.links if link.on}
    for card in bench.cards:
        for field in card.fields if card.name in on else ():
            told = bench.told_provenance(field.provenance)
            if field.provenance == "edited":
                before = bench.base_field(FieldKey(field.owner, field.name)).value
                told = f"edited, before {told_value(before)}"
            yield f"{field.owner}.{field.name} = {told_value(field.value)}  # {told}"
