"""Processors by name, and how one is made from its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from engine.errors import ContextError
from engine.processors.base import ContextProcessor

Processor = ContextProcessor[Any]
Settings = Mapping[str, Any] | BaseModel
"""What a processor is set up with: values by name, or an object of its settings' class."""

ProcessorT = TypeVar("ProcessorT", bound=type[Processor])

_PROCESSORS: dict[str, type[Processor]] = {}


def register(processor: ProcessorT) -> ProcessorT:
    """Make a processor class known by its name; the last one of a name wins."""
    _PROCESSORS[processor.processor_type()] = processor
    return processor


def processor_class(name: str) -> type[Processor]:
    """Return the class of a name.

    Raises:
        ContextError: no processor has this name.
    """
    try:
        return _PROCESSORS[name]
    except KeyError:
        known = ", ".join(sorted(_PROCESSORS))
        raise ContextError(f"cannot find processor type '{name}'; known are {known}") from None


def registered_names() -> list[str]:
    """Return the names of all processors, sorted."""
    return sorted(_PROCESSORS)


def make_processor(name: str, settings: Settings) -> Processor:
    """Return a processor with the given settings.

    Raises:
        ContextError: the name is unknown or a setting has no valid value.
    """
    cls = processor_class(name)
    if isinstance(settings, BaseModel):
        return cls(settings)
    try:
        return cls(cls.config_model.model_validate(dict(settings)))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise ContextError(f"init processor type '{name}' failed: {problems}") from error
