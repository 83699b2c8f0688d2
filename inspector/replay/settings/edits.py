"""Edits of a case's settings: `Processor.field=value`, `engine.field=value`, a chain, and so on.

An edited case is a new case. Whether anything was edited is told by comparing the two, so that a
value set back to what it was is no edit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from engine.config import ContextEngineConfig
from engine.errors import ContextError
from engine.processors.registry import processor_class
from engine.tokens.capacity import resolve_capacity
from engine.tokens.selection import CounterName
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.settings.chain import Chain
from inspector.sources.fault import first_fault


class Edit(NamedTuple):
    """One setting with its new value."""

    owner: str
    """A processor's name, or `engine`."""
    field: str
    value: Any


def parse_edit(text: str) -> Edit:
    """Return the edit that `Owner.field=value` describes; the value is JSON, else a bare string.

    Raises:
        CaseError: the text has another form.
    """
    name, equals, value = text.partition("=")
    owner, dot, field = name.strip().partition(".")
    if not (equals and dot and owner and field):
        raise CaseError(f"--set {text}: expected Processor.field=value or engine.field=value")
    try:
        return Edit(owner, field, json.loads(value))
    except (ValueError, RecursionError):
        return Edit(owner, field, value)


def edited(
    case: Case,
    edits: Sequence[Edit],
    capacity: int | None = None,
    counter: CounterName | None = None,
    model: str | None = None,
    chain: Chain | None = None,
) -> Case:
    """Return the case with other settings; an edit equal to the effective value changes nothing.

    Args:
        case: the case, which stays as it is.
        edits: settings to change, the last of a name wins.
        capacity: capacity in tokens, if it is to change.
        counter: what counts tokens, if it is to change.
        model: the agent's model, if it is to change; its capacity counts where none is set.
        chain: what stands in for the case's chain before the edits.

    Raises:
        CaseError: a processor is not in the chain, a field does not exist, or a value is invalid.
    """
    if capacity is not None and capacity <= 0:
        raise CaseError(f"a capacity must be positive, got {capacity}")
    given = case.processors if chain is None or same_chain(chain, case.processors) else chain
    processors = [(name, dict(settings)) for name, settings in given]
    config = case.engine_config()
    if model is not None:
        edits = [Edit("engine", "model_name", model), *edits]
    for edit in edits:
        if edit.owner == "engine":
            config = _engine(config, _known(edit, ContextEngineConfig.model_fields), edit.value)
        else:
            _edit_chain(processors, edit)
    if capacity is not None and capacity != resolve_capacity(config).tokens:
        config = _engine(config, "context_window_tokens", capacity)
    update: dict[str, Any] = {
        "processors": processors,
        "token_counter": counter or case.token_counter,
    }
    if config != case.engine_config():
        tokens = config.context_window_tokens
        update |= {"engine": config, "context_window_tokens": tokens, "recall": False}
    return case.model_copy(update=update)


def _edit_chain(chain: Chain, edit: Edit) -> None:
    """Edit the settings of every processor of a name, in place."""
    chosen = [settings for name, settings in chain if name == edit.owner]
    if not chosen:
        names = ", ".join(dict.fromkeys(name for name, _ in chain)) or "empty"
        raise CaseError(f"{edit.owner} is not in the chain of this case ({names})")
    field = _known(edit, _fields(edit.owner))
    for settings in chosen:
        changed = {**settings, field: edit.value}
        if effective(edit.owner, changed) != effective(edit.owner, settings):
            settings[field] = edit.value


def effective(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all settings of a processor, defaults included.

    Raises:
        CaseError: the processor is unknown or a value is invalid.
    """
    try:
        config = processor_class(name).config_model.model_validate(settings)
    except ContextError as error:
        raise CaseError(str(error)) from error
    except ValidationError as error:
        raise _invalid(name, error) from error
    return config.model_dump()


def same_chain(a: Chain, b: Chain) -> bool:
    """Return whether two chains decide alike: the same processors with the same settings."""
    return [(n, effective(n, s)) for n, s in a] == [(n, effective(n, s)) for n, s in b]


def _engine(config: ContextEngineConfig, field: str, value: Any) -> ContextEngineConfig:
    try:
        return ContextEngineConfig.model_validate({**config.model_dump(), field: value})
    except ValidationError as error:
        raise _invalid("engine", error) from error


def _fields(name: str) -> Any:
    try:
        return processor_class(name).config_model.model_fields
    except ContextError as error:
        raise CaseError(str(error)) from error


def _known(edit: Edit, fields: Any) -> str:
    if edit.field not in fields:
        raise CaseError(f"{edit.owner} has no setting {edit.field}; it has {', '.join(fields)}")
    return edit.field


def _invalid(name: str, error: ValidationError) -> CaseError:
    return CaseError(f"{first_fault(error, name)}, got {error.errors()[0]['input']!r}")
