"""The settings of a chain as fields of a form, made from the configuration models.

A field knows its range, its default, its value, and where the value comes from; whoever shows it
adds nothing of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from engine.processors.registry import processor_class
from inspector.replay.cases.case import Case
from inspector.replay.settings.edits import effective

Kind = Literal["ratio", "integer", "number", "switch", "text", "list", "choice"]
Provenance = Literal["default", "recorded", "assumed", "edited"]

_UNTUNED = frozenset(
    {
        "enable_compression_dump",
        "compression_dump_dir",
        "enable_context_debug",
        "context_debug_dir",
        "enable_debug_dump",
        "debug_dump_dir",
        "enable_kv_cache_affinity",
    }
)
"""Settings that have no influence on any decision."""


@dataclass(frozen=True)
class SettingField:
    """One setting of one processor."""

    owner: str
    name: str
    kind: Kind
    value: Any
    default: Any
    provenance: Provenance
    low: float | None = None
    """Smallest value; not itself allowed where `low_open`."""
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    optional: bool = False
    """None is a value too."""
    possible: tuple[float, float] | None = None
    """Range of values with the same consequences in the recording."""
    choices: tuple[str, ...] = ()
    """All values, where only some words are allowed."""
    about: str = ""

    @property
    def label(self) -> str:
        """The name in words: `trigger_context_ratio` is `trigger ratio`."""
        return in_words(self.name)

    def tokens(self, capacity: int) -> int | None:
        """Return what a ratio comes to in tokens."""
        return int(capacity * self.value) if self.kind == "ratio" else None


@dataclass(frozen=True)
class ProcessorCard:
    """A processor of the chain with its fields."""

    name: str
    about: str
    fields: tuple[SettingField, ...]


def in_words(name: str) -> str:
    """Return the name of a setting in words; that a ratio is one of the context goes without."""
    return name.replace("_", " ").replace(" context ratio", " ratio")


def chain_cards(base: Case, case: Case) -> list[ProcessorCard]:
    """Return the cards of a case's chain.

    Args:
        base: the case as it was recorded.
        case: the same with edits; its chain has the same processors in the same order.

    Raises:
        CaseError: a processor is unknown or a value invalid.
    """
    return [
        processor_card(base, name, settings, recorded)
        for (name, settings), (_, recorded) in zip(case.processors, base.processors, strict=True)
    ]


def processor_card(
    base: Case, name: str, settings: Mapping[str, Any], recorded: Mapping[str, Any]
) -> ProcessorCard:
    """Return the card of one processor.

    Args:
        base: the case as it was recorded.
        name: the processor.
        settings: its settings as they are now.
        recorded: its settings as they were, without edits.

    Raises:
        CaseError: the processor is unknown or a value invalid.
    """
    cls = processor_class(name)
    now, before = effective(name, dict(settings)), effective(name, dict(recorded))
    fields = []
    for field_name, info in cls.config_model.model_fields.items():
        low, low_open = _bound(info, Gt, Ge)
        high, high_open = _bound(info, Lt, Le)
        kind = _kind(field_name, info, low)
        if kind is None or field_name in _UNTUNED:
            continue
        key = f"{name}.{field_name}"
        possible = base.possible.get(key)
        fields.append(
            SettingField(
                owner=name,
                name=field_name,
                kind=kind,
                value=now[field_name],
                default=info.default,
                provenance=_provenance(base, key, field_name, now, before, recorded),
                low=low,
                high=high,
                low_open=low_open,
                high_open=high_open,
                optional=type(None) in get_args(info.annotation),
                possible=(possible[0], possible[-1]) if possible else None,
                choices=get_args(info.annotation) if kind == "choice" else (),
                about=info.description or "",
            )
        )
    return ProcessorCard(name, (cls.__doc__ or "").strip().partition("\n")[0], tuple(fields))


def _provenance(
    base: Case,
    key: str,
    name: str,
    now: Mapping[str, Any],
    before: Mapping[str, Any],
    recorded: Mapping[str, Any],
) -> Provenance:
    if now[name] != before[name]:
        return "edited"
    if key in base.assumed and base.assumed[key] == now[name]:
        return "assumed"
    return "recorded" if name in recorded else "default"


def _bound(info: FieldInfo, open_: type, closed: type) -> tuple[float | None, bool]:
    for rule in info.metadata:
        if isinstance(rule, open_):
            return float(getattr(rule, open_.__name__.lower())), True
        if isinstance(rule, closed):
            return float(getattr(rule, closed.__name__.lower())), False
    return None, False


def _kind(name: str, info: FieldInfo, low: float | None) -> Kind | None:
    if info.annotation == list[str]:
        return "list"
    if get_origin(info.annotation) is Literal:
        return "choice"
    types = {t for t in (get_args(info.annotation) or (info.annotation,)) if t is not type(None)}
    if types == {bool}:
        return "switch"
    if types == {int}:
        return "integer"
    if types == {float}:
        return "ratio" if low == 0 and name.endswith("_ratio") else "number"
    return "text" if types == {str} else None
